#include "core/planner/weight_sizes.h"

#include "core/config/bucket.h"
#include "core/config/conditioning.h"
#include "core/config/family_traits.h"
#include "core/config/freeze.h"
#include "core/config/latent_size.h"
#include "core/planner/pose_encoders.h"
#include "core/planner/unet_count.h"

namespace dailies::planner {

namespace {

constexpr std::int64_t kUsualLatentChannels = 16;
constexpr std::int64_t kUsualTextWidth = 4096, kUsualTextTokens = 512;
constexpr std::int64_t kUsualWords = 8192;
/// Of what CLIP sees: the projections of ViT-L/14 and ViT-H/14, and the tokens of ViT-H/14.
constexpr std::int64_t kLargeProjection = 768, kHugeProjection = 1024, kHugeWidth = 1280;
constexpr std::int64_t kShapesWords = 12;       // colours, shapes, directions and the empty caption
constexpr std::int64_t kFiguresWords = 14;      // colours, garments, motions and the empty caption
constexpr std::int64_t kWanTimeChannels = 256;  // as in trainer/models/wan
constexpr std::int64_t kByteTokens = 257, kTextMlpRatio = 4;  // as in trainer/text

/// What layout.tp divides of a layer, as in the families' tables of trainer/models.
enum class Sliced { nothing, outputs, inputs };

/// Adds the weights of the layers that families share, under the layers' own names for them.
class Sizes {
public:
    /// Of something that there is `count` times; `inBlocks`: in each of so many blocks of the model.
    explicit Sizes(std::int64_t count = 1, bool inBlocks = false) : m_count(count), m_inBlocks(inBlocks) {}

