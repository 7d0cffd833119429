#pragma once

#include "core/planner/unet_count.h"

#include <algorithm>
#include <utility>

namespace dailies::planner {

inline constexpr std::int64_t kColours = 3;
inline constexpr std::int64_t kMultiples[] = {1, 2, 4, 4};  // of the first level's channels
inline constexpr std::size_t kLevels = std::size(kMultiples);
inline constexpr std::int64_t kTimeMultiple = 4, kMlpMultiple = 4;

/// Pictures of one size.
struct Pictures {
    double count = 1;
    std::int64_t height = 0, width = 0;

    double places() const { return static_cast<double>(height * width); }
    double all() const { return count * places(); }
    Pictures halved() const { return {count, (height + 1) / 2, (width + 1) / 2}; }
};

/// Counts layers one by one.
class UnetCounter {
public:
    explicit UnetCounter(UnetCount& count) : m_count(count) {}

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

    /// Two convolutions with their norms and the noise level between.
    void residual(std::int64_t in, std::int64_t out, std::int64_t time, const Pictures& pictures) {
        if (in != out) convolution(out, in, 1, pictures);
        norm(in, 2 * pictures.all());  // the normed and what SiLU reads
        convolution(out, in, 3, pictures);
        linear(out, time, 1);
        norm(out, 2 * pictures.all());
        convolution(out, out, 3, pictures);
    }

    /// What a transformer reads beside its own picture.
    struct Reads {
        bool reference = false;    ///< the tokens of one other picture
        std::int64_t context = 0;  ///< channels of one token of what an encoder sees; 0: none
    };

    /// Layers that `model.recompute` takes together, of pictures of so many channels.
    template <class Layers>
    void asBlock(std::int64_t in, const Pictures& pictures, Layers layers) {
        const double kept = m_count.kept, normed = m_count.normed;
        layers();
        const double ownKept = m_count.kept - kept, ownNormed = m_count.normed - normed;
        m_count.inBlocks += ownKept;
        m_count.normedInBlocks += ownNormed;
        m_count.blockInputs += static_cast<double>(in) * pictures.all();
        if (ownKept + ownNormed <= m_count.blockKept + m_count.blockNormed) return;
        m_count.blockKept = ownKept;
        m_count.blockNormed = ownNormed;
    }

    /// The levels of a U-Net over so many pictures. `block(in, out, pictures, level, isLast)` and
    /// `middle(width, pictures)` count what they have; returns the pictures behind them.
    template <class Block, class Middle>
    Pictures levels(const config::TrainConfig::Model& model, Pictures pictures, Block block, Middle middle) {
        std::vector<std::pair<std::int64_t, Pictures>> skipped = {{model.width, pictures}};
        auto in = model.width;
        for (std::size_t level = 0; level < kLevels; ++level) {
            for (std::int64_t i = 0; i < model.depth; ++i) {
                block(in, kMultiples[level] * model.width, pictures, level, false);
                in = kMultiples[level] * model.width;
                skipped.emplace_back(in, pictures);
            }
            if (level + 1 == kLevels) break;
            pictures = pictures.halved();
            convolution(in, in, 3, pictures);
            skipped.emplace_back(in, pictures);
        }
        middle(in, pictures);
        for (std::size_t level = kLevels; level-- > 0;) {
            for (std::int64_t i = 0; i <= model.depth; ++i) {
                const auto out = kMultiples[level] * model.width;
                block(in + skipped.back().first, out, pictures, level, level == 0 && i == model.depth);
                skipped.pop_back();
                in = out;
            }
            if (level == 0) break;
            pictures = skipped.back().second;
            convolution(in, in, 3, pictures);
        }
        return pictures;
    }

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

    void contextAttention(std::int64_t width, std::int64_t context, double rows) {
        if (context == 0) return;
        norm(width, rows);
        linear(width, width, rows, /*bias=*/false);
        for (int i = 0; i < 2; ++i) linear(width, context, 1, /*bias=*/false);
        linear(width, width, rows);
        sdpa(rows, 1, width);
    }

    /// One number, by which something is multiplied.
    void share() { weight(1); }

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
    UnetCount& count() { return m_count; }
    /// Of which the next weights are; returns of which the last ones were.
    std::string enter(const std::string& part) { return std::exchange(m_part, part); }

private:
    void weight(std::int64_t elements) { m_count.weights.push_back({elements, m_part}); }

    UnetCount& m_count;
    std::string m_part;
};

/// What the nets of one clip are given.
struct UnetInputs {
    Pictures frames;              ///< in places
    std::int64_t channels = 0;    ///< of each place
    std::int64_t imageWidth = 0;  ///< DataShape::imageWidth
};

void countAnimate(UnetCounter& to, const config::TrainConfig& config, const UnetInputs& inputs);
void countVideoUnet(UnetCounter& to, const config::TrainConfig& config, const UnetInputs& inputs);

}  // namespace dailies::planner
