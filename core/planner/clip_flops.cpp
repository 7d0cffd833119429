#include "core/planner/clip_flops.h"

#include "core/config/conditioning.h"
#include "core/config/family_traits.h"
#include "core/planner/pose_encoders.h"
#include "core/planner/unet_count.h"

namespace dailies::planner {

namespace {

constexpr double kWanTimeWidth = 256, kWanRows = 6;  // trainer/models/layers/noise_modulation.h

double product(double rows, double inputs, double outputs) {
    return 2 * rows * inputs * outputs;
}

double keyWidthOf(const config::TrainConfig::Model& model) {
    const auto heads = model.kv_heads > 0 ? model.kv_heads : model.heads;
    return static_cast<double>(model.width / model.heads * heads);
}

double imageTokensRead(const config::TrainConfig& config, const DataShape& data) {
    const bool reads = config::projectsText(config.model) && data.imageWidth > 0;
    return reads ? static_cast<double>(config::imageTokens(config.model)) : 0;
}

double hiddenWidth(const config::TrainConfig::Model& model) {
    return static_cast<double>(model.mlp_width > 0 ? model.mlp_width : model.width * model.mlp_ratio);
}

/// Tokens that a token of this block attends with.
std::int64_t spanOf(const config::TrainConfig::Model& model, const ClipShape& clip, std::int64_t block) {
    if (model.family != "st-dit") return clip.tokens;
    const auto every = model.full_attention_every;
    if (every > 0 && (block + 1) % every == 0) return clip.tokens;
    const auto frames = clip.frames / model.patch_frames;
    const auto local = block - (every > 0 ? block / every : 0);
    return local % 2 == 0 ? clip.tokens / frames : frames;
}

struct Ends {
    double operations = 0, atInputs = 0;
};

/// Of the noise level and the modulation that is made of it (trainer/models/layers/adaln.cpp).
Ends modulationOf(const config::TrainConfig::Model& model, bool hasText) {
    const auto width = static_cast<double>(model.width), rank = static_cast<double>(model.adaln_rank),
               depth = static_cast<double>(model.depth);
    const auto sinusoids = static_cast<double>(model.width / 2 * 2);
    const double subLayers = hasText ? 3 : 2;
    const bool lora = model.adaln == "lora";
    double operations = product(1, width, sinusoids + (lora ? 3 : 1) * width) +
                        (lora ? product(1, rank, 3 * width) : product(1, width, 2 * width));
    if (model.adaln == "single") operations += product(1, width, 3 * subLayers * width);
    if (model.adaln == "full") operations += depth * product(1, width, 3 * subLayers * width);
    if (lora) operations += depth * subLayers * product(1, rank, 4 * width);
    return {operations, product(1, sinusoids, width)};
}

Ends ditEnds(const config::TrainConfig& config, const DataShape& data) {
    const auto width = static_cast<double>(config.model.width);
    auto ends = modulationOf(config.model, data.textWidth > 0);
    if (data.textWidth == 0) {
        const double caption = product(1, static_cast<double>(data.captionTokens), width);
        ends.operations += caption;
        ends.atInputs += caption;
    } else if (config.data.text_embeddings.empty() && config.text.encoder == "bytes") {
        ends.operations += product(1, static_cast<double>(data.textWidth), width);
    }
    return ends;
}

Ends wanEnds(const config::TrainConfig& config, const DataShape& data) {
    const auto width = static_cast<double>(config.model.width);
    const double noise = product(1, kWanTimeWidth, width);
    Ends ends{noise + product(1, width, width) + product(1, width, kWanRows * width), noise};
    if (data.textWidth > 0) {
        const auto words = static_cast<double>(textTokensRead(config, data));
        const double embedded = product(words, static_cast<double>(data.textWidth), width);
        ends.operations += embedded + product(words, width, width);
        ends.atInputs += embedded;
    }
    const auto seen = static_cast<double>(data.imageWidth);
    ends.operations += product(imageTokensRead(config, data), seen, seen + width);
    return ends;
}

}  // namespace

double meanSpan(const config::TrainConfig& config, const ClipShape& clip) {
    double tokens = 0;
    for (std::int64_t block = 0; block < config.model.depth; ++block)
        tokens += static_cast<double>(spanOf(config.model, clip, block));
    return tokens / static_cast<double>(config.model.depth);
}

ClipFlops clipFlops(const config::TrainConfig& config, const DataShape& data, const ClipShape& clip) {
    const auto& model = config.model;
    if (config::isUnet(model)) {
        const auto count = unetCount(config, data, clip);
        ClipFlops counted;
        counted.mlp = count.layers;
        counted.sdpa = count.attention;
        counted.rest = count.ends;
        counted.atInputs = count.atInputs;
        return counted;
    }
    const bool projects = config::projectsText(model), crosses = projects || data.textWidth > 0;
    const auto width = static_cast<double>(model.width), depth = static_cast<double>(model.depth),
               tokens = static_cast<double>(clip.tokens), keyWidth = keyWidthOf(model);
    ClipFlops counted;
    counted.attentionProjections = depth * product(tokens, width, 2 * width + 2 * keyWidth);
    counted.mlp = depth * product(tokens, width, 2 * hiddenWidth(model));
    counted.sdpa = depth * 2 * product(tokens, width, meanSpan(config, clip));
    if (crosses) {
        const auto words = static_cast<double>(textTokensRead(config, data));
        const double textWidth = projects ? width : static_cast<double>(data.textWidth);
        counted.attentionProjections += depth * product(tokens, width, 2 * width);
        counted.textProjections = depth * product(words, textWidth, 2 * keyWidth);
        counted.textSdpa = depth * 2 * product(tokens, width, words);
        const auto seen = imageTokensRead(config, data);
        counted.textProjections += depth * product(seen, width, 2 * keyWidth);
        counted.textSdpa += depth * 2 * product(tokens, width, seen);
    }
    const double places = static_cast<double>(clip.places() * data.channels);
    const auto channels = data.channels + config::conditioningChannels(model, data.channels);
    const double patchesIn = product(1, static_cast<double>(clip.places() * channels), width);
    const auto ends = projects ? wanEnds(config, data) : ditEnds(config, data);
    counted.rest = patchesIn + ends.operations + product(1, places, width);
    counted.atInputs = patchesIn + ends.atInputs + (projects ? 0 : counted.textProjections);
    if (config::readsReferencePose(model.family)) {
        const auto poses = countPoseEncoders(PoseEncoderSizes::of(config, data), clip);
        counted.rest += poses.operations;
        counted.atInputs += poses.atInputs - patchesIn;  // patches have what is made of poses in them
    }
    if (config.lora.rank == 0) return counted;
    // the base's matrices get no gradients, and before the blocks there are none (LoraModel::flops)
    counted.atInputs = counted.attentionProjections + counted.mlp + counted.textProjections +
                       counted.textSdpa + 2 * counted.rest;
    const auto rank = static_cast<double>(config.lora.rank);
    const auto words = static_cast<double>(textTokensRead(config, data));
    const double textWidth = projects ? width : static_cast<double>(data.textWidth);
    counted.attentionProjections += depth * product(tokens, rank, 6 * width + 2 * keyWidth);
    counted.mlp += depth * product(tokens, rank, 2 * (width + hiddenWidth(model)));
    if (crosses) {
        counted.attentionProjections += depth * product(tokens, rank, 4 * width);
        counted.textProjections += depth * product(words, rank, 2 * (textWidth + keyWidth));
        counted.textProjections +=
            depth * product(imageTokensRead(config, data), rank, 2 * (width + keyWidth));
    }
    return counted;
}

}  // namespace dailies::planner
