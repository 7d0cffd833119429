#include "core/planner/animate.h"

#include "core/config/guidance_types.h"
#include "core/config/latent_size.h"

#include <algorithm>
#include <utility>

namespace dailies::planner {

namespace {

constexpr std::int64_t kColours = 3;
constexpr std::int64_t kMultiples[] = {1, 2, 4, 4};  // of the first level's channels
constexpr std::size_t kLevels = std::size(kMultiples);
constexpr std::int64_t kTimeMultiple = 4, kMlpMultiple = 4;

/// Pictures of one size.
struct Pictures {
    double count = 1;
    std::int64_t height = 0, width = 0;

    double places() const { return static_cast<double>(height * width); }
    double all() const { return count * places(); }
    Pictures halved() const { return {count, (height + 1) / 2, (width + 1) / 2}; }
};

class Counter {
public:
    explicit Counter(AnimateCount& count) : m_count(count) {}

    void convolution(std::int64_t outputs, std::int64_t inputs, std::int64_t side, const Pictures& made,
                     double& operations) {
        weight(outputs * inputs * side * side);
        weight(outputs);
        operations += 2 * static_cast<double>(outputs * inputs * side * side) * made.all();
        keep(static_cast<double>(outputs) * made.all());
    }
    void convolution(std::int64_t outputs, std::int64_t inputs, std::int64_t side, const Pictures& made) {
        convolution(outputs, inputs, side, made, m_count.layers);
    }
    void linear(std::int64_t outputs, std::int64_t inputs, double rows, double& operations,
                bool bias = true) {
        weight(outputs * inputs);
        if (bias) weight(outputs);
        operations += 2 * static_cast<double>(outputs * inputs) * rows;
        keep(static_cast<double>(outputs) * rows);
    }
    void linear(std::int64_t outputs, std::int64_t inputs, double rows, bool bias = true) {
        linear(outputs, inputs, rows, m_count.layers, bias);
    }
    void norm(std::int64_t width, double rows) {
        weight(width);
        weight(width);
        m_count.normed += static_cast<double>(width) * rows;
    }
    void sdpa(double queries, double keys, std::int64_t width) {
        m_count.attention += 4 * queries * keys * static_cast<double>(width);
        keep(queries * static_cast<double>(width));
    }
    /// A feed-forward layer with gates, behind a norm.
    void mlp(std::int64_t width, double rows) {
        norm(width, rows);
        linear(2 * kMlpMultiple * width, width, rows);
        linear(width, kMlpMultiple * width, rows);
        keep(2 * static_cast<double>(kMlpMultiple * width) * rows);  // the gates and their products
    }

    void attention(std::int64_t width, double rows) {
        for (int i = 0; i < 3; ++i) linear(width, width, rows, /*bias=*/false);
        linear(width, width, rows);
    }

    /// What a transformer reads beside its own picture.
    struct Reads {
        bool reference = false;    ///< the tokens of one other picture
        std::int64_t context = 0;  ///< channels of one token of what an encoder sees; 0: none
    };

    /// `endsWithIt`: only what its self-attention is given is computed.
    void transformer(std::int64_t width, const Pictures& pictures, const Reads& reads,
                     bool endsWithIt = false) {
        const double rows = pictures.all();
        norm(width, rows);
        convolution(width, width, 1, pictures);
        norm(width, rows);
        const auto rest = [&] {
            attention(width, rows);
            if (reads.reference) {  // keys and values of the reference, once a clip
                m_count.layers += 2 * 2 * static_cast<double>(width * width) * pictures.places();
                keep(2 * static_cast<double>(width) * rows);
            }
            sdpa(rows, (reads.reference ? 2 : 1) * pictures.places(), width);
            contextAttention(width, reads.context, rows);
            mlp(width, rows);
            convolution(width, width, 1, pictures);
        };
        if (endsWithIt)
            onlyWeights(rest);
        else
            rest();
    }

    /// What is not computed, though its weights are there.
    template <class Layers>
    void onlyWeights(Layers layers) {
        auto counted = m_count;
        layers();
        counted.weights = std::move(m_count.weights);
        m_count = std::move(counted);
    }
    void keep(double numbers) {
        m_count.kept += numbers;
        m_count.widest = std::max(m_count.widest, numbers);
    }
    AnimateCount& count() { return m_count; }
    /// Of which the next weights are; returns of which the last ones were.
    std::string enter(const std::string& part) { return std::exchange(m_part, part); }

private:
    void contextAttention(std::int64_t width, std::int64_t context, double rows) {
        if (context == 0) return;
        norm(width, rows);
        linear(width, width, rows, /*bias=*/false);
        for (int i = 0; i < 2; ++i) linear(width, context, 1, /*bias=*/false);
        linear(width, width, rows);
        sdpa(rows, 1, width);
    }

    void weight(std::int64_t elements) { m_count.weights.push_back({elements, m_part}); }

    AnimateCount& m_count;
    std::string m_part;
};

/// One U-Net over so many pictures. `outputs` 0: the ReferenceNet, which ends with what its last transformer
/// is given.
class UnetCounter {
public:
    UnetCounter(Counter& counter, const config::TrainConfig::Model& model, std::int64_t outputs,
                bool readsReference, std::int64_t context)
        : m_to(counter),
          m_model(model),
          m_outputs(outputs),
          m_motion(outputs > 0 && model.motion != "none"),
          m_middleMotion(outputs > 0 && model.motion == "v2"),
          m_reads{readsReference, context} {}

