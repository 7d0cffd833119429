#include "trainer/pretrained/families/wan.h"

#include <algorithm>

// Names and sizes are those of Wan-Video/Wan2.1 and Wan2.2 (wan/modules/model.py, wan/configs) and of
// diffusers' conversion script (scripts/convert_wan_to_diffusers.py).

namespace dailies::trainer::pretrained {

namespace {

constexpr std::int64_t kModulationRows = 6;    // of a block's modulation
constexpr std::int64_t kPublishedHead = 128;   // channels of a head in every published model
constexpr std::int64_t kImageInChannels = 36;  // noisy latent 16, mask 4, latent of the given frames 16

void blockTensors(NamedShapes& all, const std::string& block, const WanSizes& sizes) {
    const auto width = sizes.width;
    all.push_back({block + "scale_shift_table", {1, kModulationRows, width}});
    for (const auto* attention : {"attn1.", "attn2."}) {
        const auto name = block + attention;
        for (const auto* part : {"to_q", "to_k", "to_v", "to_out.0"})
            addLinear(all, name + part, width, width);
        all.push_back({name + "norm_q.weight", {width}});
        all.push_back({name + "norm_k.weight", {width}});
    }
    if (sizes.imageWidth > 0) {
        addLinear(all, block + "attn2.add_k_proj", width, width);
        addLinear(all, block + "attn2.add_v_proj", width, width);
        all.push_back({block + "attn2.norm_added_k.weight", {width}});
    }
    all.push_back({block + "norm2.weight", {width}});
    all.push_back({block + "norm2.bias", {width}});
    addLinear(all, block + "ffn.net.0.proj", sizes.mlpWidth, width);
    addLinear(all, block + "ffn.net.2", width, sizes.mlpWidth);
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

struct PublishedWan {
    std::int64_t width, layers, in;
    bool image, places;
    const char* name;
};

constexpr PublishedWan kPublished[] = {
    {1536, 30, 16, false, false, "Wan 2.1 t2v 1.3B"}, {5120, 40, 16, false, false, "Wan 2.1 t2v 14B"},
    {5120, 40, 36, true, false, "Wan 2.1 i2v 14B"},   {5120, 40, 36, true, true, "Wan 2.1 flf2v 14B"},
    {5120, 40, 36, false, false, "Wan 2.2 i2v A14B"}, {3072, 30, 48, false, false, "Wan 2.2 ti2v 5B"},
};

std::string publishedName(const WanSizes& sizes, const std::string& path) {
    for (const auto& [width, layers, in, image, places, name] : kPublished) {
        if (width != sizes.width || layers != sizes.layers || in != sizes.inChannels ||
            image != (sizes.imageWidth > 0) || places != (sizes.imageTokens > 0))
            continue;
        const bool hasExperts = width == 5120 && !image;  // two models, each for its range of noise
        if (!hasExperts) return name;
        const std::string ofTwo = in == kImageInChannels ? name : "Wan 2.2 t2v A14B";
        if (contains(path, "high_noise")) return ofTwo + ", the model of high noise";
        if (contains(path, "low_noise") || contains(path, "transformer_2"))
            return ofTwo + ", the model of low noise";
        if (in == kImageInChannels) return ofTwo + ", one of its two models";
        return std::string(name) + " (or one of the two models of Wan 2.2 t2v A14B: same names and sizes)";
    }
    return "";
}

Json toJson(const WanSizes& sizes, std::optional<std::int64_t> heads) {
    Json json = {{"dim", sizes.width},
                 {"ffn_dim", sizes.mlpWidth},
                 {"layers", sizes.layers},
                 {"in_channels", sizes.inChannels},
                 {"out_channels", sizes.outChannels},
                 {"patch", sizes.patch},
                 {"text_dim", sizes.textWidth},
                 {"freq_dim", sizes.timeChannels}};
    if (heads && sizes.width % *heads == 0) {
        json["heads"] = *heads;
        json["head_dim"] = sizes.width / *heads;
    }
    if (sizes.imageWidth > 0) json["image_dim"] = sizes.imageWidth;
    if (sizes.imageTokens > 0) json["image_tokens"] = sizes.imageTokens;
    return json;
}

}  // namespace

NamedShapes wanTensors(const WanSizes& sizes) {
    NamedShapes all;
    const auto width = sizes.width;
    std::int64_t patch = 1;
    Extents kernel = {width, sizes.inChannels};
    for (const auto extent : sizes.patch) {
        patch *= extent;
        kernel.push_back(extent);
    }
    all.push_back({"scale_shift_table", {1, 2, width}});
    all.push_back({"patch_embedding.weight", kernel});
    all.push_back({"patch_embedding.bias", {width}});
    addLinear(all, "condition_embedder.time_embedder.linear_1", width, sizes.timeChannels);
    addLinear(all, "condition_embedder.time_embedder.linear_2", width, width);
    addLinear(all, "condition_embedder.time_proj", kModulationRows * width, width);
    addLinear(all, "condition_embedder.text_embedder.linear_1", width, sizes.textWidth);
    addLinear(all, "condition_embedder.text_embedder.linear_2", width, width);
    if (sizes.imageWidth > 0) {
        const std::string image = "condition_embedder.image_embedder.";
        if (sizes.imageTokens > 0)
            all.push_back({image + "pos_embed", {1, sizes.imageTokens, sizes.imageWidth}});
        for (const auto* part : {".weight", ".bias"}) {
            all.push_back({image + "norm1" + part, {sizes.imageWidth}});
            all.push_back({image + "norm2" + part, {width}});
        }
        addLinear(all, image + "ff.net.0.proj", sizes.imageWidth, sizes.imageWidth);
        addLinear(all, image + "ff.net.2", width, sizes.imageWidth);
    }
    for (std::int64_t i = 0; i < sizes.layers; ++i)
        blockTensors(all, "blocks." + std::to_string(i) + ".", sizes);
    addLinear(all, "proj_out", patch * sizes.outChannels, width);
    return all;
}

std::string wanDiffusersName(const std::string& name) {
    if (const auto block = splitBlock(name, "blocks."))
        return block->block + replacePrefix(block->rest, {{"self_attn.q.", "attn1.to_q."},
                                                          {"self_attn.k.", "attn1.to_k."},
                                                          {"self_attn.v.", "attn1.to_v."},
                                                          {"self_attn.o.", "attn1.to_out.0."},
                                                          {"self_attn.norm_", "attn1.norm_"},
                                                          {"cross_attn.q.", "attn2.to_q."},
                                                          {"cross_attn.k.", "attn2.to_k."},
                                                          {"cross_attn.v.", "attn2.to_v."},
                                                          {"cross_attn.o.", "attn2.to_out.0."},
                                                          {"cross_attn.k_img.", "attn2.add_k_proj."},
                                                          {"cross_attn.v_img.", "attn2.add_v_proj."},
                                                          {"cross_attn.norm_k_img.", "attn2.norm_added_k."},
                                                          {"cross_attn.norm_", "attn2.norm_"},
                                                          // the norm of cross-attention: 2 there, 3 here
                                                          {"norm3.", "norm2."},
                                                          {"ffn.0.", "ffn.net.0.proj."},
                                                          {"ffn.2.", "ffn.net.2."},
                                                          {"modulation", "scale_shift_table"}});
    return replacePrefix(name, {{"time_embedding.0.", "condition_embedder.time_embedder.linear_1."},
                                {"time_embedding.2.", "condition_embedder.time_embedder.linear_2."},
                                {"time_projection.1.", "condition_embedder.time_proj."},
                                {"text_embedding.0.", "condition_embedder.text_embedder.linear_1."},
                                {"text_embedding.2.", "condition_embedder.text_embedder.linear_2."},
                                {"img_emb.proj.0.", "condition_embedder.image_embedder.norm1."},
                                {"img_emb.proj.1.", "condition_embedder.image_embedder.ff.net.0.proj."},
                                {"img_emb.proj.3.", "condition_embedder.image_embedder.ff.net.2."},
                                {"img_emb.proj.4.", "condition_embedder.image_embedder.norm2."},
                                {"img_emb.emb_pos", "condition_embedder.image_embedder.pos_embed"},
                                {"head.modulation", "scale_shift_table"},
                                {"head.head.", "proj_out."}});
}

std::optional<Family> recogniseWan(const TensorTable& tensors, const Hints& hints) {
    // any shard of a file has some of these
    const auto normed = tensors.blockWith("blocks.", "attn1.norm_q.weight");
    const auto mlp = tensors.blockWith("blocks.", "ffn.net.0.proj.weight");
    const bool isWan = !normed.empty() && tensors.has(normed + "attn1.to_q.weight") && !mlp.empty();
    if (!isWan) return std::nullopt;
    WanSizes sizes;
    sizes.width = tensors.axis({normed + "attn1.norm_q.weight"}, 0).value_or(0);
    sizes.mlpWidth = tensors.axis({mlp + "ffn.net.0.proj.weight"}, 0).value_or(0);
    if (!inReason(sizes.width) || !inReason(sizes.mlpWidth)) return std::nullopt;
    sizes.layers = layersOf(tensors, "blocks.", hints);
    const std::string patch = "patch_embedding.weight", text = "condition_embedder.text_embedder.linear_1";
    if (const auto* kernel = tensors.find(patch); kernel && kernel->size() == 5 &&
                                                  std::ranges::all_of(*kernel, inReason) &&
                                                  (*kernel)[2] * (*kernel)[3] * (*kernel)[4] <= 1024)
        sizes.patch = {(*kernel)[2], (*kernel)[3], (*kernel)[4]};
    const auto in = tensors.axis({patch}, 1);
    sizes.inChannels = in ? *in : configNumber(hints.config, {"in_channels", "in_dim"}).value_or(16);
    const auto volume = sizes.patch[0] * sizes.patch[1] * sizes.patch[2];
    const auto out = tensors.axis({"proj_out.weight"}, 0);
    sizes.outChannels =
        out ? *out / volume : configNumber(hints.config, {"out_channels", "out_dim"}).value_or(16);
    sizes.textWidth = tensors.axis({text + ".weight"}, 1).value_or(4096);
    sizes.timeChannels = tensors.axis({"condition_embedder.time_embedder.linear_1.weight"}, 1).value_or(256);
    const std::string image = "condition_embedder.image_embedder.";
    if (!tensors.blockWith("blocks.", "attn2.add_k_proj.weight").empty() ||
        tensors.has(image + "norm1.weight"))
        sizes.imageWidth = tensors.axis({image + "norm1.weight"}, 0).value_or(1280);
    sizes.imageTokens = tensors.axis({image + "pos_embed"}, 1).value_or(0);
    auto heads = configNumber(hints.config, {"num_attention_heads", "num_heads"});
    if (!heads && sizes.width % kPublishedHead == 0) heads = sizes.width / kPublishedHead;
    return Family{"wan", publishedName(sizes, hints.path), toJson(sizes, heads), wanTensors(sizes)};
}

std::optional<WanExpert> wanExpert(const std::string& called) {
    if (!called.starts_with("Wan 2.2") || !contains(called, "A14B")) return std::nullopt;
    WanExpert expert{"", contains(called, "i2v") ? 0.9 : 0.875};  // wan/configs/wan_*_A14B.py
    for (const auto* noise : {"high", "low"})
        if (contains(called, (std::string("model of ") + noise + " noise").c_str())) expert.noise = noise;
    return expert;
}

}  // namespace dailies::trainer::pretrained
