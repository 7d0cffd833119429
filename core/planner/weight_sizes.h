#pragma once

#include "core/config/train_config.h"

#include <cstdint>
#include <vector>

namespace dailies::planner {

/// What a model takes from its data: the sizes of its first and last layers.
struct DataShape {
    std::int64_t channels = 3;       ///< of a pixel or latent
    std::int64_t captionTokens = 0;  ///< words of the captions, with the empty caption's token
    std::int64_t textWidth = 0;      ///< of text embeddings; 0: captions come as words
    std::int64_t textTokens = 0;     ///< of a caption, where `textWidth` is not 0
    std::int64_t imageWidth = 0;     ///< of what an encoder of pictures sees; 0: nothing is read of it

    /// As far as the configuration tells. What only the data know is taken from what people use: latents of
    /// 16 channels, 512 embeddings of width 4096 a caption (T5-XXL), 8,192 words, embeddings of reference
    /// pictures of width 768 (CLIP ViT-L/14), tokens of images of 1280 (ViT-H/14).
    static DataShape expected(const config::TrainConfig& config);
};

/// Tokens of a caption that a block's cross-attention reads.
std::int64_t textTokensRead(const config::TrainConfig& config, const DataShape& data);

/// The latents or pixels of a training clip, as the model sees them, and the tokens that it makes of them.
struct ClipShape {
    std::int64_t frames = 0, height = 0, width = 0;
    std::int64_t tokens = 0;

    std::int64_t places() const { return frames * height * width; }
};

/// Of each bucket; throws `InputError` for buckets that are none.
std::vector<ClipShape> clipShapes(const config::TrainConfig& config);

/// Which part of a block computes with a weight in bfloat16 under `runtime.precision` bf16; `exact` ones stay
/// float32.
enum class WeightUse { exact, attention, mlp };

/// Weights of one size.
struct WeightSize {
    std::int64_t elements = 0;
    WeightUse use = WeightUse::exact;
    std::int64_t count = 1;
    bool inBlocks = false;  ///< as many in each block of the model, `count` in all
    bool sliced = false;    ///< layout.tp divides it among ranks
    bool ofOutput = false;  ///< of the layers behind the blocks
};

/// Every weight that a model of this configuration has, counted without LibTorch: the same numbers as
/// `Model::weightsOnMeta`, which a test holds it to.
std::vector<WeightSize> weightSizes(const config::TrainConfig& config, const DataShape& data);

/// Those of the first stage of layout.pp, which has no output: all where there are no stages.
std::vector<WeightSize> weightSizesOfStage(const config::TrainConfig& config, const DataShape& data);

/// As one rank of it holds them: slices of what layout.tp divides.
std::vector<WeightSize> weightSizesOfRank(const config::TrainConfig& config, const DataShape& data);

/// Those that are trained: all, what optimizer.freeze leaves (of animate; of other families all), or the
/// factors of an adapter (lora.rank) in each layer that may have one, which are too many where lora.targets
/// names some.
std::vector<WeightSize> trainedSizes(const config::TrainConfig& config, const DataShape& data);

/// The same as one rank has gradients of them.
std::vector<WeightSize> trainedSizesOfRank(const config::TrainConfig& config, const DataShape& data);

std::int64_t elementCount(const std::vector<WeightSize>& weights);

}  // namespace dailies::planner
