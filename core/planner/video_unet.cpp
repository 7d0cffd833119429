#include "core/config/latent_size.h"
#include "core/planner/unet_counter.h"

namespace dailies::planner {

namespace {

constexpr std::int64_t kFramesSeen = 3;  // by a convolution over time
constexpr std::int64_t kLabels = 3, kLabelWidth = 256;

/// The U-Net of Stable Video Diffusion, each layer for pictures with one over time behind it.
class VideoNet {
public:
    VideoNet(UnetCounter& counter, const config::TrainConfig::Model& model, std::int64_t context)
        : m_to(counter), m_model(model), m_context(context) {}

    void operator()(std::int64_t inputs, std::int64_t outputs, const Pictures& pictures) {
        auto& ends = m_to.count().ends;
        const auto width = m_model.width;
        const double before = ends;
        m_to.linear(m_time, width, 1, ends);
        m_to.linear(m_time, kLabels * kLabelWidth, 1, ends);
        m_to.convolution(width, inputs, 3, pictures, ends);
        m_to.count().atInputs += ends - before;
        for (int i = 0; i < 2; ++i) m_to.linear(m_time, m_time, 1, ends);
        const auto last = m_to.levels(
            m_model, pictures,
            [&](std::int64_t in, std::int64_t out, const Pictures& of, std::size_t level, bool) {
                m_to.asBlock(in, of, [&] {
                    residual(in, out, of);
                    if (level + 1 < kLevels) transformer(out, of);
                });
            },
            [&](std::int64_t in, const Pictures& of) {
                m_to.asBlock(in, of, [&] {
                    residual(in, in, of);
                    transformer(in, of);
                });
                m_to.asBlock(in, of, [&] { residual(in, in, of); });
            });
        m_to.norm(width, last.all());
        m_to.convolution(outputs, width, 3, last, ends);
    }

private:
    void residual(std::int64_t in, std::int64_t out, const Pictures& pictures) {
        m_to.residual(in, out, m_time, pictures);
        const double rows = pictures.all();
        for (int i = 0; i < 2; ++i) {
            m_to.norm(out, 2 * rows);
            m_to.linear(out, kFramesSeen * out, rows);
        }
        m_to.linear(out, m_time, 1);
        m_to.share();
    }

    /// `tokens`: to which each attends.
    void block(std::int64_t width, double rows, double tokens) {
        m_to.norm(width, rows);
        m_to.attention(width, rows);
        m_to.sdpa(rows, tokens, width);
        m_to.contextAttention(width, m_context, rows);
        m_to.mlp(width, rows);
    }

    void transformer(std::int64_t width, const Pictures& pictures) {
        const double rows = pictures.all();
        m_to.norm(width, rows);
        m_to.linear(width, width, rows);
        block(width, rows, pictures.places());
        m_to.linear(4 * width, width, pictures.count);
        m_to.linear(width, 4 * width, pictures.count);
        m_to.mlp(width, rows);
        block(width, rows, pictures.count);
        m_to.share();
        m_to.linear(width, width, rows);
    }

    UnetCounter& m_to;
    const config::TrainConfig::Model& m_model;
    std::int64_t m_context;
    std::int64_t m_time = kTimeMultiple * m_model.width;
};

void countPoseNet(UnetCounter& to, const config::TrainConfig& config, const Pictures& places) {
    constexpr std::int64_t kSide = 3, kHalvingSide = 4;
    const auto& model = config.model;
    auto left = model.patch_size * config::latentPixels(config);
    Pictures pictures{places.count, places.height * left, places.width * left};
    const auto widths = poseNetWidths(model.width);
    auto width = kColours;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const double before = to.count().layers;
        to.convolution(width, width, kSide, pictures);
        if (i == 0) to.count().atInputs += to.count().layers - before;
        const bool halves = i + 1 < widths.size() && left > 1;
        if (halves) pictures = pictures.halved();
        to.convolution(widths[i], width, halves ? kHalvingSide : kSide, pictures);
        width = widths[i];
        left /= 2;
    }
    to.convolution(model.width, width, 1, pictures);
    to.share();
}

}  // namespace

void countVideoUnet(UnetCounter& to, const config::TrainConfig& config, const UnetInputs& inputs) {
    const auto& model = config.model;
    const auto& frames = inputs.frames;
    to.enter("unet.");
    VideoNet(to, model, inputs.imageWidth)(2 * inputs.channels, inputs.channels, frames);
    if (model.family != "mimic-motion") return;
    to.enter("pose_net.");
    countPoseNet(to, config, frames);
}

}  // namespace dailies::planner
