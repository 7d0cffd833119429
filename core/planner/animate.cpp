#include "core/config/guidance_types.h"
#include "core/config/latent_size.h"
#include "core/planner/unet_counter.h"

namespace dailies::planner {

namespace {

/// One U-Net over so many pictures. `outputs` 0: the ReferenceNet, which ends with what its last transformer
/// is given.
class NetOfAnimate {
public:
    NetOfAnimate(UnetCounter& counter, const config::TrainConfig::Model& model, std::int64_t outputs,
                 bool readsReference, std::int64_t context)
        : m_to(counter),
          m_model(model),
          m_outputs(outputs),
          m_motion(outputs > 0 && model.motion != "none"),
          m_middleMotion(outputs > 0 && model.motion == "v2"),
          m_reads{readsReference, context} {}

    void operator()(std::int64_t inputs, const Pictures& pictures) {
        auto& ends = m_to.count().ends;
        const auto width = m_model.width, time = kTimeMultiple * width;
        const double before = ends;
        m_to.linear(time, width, 1, ends);
        m_to.convolution(width, inputs, 3, pictures, ends);
        m_to.count().atInputs += ends - before;
        m_to.linear(time, time, 1, ends);
        const auto last = m_to.levels(
            m_model, pictures,
            [&](std::int64_t in, std::int64_t out, const Pictures& of, std::size_t level, bool isLast) {
                m_to.asBlock(in, of, [&] {
                    m_to.residual(in, out, time, of);
                    if (level + 1 < kLevels) m_to.transformer(out, of, m_reads, isLast && m_outputs == 0);
                    if (m_motion) motion(out, of);
                });
            },
            [&](std::int64_t in, const Pictures& of) {
                m_to.asBlock(in, of, [&] {
                    m_to.residual(in, in, time, of);
                    m_to.transformer(in, of, m_reads);
                    if (m_middleMotion) motion(in, of);
                });
                m_to.asBlock(in, of, [&] { m_to.residual(in, in, time, of); });
            });
        if (m_outputs == 0) return;
        m_to.norm(width, last.all());
        m_to.convolution(m_outputs, width, 3, last, ends);
    }

private:
    void motion(std::int64_t width, const Pictures& pictures) {
        const auto net = m_to.enter("denoiser.motion_modules.");
        const double rows = pictures.all();
        m_to.norm(width, rows);
        m_to.linear(width, width, rows);
        for (int i = 0; i < 2; ++i) {
            m_to.norm(width, rows);
            m_to.attention(width, rows);
            m_to.sdpa(rows, pictures.count, width);
        }
        m_to.mlp(width, rows);
        m_to.linear(width, width, rows);
        m_to.enter(net);
    }

    UnetCounter& m_to;
    const config::TrainConfig::Model& m_model;
    std::int64_t m_outputs;
    bool m_motion, m_middleMotion;
    UnetCounter::Reads m_reads;
};

void countGuider(UnetCounter& to, const config::TrainConfig& config, const Pictures& places) {
    const auto& model = config.model;
    const auto widths = guiderWidths(model.width);
    // drawings are as large as the clip's pixels
    const auto side = model.patch_size * config::latentPixels(config);
    Pictures pictures{places.count, places.height * side, places.width * side};
    const double before = to.count().layers;
    to.convolution(widths.front(), kColours, 3, pictures);
    to.count().atInputs += to.count().layers - before;
    auto left = side;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        to.convolution(widths[i], widths[i], 3, pictures);
        if (left > 1) pictures = pictures.halved();
        left /= 2;
        to.convolution(widths[i + 1], widths[i], 3, pictures);
    }
    if (!model.guidance_types.empty()) to.transformer(widths.back(), pictures, {});
    to.convolution(model.width, widths.back(), 3, pictures);
}

}  // namespace

void countAnimate(UnetCounter& to, const config::TrainConfig& config, const UnetInputs& inputs) {
    const auto& model = config.model;
    const auto& frames = inputs.frames;
    to.enter("denoiser.");
    NetOfAnimate(to, model, inputs.channels, /*readsReference=*/true, inputs.imageWidth)(inputs.channels,
                                                                                         frames);
    to.enter("reference.");
    NetOfAnimate(to, model, 0, /*readsReference=*/false, inputs.imageWidth)(inputs.channels,
                                                                            {1, frames.height, frames.width});
    for (const auto& kind : config::drawingsOf(model.guidance_types)) {
        to.enter(model.guidance_types.empty() ? "guider." : "guidance_encoder_" + kind + ".");
        countGuider(to, config, frames);
    }
}

}  // namespace dailies::planner
