#pragma once

#include "trainer/models/weight_initializer.h"

#include <vector>

namespace dailies::trainer::layers {

/// How a clip steers one sub-layer: x + gate · f((1 + scale) · norm(x) + shift). They broadcast with tokens.
struct Modulation {
    at::Tensor shift, scale, gate;
};

/// Adaptive layer norm: time and caption steer every sub-layer of every block. All kinds begin with gates of
/// zero, so that training starts from the identity (Peebles & Xie 2023).
/// - single: one projection shared by all blocks plus a learned table for each (PixArt-α);
/// - lora: in each sub-layer a projection of rank r plus one shared by all (Cosmos);
/// - full: a projection in each block (DiT).
class AdaLn {
public:
    /// What the blocks share of a batch.
    struct Conditioning {
        at::Tensor signal;  ///< [clips, width]: SiLU of the embedding of time and caption
        at::Tensor shared;  ///< single: [clips, rows, width]; lora: [clips, 3 · width]; full: undefined
    };

    AdaLn(std::string kind, std::int64_t width, std::int64_t rank, std::int64_t subLayers, bool bias);

    void declareTime(WeightInitializer& make) const;
    void declareShared(WeightInitializer& make) const;
    void declareBlock(WeightInitializer& make, const std::string& name) const;
    void declareFinal(WeightInitializer& make) const;

    /// From the sinusoids of the noise level, [clips, timeChannels()], and what the caption adds (undefined:
    /// nothing), [clips, width].
    Conditioning conditioning(const Params& weights, const at::Tensor& sinusoids,
                              const at::Tensor& caption) const;
    std::int64_t timeChannels() const { return m_width / 2 * 2; }

    /// Shift, scale and gate of each sub-layer of a block: [clips, width] each, in the sub-layers' order.
    std::vector<at::Tensor> block(const Params& weights, const std::string& name,
                                  const Conditioning& conditioning) const;
    /// Shift and scale before the layer that puts out patches.
    std::vector<at::Tensor> last(const Params& weights, const Conditioning& conditioning) const;

    /// Multiply-adds, twice, of all this for a clip: shared, and of one block.
    std::int64_t sharedFlops() const;
    std::int64_t blockFlops() const;
    /// Of `sharedFlops`, those in layers whose input takes no gradient.
    std::int64_t flopsAtSinusoids() const { return 2 * timeChannels() * m_width; }

private:
    std::string m_kind;
    std::int64_t m_width, m_rank, m_subLayers;
    bool m_bias;
};

}  // namespace dailies::trainer::layers
