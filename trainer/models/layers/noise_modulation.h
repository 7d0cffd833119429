#pragma once

#include "trainer/models/flops.h"
#include "trainer/models/layers/sequence_layout.h"
#include "trainer/models/weight_initializer.h"

#include <vector>

namespace dailies::trainer::layers {

/// What the noise level does to every sub-layer: one projection of it that all blocks share, plus a table in
/// each (PixArt-α, Chen et al. 2023), for self-attention and MLP, as Wan and LTX-Video have it. Tokens of
/// frames that are given in place are told no noise. Weights: time.in, time.out, modulation;
/// `block`.modulation; final.modulation.
class NoiseModulation {
public:
    /// What levels of noise say: their channels, [levels, width], and the rows that all blocks share,
    /// [levels, 6, width].
    struct Told {
        at::Tensor time, rows;
    };
    /// Of one pass. `clean`: which tokens are without noise, [batch, tokens, 1] like this rank's tokens;
    /// undefined: none, and nothing is told of no noise.
    struct Levels {
        Told noisy, quiet;
        at::Tensor clean;
    };
    /// A row of modulation: of the clips, [clips, width], and of no noise, [1, width].
    struct Row {
        at::Tensor noisy, quiet;
    };

    static constexpr std::int64_t kTimeChannels = 256;  ///< sinusoids of a level
    static constexpr std::int64_t kRows = 6;  ///< shift, scale, gate of self-attention, then of the MLP

    NoiseModulation(std::int64_t width, double timeScale) : m_width(width), m_timeScale(timeScale) {}

    void declareShared(WeightInitializer& make) const;
    void declareBlock(WeightInitializer& make, const std::string& block) const;
    void declareFinal(WeightInitializer& make) const;

    /// `times`: [clips], 0 … 1.
    Levels levels(const Params& weights, const at::Tensor& times, at::Tensor clean) const;

    /// The rows of a block, those of the clips before those of no noise: tensors that recomputation may keep.
    /// `row` reads one of them again, from where the first stands.
    static std::vector<at::Tensor> blockRows(const Params& weights, const std::string& block,
                                             const Levels& levels);
    static Row row(const std::vector<at::Tensor>& tensors, std::size_t first, std::size_t index) {
        return {tensors[first + index], tensors[first + kRows + index]};
    }
    /// The tokens behind the last block, in a layer norm that is shifted and scaled.
    static at::Tensor finalNorm(const Params& weights, const Levels& levels, const SequenceLayout& layout,
                                const at::Tensor& tokens);

    /// A row as it broadcasts with the tokens of a layout.
    static at::Tensor perToken(const SequenceLayout& layout, const at::Tensor& clean, const Row& row);

    /// Multiply-adds, twice, of a clip, and those of them in a layer whose input takes no gradient.
    std::int64_t flops() const;
    std::int64_t flopsAtSinusoids() const;

private:
    Told told(const Params& weights, const at::Tensor& times) const;

    std::int64_t m_width;
    double m_timeScale;
};

}  // namespace dailies::trainer::layers