    void operator()(std::int64_t inputs, Pictures pictures) {
        auto& ends = m_to.count().ends;
        const auto width = m_model.width, time = kTimeMultiple * width;
        const double before = ends;
        m_to.linear(time, width, 1, ends);
        m_to.convolution(width, inputs, 3, pictures, ends);
        m_to.count().atInputs += ends - before;
        m_to.linear(time, time, 1, ends);
        std::vector<std::pair<std::int64_t, Pictures>> skipped = {{width, pictures}};
        auto in = width;
        for (std::size_t level = 0; level < kLevels; ++level) {
            for (std::int64_t i = 0; i < m_model.depth; ++i) {
                block(in, kMultiples[level] * width, pictures, level + 1 < kLevels);
                in = kMultiples[level] * width;
                skipped.emplace_back(in, pictures);
            }
            if (level + 1 == kLevels) break;
            pictures = pictures.halved();
            m_to.convolution(in, in, 3, pictures);
            skipped.emplace_back(in, pictures);
        }
        asBlock(in, pictures, [&] {
            residual(in, in, pictures);
            m_to.transformer(in, pictures, m_reads);
            if (m_middleMotion) motion(in, pictures);
        });
        asBlock(in, pictures, [&] { residual(in, in, pictures); });
        for (std::size_t level = kLevels; level-- > 0;) {
            for (std::int64_t i = 0; i <= m_model.depth; ++i) {
                const auto out = kMultiples[level] * width;
                const bool last = level == 0 && i == m_model.depth;
                block(in + skipped.back().first, out, pictures, level + 1 < kLevels, last);
                skipped.pop_back();
                in = out;
            }
            if (level == 0) break;
            pictures = skipped.back().second;
            m_to.convolution(in, in, 3, pictures);
        }
        if (m_outputs == 0) return;
        m_to.norm(in, pictures.all());
        m_to.convolution(m_outputs, in, 3, pictures, ends);
    }

private:
    void residual(std::int64_t in, std::int64_t out, const Pictures& pictures) {
        if (in != out) m_to.convolution(out, in, 1, pictures);
        m_to.norm(in, 2 * pictures.all());  // the normed and what SiLU reads
        m_to.convolution(out, in, 3, pictures);
        m_to.linear(out, kTimeMultiple * m_model.width, 1);
        m_to.norm(out, 2 * pictures.all());
        m_to.convolution(out, out, 3, pictures);
    }

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

    void block(std::int64_t in, std::int64_t out, const Pictures& pictures, bool attends, bool last = false) {
        asBlock(in, pictures, [&] {
            residual(in, out, pictures);
            if (attends) m_to.transformer(out, pictures, m_reads, last && m_outputs == 0);
            if (m_motion) motion(out, pictures);
        });
    }

    /// Layers that `model.recompute` takes together, of pictures of so many channels.
    template <class Layers>
    void asBlock(std::int64_t in, const Pictures& pictures, Layers layers) {
        auto& count = m_to.count();
        const double kept = count.kept, normed = count.normed;
        layers();
        const double ownKept = count.kept - kept, ownNormed = count.normed - normed;
        count.inBlocks += ownKept;
        count.normedInBlocks += ownNormed;
        count.blockInputs += static_cast<double>(in) * pictures.all();
        if (ownKept + ownNormed <= count.blockKept + count.blockNormed) return;
        count.blockKept = ownKept;
        count.blockNormed = ownNormed;
    }

    Counter& m_to;
    const config::TrainConfig::Model& m_model;
    std::int64_t m_outputs;
    bool m_motion, m_middleMotion;
    Counter::Reads m_reads;
};

void countGuider(Counter& to, const config::TrainConfig& config, const Pictures& places) {
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

std::vector<std::int64_t> guiderWidths(std::int64_t width) {
    constexpr std::int64_t kPublishedWidth = 320, kStep = 8;
    std::vector<std::int64_t> widths;
    for (const std::int64_t published : {16, 32, 96, 256})
        widths.push_back((published * width + kPublishedWidth * kStep - 1) / (kPublishedWidth * kStep) *
                         kStep);
    return widths;
}

AnimateCount animateCount(const config::TrainConfig& config, const DataShape& data, const ClipShape& clip) {
    const auto& model = config.model;
    const auto channels = data.channels * model.patch_size * model.patch_size;
    const Pictures frames{static_cast<double>(clip.frames), clip.height / model.patch_size,
                          clip.width / model.patch_size};
    AnimateCount count;
    Counter to(count);
    to.enter("denoiser.");
    UnetCounter(to, model, channels, /*readsReference=*/true, data.imageWidth)(channels, frames);
    to.enter("reference.");
    UnetCounter(to, model, 0, /*readsReference=*/false, data.imageWidth)(channels,
                                                                         {1, frames.height, frames.width});
    for (const auto& kind : config::drawingsOf(model.guidance_types)) {
        to.enter(model.guidance_types.empty() ? "guider." : "guidance_encoder_" + kind + ".");
        countGuider(to, config, frames);
    }
    return count;
}

}  // namespace dailies::planner