    void add(std::int64_t elements, WeightUse use = WeightUse::exact, bool sliced = false) {
        m_sizes.push_back({elements, use, m_count, m_inBlocks, sliced, m_ofOutput});
    }
    void linear(std::int64_t outputs, std::int64_t inputs, bool bias, WeightUse use = WeightUse::exact,
                Sliced sliced = Sliced::nothing) {
        add(outputs * inputs, use, sliced != Sliced::nothing);
        if (bias) add(outputs, WeightUse::exact, sliced == Sliced::outputs);
    }
    /// Whose outputs ranks divide and gather: modulation.
    void steering(std::int64_t outputs, std::int64_t inputs, bool bias) {
        linear(outputs, inputs, bias, WeightUse::exact, Sliced::outputs);
    }
    /// All from here on is of the layers behind the blocks.
    void beginOutput() { m_ofOutput = true; }
    void append(const Sizes& others) {
        m_sizes.insert(m_sizes.end(), others.m_sizes.begin(), others.m_sizes.end());
    }
    std::vector<WeightSize> take() { return std::move(m_sizes); }

private:
    std::int64_t m_count;
    bool m_inBlocks;
    bool m_ofOutput = false;
    std::vector<WeightSize> m_sizes;
};

struct AttentionSizes {
    std::int64_t width, keyWidth, normWidth;  ///< `normWidth`: gains of the queries' norm
    std::int64_t keyNormWidth;
    bool bias;
    bool sliced = true;         ///< the text encoder's are not
    bool normsByHeads = false;  ///< gains for all heads, hence sliced with them
};

void addNorms(Sizes& sizes, const AttentionSizes& a) {
    for (const auto width : {a.normWidth, a.keyNormWidth}) sizes.add(width, WeightUse::exact, a.normsByHeads);
}

void addAttention(Sizes& sizes, std::int64_t outputs, std::int64_t inputs, const AttentionSizes& a,
                  Sliced sliced) {
    sizes.linear(outputs, inputs, a.bias, WeightUse::attention, a.sliced ? sliced : Sliced::nothing);
}

void addSelfAttention(Sizes& sizes, const AttentionSizes& a) {
    addAttention(sizes, a.width + 2 * a.keyWidth, a.width, a, Sliced::outputs);
    addNorms(sizes, a);
    addAttention(sizes, a.width, a.width, a, Sliced::inputs);
}

void addCrossAttention(Sizes& sizes, const AttentionSizes& a, std::int64_t textWidth) {
    addAttention(sizes, a.width, a.width, a, Sliced::outputs);
    addAttention(sizes, 2 * a.keyWidth, textWidth, a, Sliced::outputs);
    addNorms(sizes, a);
    addAttention(sizes, a.width, a.width, a, Sliced::inputs);
}

/// Keys and values of the image beside those of the caption.
void addImageAttention(Sizes& sizes, const AttentionSizes& a) {
    addAttention(sizes, 2 * a.keyWidth, a.width, a, Sliced::outputs);
    sizes.add(a.keyNormWidth, WeightUse::exact, a.normsByHeads);
}

void addMlp(Sizes& sizes, std::int64_t width, std::int64_t hidden, bool bias, bool sliced = true) {
    sizes.linear(hidden, width, bias, WeightUse::mlp, sliced ? Sliced::outputs : Sliced::nothing);
    sizes.linear(width, hidden, bias, WeightUse::mlp, sliced ? Sliced::inputs : Sliced::nothing);
}

std::int64_t hiddenOf(const config::TrainConfig::Model& model) {
    return model.mlp_width > 0 ? model.mlp_width : model.width * model.mlp_ratio;
}

std::int64_t patchPlaces(const config::TrainConfig::Model& model) {
    return model.patch_frames * model.patch_size * model.patch_size;
}

std::int64_t patchInputs(const config::TrainConfig::Model& model, const DataShape& data) {
    return patchPlaces(model) * (data.channels + config::conditioningChannels(model, data.channels));
}

bool readsBytes(const config::TrainConfig& config, const DataShape& data) {
    return data.textWidth > 0 && config.data.text_embeddings.empty() && config.text.encoder == "bytes";
}

Sizes ditSizes(const config::TrainConfig& config, const DataShape& data) {
    const auto& model = config.model;
    const auto width = model.width, timeChannels = width / 2 * 2, rank = model.adaln_rank;
    const bool bias = model.bias, lora = model.adaln == "lora", hasText = data.textWidth > 0;
    const std::int64_t subLayers = hasText ? 3 : 2, rows = 3 * subLayers;
    Sizes sizes;
    sizes.linear(width, patchInputs(model, data), bias);
    if (model.positions == "learned") {
        // the table fits clips of data.frames, height and width, whatever the buckets
        auto plain = config;
        plain.data.buckets.clear();
        sizes.add(clipShapes(plain).front().tokens * width);
    }
    sizes.linear(width, timeChannels, bias);
    if (lora) {
        sizes.linear(3 * width, width, bias);
        sizes.add(timeChannels);
    } else {
        sizes.linear(width, width, bias);
    }
    if (!hasText) sizes.add(data.captionTokens * width);
    if (readsBytes(config, data)) sizes.linear(width, data.textWidth, bias);
    if (model.adaln == "single") sizes.steering(rows * width, width, bias);

    Sizes block(model.depth, /*inBlocks=*/true);
    if (model.adaln == "single") block.add(rows * width);
    if (model.adaln == "full") block.steering(rows * width, width, bias);
    for (std::int64_t i = 0; lora && i < subLayers; ++i) {
        block.linear(rank, width, false);
        block.steering(3 * width, rank, false);
    }
    const auto headWidth = width / model.heads;
    const AttentionSizes attention{width, (model.kv_heads > 0 ? model.kv_heads : model.heads) * headWidth,
                                   headWidth, headWidth, false};
    addSelfAttention(block, attention);
    if (hasText) addCrossAttention(block, attention, data.textWidth);
    addMlp(block, width, hiddenOf(model), bias);
    sizes.append(block);

    sizes.beginOutput();
    if (lora) {
        sizes.linear(rank, width, false);
        sizes.steering(2 * width, rank, false);
    } else {
        sizes.steering(2 * width, width, bias);
    }
    sizes.linear(patchPlaces(model) * data.channels, width, bias);
    return sizes;
}

/// Of UniAnimate-DiT, beside its Wan.
void addPoseEncoders(Sizes& sizes, const config::TrainConfig& config, const DataShape& data) {
    for (const auto elements : countPoseEncoders(PoseEncoderSizes::of(config, data), {}).weights)
        sizes.add(elements);
}

/// Of Wan and LTX-Video.
Sizes wanSizes(const config::TrainConfig& config, const DataShape& data) {
    const auto& model = config.model;
    const auto width = model.width;
    constexpr std::int64_t kRows = 6;
    Sizes sizes;
    sizes.linear(width, patchInputs(model, data), true);
    if (config::readsReferencePose(model.family)) addPoseEncoders(sizes, config, data);
    sizes.linear(width, kWanTimeChannels, true);
    sizes.linear(width, width, true);
    sizes.steering(kRows * width, width, true);
    if (data.textWidth > 0) {
        sizes.linear(width, data.textWidth, true);
        sizes.linear(width, width, true);
    } else {
        sizes.add(data.captionTokens * width);
    }
    if (const auto seen = data.imageWidth; seen > 0) {
        for (const auto each : {seen, seen}) sizes.add(each);
        if (config::readsLastImages(model.conditioning)) sizes.add(config::imageTokens(model) * seen);
        sizes.linear(seen, seen, true);
        sizes.linear(width, seen, true);
        for (const auto each : {width, width}) sizes.add(each);
    }
    Sizes block(model.depth, /*inBlocks=*/true);
    block.add(kRows * width);
    const AttentionSizes attention{width, width, width, width, true, true, /*normsByHeads=*/true};
    addSelfAttention(block, attention);
    for (int i = 0; config::isWan(model) && i < 2; ++i) block.add(width);  // norm of cross-attention
    addCrossAttention(block, attention, width);
    if (data.imageWidth > 0) addImageAttention(block, attention);
    addMlp(block, width, hiddenOf(model), true);
    sizes.append(block);
    sizes.beginOutput();
    sizes.add(2 * width);
    sizes.linear(patchPlaces(model) * data.channels, width, true);
    return sizes;
}

/// The text encoder that is trained along.
Sizes byteReaderSizes(const config::TrainConfig::Text& text) {
    Sizes sizes;
    sizes.add(kByteTokens * text.width);
    sizes.add(text.tokens * text.width);
    Sizes block(text.depth);
    block.add(text.width);
    const auto head = text.width / text.heads;
    addSelfAttention(block, {text.width, text.width, head, head, true, /*sliced=*/false});
    block.add(text.width);
    addMlp(block, text.width, kTextMlpRatio * text.width, true, /*sliced=*/false);
    sizes.append(block);
    sizes.add(text.width);
    return sizes;
}

/// The factors of an adapter, A [rank, inputs] and B [outputs, rank] of each layer, and what is trained
/// beside them (trainer/lora).
Sizes loraSizes(const config::TrainConfig& config, const DataShape& data) {
    const auto& model = config.model;
    const bool projects = config::projectsText(model);
    const auto width = model.width, hidden = hiddenOf(model),
               keyWidth = (model.kv_heads > 0 ? model.kv_heads : model.heads) * (width / model.heads);
    Sizes block(model.depth, /*inBlocks=*/true);
    const auto add = [&](std::int64_t outputs, std::int64_t inputs, Sliced sliced = Sliced::outputs) {
        block.add(config.lora.rank * inputs, WeightUse::exact, sliced == Sliced::inputs);
        block.add(outputs * config.lora.rank, WeightUse::exact, sliced == Sliced::outputs);
    };
    const auto addAttention = [&](std::int64_t keyInputs) {
        add(width, width);
        for (int i = 0; i < 2; ++i) add(keyWidth, keyInputs);
        add(width, width, Sliced::inputs);
    };
    addAttention(width);
    if (projects || data.textWidth > 0) addAttention(projects ? width : data.textWidth);
    for (int i = 0; projects && data.imageWidth > 0 && i < 2; ++i) add(keyWidth, width);
    add(hidden, width);
    add(width, hidden, Sliced::inputs);
    if (!config::readsReferencePose(model.family)) return block;
    Sizes beside;
    addPoseEncoders(beside, config, data);
    block.append(beside);
    return block;
}

std::vector<WeightSize> slicesOf(std::vector<WeightSize> sizes, std::int64_t ranks) {
    for (auto& size : sizes)
        if (size.sliced) size.elements /= ranks;
    return sizes;
}

}  // namespace

DataShape DataShape::expected(const config::TrainConfig& config) {
    DataShape shape;
    if (config.tokenizer.kind != "none")
        shape.channels = config.tokenizer.channels;
    else if (!config.data.latents.empty())
        shape.channels = kUsualLatentChannels;
    if (!config.data.text_embeddings.empty()) {
        shape.textWidth = kUsualTextWidth;
        shape.textTokens = kUsualTextTokens;
    } else if (config.text.encoder != "words") {
        shape.textWidth = config.text.width;
        shape.textTokens = config.text.tokens;
    } else {
        shape.captionTokens = config.data.source == "shapes"    ? kShapesWords
                              : config.data.source == "figures" ? kFiguresWords
                                                                : kUsualWords;
    }
    if (!config.model.image_encoder.empty())
        shape.imageWidth = config.model.family == "animate"    ? kLargeProjection
                           : config::isVideoUnet(config.model) ? kHugeProjection
                                                               : kHugeWidth;
    return shape;
}

std::int64_t textTokensRead(const config::TrainConfig& config, const DataShape& data) {
    if (data.textWidth == 0) return data.captionTokens;
    const auto places = config::textPlaces(config.model);
    return places > 0 ? places : data.textTokens;
}

std::vector<ClipShape> clipShapes(const config::TrainConfig& config) {
    std::vector<ClipShape> shapes;
    for (const auto& bucket : config::bucketsOf(config.data)) {
        const auto size = config::modelInputSize(config, bucket);
        shapes.push_back({size.frames, size.height, size.width,
                          size.frames / config.model.patch_frames * (size.height / config.model.patch_size) *
                              (size.width / config.model.patch_size)});
    }
    return shapes;
}

std::vector<WeightSize> weightSizes(const config::TrainConfig& config, const DataShape& data) {
    if (config::isUnet(config.model)) {
        Sizes sizes;
        for (const auto& weight : unetCount(config, data, {1, 1, 1, 1}).weights) sizes.add(weight.elements);
        return sizes.take();
    }
    auto sizes = config::projectsText(config.model) ? wanSizes(config, data) : ditSizes(config, data);
    if (readsBytes(config, data)) sizes.append(byteReaderSizes(config.text));
    return sizes.take();
}

std::vector<WeightSize> weightSizesOfStage(const config::TrainConfig& config, const DataShape& data) {
    auto sizes = weightSizes(config, data);
    const auto stages = config.layout.pp;
    if (stages == 1) return sizes;
    std::erase_if(sizes, [](const WeightSize& size) { return size.ofOutput; });
    for (auto& size : sizes)
        if (size.inBlocks) size.count /= stages;
    return sizes;
}

std::vector<WeightSize> weightSizesOfRank(const config::TrainConfig& config, const DataShape& data) {
    return slicesOf(weightSizesOfStage(config, data), config.layout.tp);
}

std::vector<WeightSize> trainedSizes(const config::TrainConfig& config, const DataShape& data) {
    if (config.lora.rank > 0) return loraSizes(config, data).take();
    if (!config::isUnet(config.model)) return weightSizes(config, data);
    Sizes sizes;
    for (const auto& weight : unetCount(config, data, {1, 1, 1, 1}).weights)
        if (!config::isFrozen(config.optimizer.freeze, weight.part)) sizes.add(weight.elements);
    return sizes.take();
}

std::vector<WeightSize> trainedSizesOfRank(const config::TrainConfig& config, const DataShape& data) {
    const bool whole = config.lora.rank == 0 && !config::isUnet(config.model);
    return whole ? weightSizesOfRank(config, data) : slicesOf(trainedSizes(config, data), config.layout.tp);
}

std::int64_t elementCount(const std::vector<WeightSize>& weights) {
    std::int64_t count = 0;
    for (const auto& weight : weights) count += weight.elements * weight.count;
    return count;
}

}  // namespace dailies::planner
