#pragma once

#include "trainer/pretrained/families/family.h"

#include <vector>

namespace dailies::trainer::pretrained {

/// What fixes names and shapes of LTX-Video's autoencoders, of 0.9.0, 0.9.1 and 0.9.5 on (which 0.9.7 and
/// 0.9.8 have, too).
struct LtxVaeSizes {
    /// A level of the encoder, from fine to coarse.
    struct Down {
        std::int64_t width = 0, outputs = 0, blocks = 0;
        /// How many frames, rows and columns become one behind the blocks; empty: the level ends there.
        Extents strides = {};
        bool folds = false;  ///< neighbours become channels (0.9.5); else a convolution with strides
    };
    /// A level of the decoder, from coarse to fine.
    struct Up {
        std::int64_t inputs = 0, width = 0, blocks = 0;
        bool doubles = true;      ///< frames, rows and columns before the blocks
        std::int64_t factor = 1;  ///< of the channels there; above 1 what is doubled is added to as well
        bool noise = false;
    };

    static constexpr std::int64_t kPatch = 4;  ///< pixels of a side that become channels first

    std::int64_t latents = 128, pixels = 3 * kPatch * kPatch;
    std::vector<Down> encoder;
    std::int64_t encoderBlocks = 0;  ///< behind its levels
    std::vector<Up> decoder;
    std::int64_t decoderBlocks = 0, decoderWidth = 0;  ///< before its levels
    bool decoderNoise = false;                         ///< in those blocks
    bool timed = false;  ///< the decoder is told how much noise is left in the latents (0.9.1)

    std::int64_t spaceFactor() const;
    std::int64_t framesFactor() const;
};

/// Its tensors by diffusers' names.
NamedShapes ltxVaeTensors(const LtxVaeSizes& sizes);

/// What tensors by diffusers' names say; nothing where they are no such autoencoder's.
std::optional<LtxVaeSizes> ltxVaeSizes(const TensorTable& tensors);

/// The name in diffusers of a tensor of the original checkpoints, which number blocks and steps through:
/// 0.9.0, 0.9.1 and 0.9.5 differently.
std::string ltxVae090Name(const std::string& original);
std::string ltxVae091Name(const std::string& original);
std::string ltxVae095Name(const std::string& original);

/// `tensors`: by diffusers' names.
std::optional<Family> recogniseLtxVae(const TensorTable& tensors, const Hints& hints);

}  // namespace dailies::trainer::pretrained
