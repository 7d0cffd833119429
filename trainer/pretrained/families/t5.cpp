#include "trainer/pretrained/families/t5.h"

// Names are those of transformers' UMT5EncoderModel and T5EncoderModel and of Wan's wan/modules/t5.py.

namespace dailies::trainer::pretrained {

namespace {

const std::string kT5Blocks = "encoder.block.";
const std::string kAttention = "layer.0.SelfAttention.", kMlp = "layer.1.DenseReluDense.";

}  // namespace

NamedShapes t5Tensors(const T5Sizes& sizes) {
    NamedShapes all = {{"shared.weight", {sizes.vocabulary, sizes.width}},
                       {"encoder.embed_tokens.weight", {sizes.vocabulary, sizes.width}}};
    for (std::int64_t i = 0; i < sizes.layers; ++i) {
        const auto block = kT5Blocks + std::to_string(i) + ".";
        for (const auto* part : {"q", "k", "v"})
            all.push_back({block + kAttention + part + ".weight", {sizes.inner, sizes.width}});
        all.push_back({block + kAttention + "o.weight", {sizes.width, sizes.inner}});
        if (i == 0 || sizes.biasInEveryLayer)
            all.push_back(
                {block + kAttention + "relative_attention_bias.weight", {sizes.buckets, sizes.heads}});
        all.push_back({block + "layer.0.layer_norm.weight", {sizes.width}});
        all.push_back({block + kMlp + "wi_0.weight", {sizes.mlpWidth, sizes.width}});
        all.push_back({block + kMlp + "wi_1.weight", {sizes.mlpWidth, sizes.width}});
        all.push_back({block + kMlp + "wo.weight", {sizes.width, sizes.mlpWidth}});
        all.push_back({block + "layer.1.layer_norm.weight", {sizes.width}});
    }
    all.push_back({"encoder.final_layer_norm.weight", {sizes.width}});
    return all;
}

std::string t5TransformersName(const std::string& name) {
    if (const auto block = splitBlock(name, "blocks."))
        return kT5Blocks + std::to_string(block->number) + "." +
               replacePrefix(block->rest,
                             {{"norm1.", "layer.0.layer_norm."},
                              {"attn.", "layer.0.SelfAttention."},
                              {"pos_embedding.embedding.", "layer.0.SelfAttention.relative_attention_bias."},
                              {"norm2.", "layer.1.layer_norm."},
                              {"ffn.gate.0.", "layer.1.DenseReluDense.wi_0."},
                              {"ffn.fc1.", "layer.1.DenseReluDense.wi_1."},
                              {"ffn.fc2.", "layer.1.DenseReluDense.wo."}});
    return replacePrefix(name, {{"token_embedding.", "shared."}, {"norm.", "encoder.final_layer_norm."}});
}

std::optional<Family> recogniseT5(const TensorTable& tensors, const Hints& hints) {
    const auto attention = tensors.blockWith(kT5Blocks, kAttention + "q.weight");
    const auto mlp = tensors.blockWith(kT5Blocks, kMlp + "wi_0.weight");
    if (attention.empty() || mlp.empty()) return std::nullopt;
    T5Sizes sizes;
    sizes.inner = tensors.axis({attention + kAttention + "q.weight"}, 0).value_or(0);
    sizes.width = tensors.axis({attention + kAttention + "q.weight"}, 1).value_or(0);
    sizes.mlpWidth = tensors.axis({mlp + kMlp + "wi_0.weight"}, 0).value_or(0);
    if (!inReason(sizes.inner) || !inReason(sizes.width) || !inReason(sizes.mlpWidth)) return std::nullopt;
    sizes.layers = layersOf(tensors, kT5Blocks, hints);
    const std::string words = "shared.weight", tied = "encoder.embed_tokens.weight";
    sizes.vocabulary = tensors.axis({words, tied}, 0).value_or(sizes.vocabulary);
    std::int64_t tables = 0;
    for (std::int64_t i = 0; i < sizes.layers; ++i) {
        const auto table =
            kT5Blocks + std::to_string(i) + "." + kAttention + "relative_attention_bias.weight";
        if (!tensors.has(table)) continue;
        sizes.buckets = tensors.axis({table}, 0).value_or(sizes.buckets);
        sizes.heads = tensors.axis({table}, 1).value_or(sizes.heads);
        tables += i > 0 ? 1 : 0;
    }
    sizes.biasInEveryLayer = tables > 0;
    auto expected = t5Tensors(sizes);
    // the two names of the table of words are one tensor: either is enough
    if (tensors.has(words) != tensors.has(tied))
        std::erase_if(expected, [&](const NamedShape& each) {
            return each.name == (tensors.has(words) ? tied : words);
        });
    const bool xxl = sizes.width == 4096 && sizes.layers == 24;
    const std::string name = sizes.biasInEveryLayer ? "umt5" : "t5";
    return Family{name,
                  !xxl                     ? ""
                  : sizes.biasInEveryLayer ? "UMT5-xxl encoder"
                                           : "T5-v1.1-xxl encoder",
                  {{"dim", sizes.width},
                   {"ffn_dim", sizes.mlpWidth},
                   {"layers", sizes.layers},
                   {"heads", sizes.heads},
                   {"vocabulary", sizes.vocabulary},
                   {"buckets", sizes.buckets}},
                  std::move(expected)};
}

}  // namespace dailies::trainer::pretrained
