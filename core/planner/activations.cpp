#include "core/planner/activations.h"

#include "core/config/conditioning.h"
#include "core/config/family_traits.h"
#include "core/config/pipeline_schedule.h"
#include "core/config/recompute.h"
#include "core/planner/pose_encoders.h"
#include "core/planner/unet_count.h"
#include "core/planner/units.h"

#include <algorithm>
#include <cmath>

namespace dailies::planner {

namespace {

/// The sides of a block that decide what it keeps, all for one token.
struct Block {
    double width, keyWidth, hidden, heads;
    double product;  ///< bytes of what goes into and comes out of matrix products
    double slices;   ///< ranks that divide its weights (layout.tp)
    BlockBackend route;
    bool projectsText, gelu, hasText;
    bool rms;            ///< RMS norms and turns across heads, by LibTorch's operations (ltx)
    bool steersTokens;   ///< shift, scale and gate stand beside every token, not every clip
    double imageTokens;  ///< beside the caption's
};

Block blockOf(const config::TrainConfig& config, const DataShape& data, bool gpu) {
    const auto& model = config.model;
    const bool projects = config::projectsText(model);
    const auto width = static_cast<double>(model.width), heads = static_cast<double>(model.heads);
    const auto keyHeads = model.kv_heads > 0 ? static_cast<double>(model.kv_heads) : heads;
    return {.width = width,
            .keyWidth = keyHeads * width / heads,
            .hidden = model.mlp_width > 0 ? static_cast<double>(model.mlp_width)
                                          : width * static_cast<double>(model.mlp_ratio),
            .heads = heads,
            .product = config.runtime.precision == "bf16" ? kHalf : kFloat,
            .slices = static_cast<double>(config.layout.tp),
            .route = blockBackend(config, gpu),
            .projectsText = projects,
            .gelu = model.activation != "relu2",
            .hasText = projects || data.textWidth > 0,
            .rms = model.family == "ltx",
            .steersTokens = config.data.packing || model.conditioning == "in_place",
            .imageTokens =
                projects && data.imageWidth > 0 ? static_cast<double>(config::imageTokens(config.model)) : 0};
}

/// The normed row for a matrix product, mean and deviation of its row, and what LibTorch keeps between.
double modulatedBytes(const Block& b) {
    const double between = b.rms || b.route == BlockBackend::operations ? kFloat * b.width : 0;
    return b.product * b.width + between + 2 * kFloat;
}

/// Queries and keys after their norm and turn, with what that keeps of `width` channels.
double turnedBytes(const Block& b, double width) {
    const bool fused =
        (b.route == BlockBackend::kernels && !b.rms) || (b.route == BlockBackend::loops && !b.projectsText);
    if (fused) return b.product * width;
    // x in float32 (its own where products are), the same divided by its size, and the result
    return (b.product < kFloat ? kFloat : 0) * width + kFloat * width + b.product * width;
}

/// From a block's input to the sum behind attention: what self-attention keeps.
double selfAttentionBytes(const Block& b) {
    return modulatedBytes(b) + b.product * (b.width + 2 * b.keyWidth) + turnedBytes(b, b.width) +
           turnedBytes(b, b.keyWidth) + b.product * b.width + kFloat * b.heads  // mixture, log of its sum
           + b.product * b.width + kFloat * b.width;                            // change, sum
}

double crossAttentionBytes(const Block& b) {
    if (!b.hasText) return 0;
    // LTX-Video's is what it adds to, which is kept anyway but for what bfloat16 products read of it
    const double read = b.rms && b.product == kFloat ? 0 : b.product * b.width;
    const double normed = b.projectsText ? read + 2 * kFloat : modulatedBytes(b);
    const double fusedNorm = b.route == BlockBackend::kernels ? kFloat * b.width : 2 * kFloat * b.width;
    const double change = b.projectsText ? 0 : b.product * b.width;  // Wan's is added without a gate
    // what attention to the image gives, and its sum with that to the caption
    const double image = b.imageTokens > 0 ? 2 * b.product * b.width + kFloat * b.heads : 0;
    return normed + fusedNorm + b.product * b.width  // queries
           + b.product * b.width + kFloat * b.heads + image + change + kFloat * b.width;
}

double mlpBytes(const Block& b) {
    return modulatedBytes(b) + 2 * b.product * b.hidden + b.product * b.width + kFloat * b.width;
}

/// Gradients on their way while the MLP's are made, which are the widest. As measured (see `RankMemory`):
/// what LibTorch's operations take for the square of ReLU is more than a count of their results tells.
double gradientBytes(const Block& b) {
    const bool onePass = b.gelu || b.route == BlockBackend::loops;
    return (onePass ? 2 : 7) * b.product * b.hidden + 9 * kFloat * b.width;
}

/// Shift, scale and gate of packed clips, and where frames are given in place, stand beside every token: two
/// rows of each sub-layer are kept.
double steeringBytes(const Block& b, double subLayers) {
    return b.steersTokens ? 2 * subLayers * kFloat * b.width : 0;
}

/// What a block keeps of its caption's and image's tokens: keys and values.
double textBytes(const Block& b, const config::TrainConfig& config, const DataShape& data) {
    if (!b.hasText) return 0;
    const auto tokens = static_cast<double>(textTokensRead(config, data)) + b.imageTokens;
    const double textWidth =
        b.projectsText ? b.width
                       : static_cast<double>(data.textWidth > 0 ? data.textWidth : config.model.width);
    const double keysAndValues = 2 * b.product * b.keyWidth + turnedBytes(b, b.keyWidth);
    return tokens * (b.product * textWidth + keysAndValues / b.slices);
}

/// What a rank holds of `bytes` for one token where ranks divide the weights, and between the matrices the
/// tokens: its share, and whole of so many rows that it gathered for matrices.
double ofRank(const Block& b, double bytes, double gatheredRows) {
    return bytes / b.slices + gatheredRows * b.product * b.width * (1 - 1 / b.slices);
}

/// LibTorch's allocator of pinned memory gives powers of two.
double pinnedBytes(double bytes) {
    return std::exp2(std::ceil(std::log2(std::max(1.0, bytes))));
}

}  // namespace

bool canRecompute(const config::TrainConfig::Model& model, const std::string& recompute) {
    return !config::isUnet(model) || recompute == "none" || recompute == "full";
}

BlockBackend blockBackend(const config::TrainConfig& config, bool gpu) {
    if (gpu) return BlockBackend::kernels;
    const bool loops = config.runtime.threads == 1 && config.runtime.precision == "fp32";
    return loops ? BlockBackend::loops : BlockBackend::operations;
}

std::int64_t passesInFlight(const config::TrainConfig& config) {
    const auto& layout = config.layout;
    if (layout.pp == 1) return 1;
    return config::maxInFlight({layout.pp, layout.pp_chunks, config.optimizer.accumulate}, 0);
}

Activations activations(const config::TrainConfig& config, const DataShape& data, const ClipShape& clip,
                        double clips, bool gpu) {
    if (config::isUnet(config.model)) {
        const auto count = unetCount(config, data, clip);
        const bool bf16 = config.runtime.precision == "bf16";
        const double number = bf16 ? kHalf : kFloat;
        // a matrix reads a copy of them, one for the two of a norm and SiLU
        const double normed = kFloat + (bf16 ? kHalf / 2 : 0);
        const Activations all{.kept = clips * (number * count.kept + normed * count.normed),
                              .transient = clips * number * 4 * count.widest};
        if (config.model.recompute == "none") return all;
        const double inBlocks = number * count.inBlocks + normed * count.normedInBlocks;
        const double again = number * count.blockKept + normed * count.blockNormed;
        return {.kept = all.kept - clips * (inBlocks - kFloat * count.blockInputs),
                .transient = all.transient + clips * again};
    }
    const auto b = blockOf(config, data, gpu);
    const auto& recompute = config.model.recompute;
    const bool recomputesBlocks = config::recomputesBlocks(recompute);
    const bool waits = recompute == "offload" && gpu;
    const bool staged = config.layout.pp > 1;
    const auto held = static_cast<double>(passesInFlight(config));
    const auto depth = static_cast<double>(config.model.depth / (config.layout.pp * config.layout.pp_chunks));
    const double tokens = clips * static_cast<double>(clip.tokens);
    const double subLayers = b.hasText ? 2 : 1;
    const double attention =
        ofRank(b, selfAttentionBytes(b) + crossAttentionBytes(b) + steeringBytes(b, subLayers), subLayers);
    const double mlp = ofRank(b, mlpBytes(b) + steeringBytes(b, 1), 1);
    const double input = kFloat * b.width / b.slices;

    // on CPUs what is computed again is freed between tensors that are kept, and leaves holes in the C
    // library's heap
    const double mlpHoles = gpu ? 0 : b.product * b.hidden / b.slices;
    const double attentionHoles =
        gpu ? 0 : b.product * 4 * b.width / b.slices;  // q, k, v and what the heads give
    double block = attention + mlp, again = 0;
    if (recompute == "selective") {
        block = attention + input;
        again = mlp + mlpHoles;
    } else if (recomputesBlocks) {
        block = input;
        again = attention + mlp + attentionHoles + mlpHoles;
    }
    const double text = clips * textBytes(b, config, data) * (recomputesBlocks ? 1 : depth);
    // the patches, the first block's input, what the last layer norms, and the error that the loss squares
    const double places = clips * static_cast<double>(clip.places() * data.channels);
    const auto given = config::conditioningChannels(config.model, data.channels);
    const double patches =
        kFloat * places *
        (given > 0 ? 2 + static_cast<double>(given) / static_cast<double>(data.channels) : 1);
    const double output = tokens * modulatedBytes(b) / b.slices + 3 * kFloat * places;
    const bool encodesPoses = config::readsReferencePose(config.model.family);
    const double poses =
        encodesPoses ? clips * b.product * countPoseEncoders(PoseEncoderSizes::of(config, data), clip).kept
                     : 0;
    const bool keepsPoses = recompute == "none";  // else computed again when the blocks keep nothing any more
    const double ends = patches + (keepsPoses ? poses : 0) + tokens * input + (staged ? 0 : output);
    const double blocks = tokens * block * depth;
    constexpr double kGatheredGradients = 2;  // the gradient of gathered rows, and these rank by rank
    const double transient = tokens * (again + ofRank(b, gradientBytes(b), kGatheredGradients));
    const double onDevice = waits ? tokens * block : blocks;
    return {.kept = held * (onDevice + text + ends),
            .transient = std::max(transient, keepsPoses ? 0 : poses - onDevice),
            .waiting = waits ? held * depth * pinnedBytes(tokens * block) : 0};
}

double samplingBytes(const config::TrainConfig& config, const DataShape& data, const ClipShape& clip,
                     double clips) {
    if (config::isUnet(config.model)) {
        // the widest moment, what the way up still reads of the way down, and the reference's tokens
        const auto count = unetCount(config, data, clip);
        return clips * kFloat * (8 * count.widest + (count.kept + count.normed) / 16);
    }
    const auto b = blockOf(config, data, false);
    const double tokens = clips * static_cast<double>(clip.tokens);
    // in the MLP: before, inside and behind its non-linearity; the sum, its norm and the change
    const double block = 3 * b.product * b.hidden + 4 * kFloat * b.width;
    return tokens * block + 6 * kFloat * clips * static_cast<double>(clip.places() * data.channels);
}

double castWeightBytes(const config::TrainConfig& config, const std::vector<WeightSize>& weights) {
    if (config.runtime.precision != "bf16" || config.optimizer.master_weights) return 0;
    const auto& recompute = config.model.recompute;  // what is computed again casts again
    double bytes = 0;
    for (const auto& weight : weights) {
        const bool cast = (weight.use == WeightUse::attention && !config::recomputesBlocks(recompute)) ||
                          (weight.use == WeightUse::mlp && recompute == "none");
        if (cast) bytes += kHalf * static_cast<double>(weight.elements * weight.count);
    }
    return bytes;
}

}  // namespace dailies::planner
