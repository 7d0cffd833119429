#include "trainer/models/clip/clip_sizes.h"

#include "trainer/models/layers/picture_shapes.h"

namespace dailies::trainer::clip {

namespace {

void tower(NamedShapes& all, const std::string& name, const TowerSizes& sizes) {
    for (std::int64_t i = 0; i < sizes.layers; ++i) {
        const auto layer = numbered(name, i);
        addNorm(all, layer + ".layer_norm1", sizes.width);
        for (const auto* part : {".q_proj", ".k_proj", ".v_proj", ".out_proj"})
            addLinear(all, layer + ".self_attn" + part, sizes.width, sizes.width);
        addNorm(all, layer + ".layer_norm2", sizes.width);
        addLinear(all, layer + ".mlp.fc1", sizes.hidden, sizes.width);
        addLinear(all, layer + ".mlp.fc2", sizes.width, sizes.hidden);
    }
}

void projection(NamedShapes& all, const std::string& name, const TowerSizes& sizes) {
    if (sizes.projection > 0) all.push_back({name + ".weight", {sizes.projection, sizes.width}});
}

}  // namespace

NamedShapes visionTensors(const VisionSizes& sizes) {
    constexpr std::int64_t kColours = 3;
    const std::string model = "vision_model.", embeddings = model + "embeddings.";
    const auto width = sizes.tower.width;
    NamedShapes all = {{embeddings + "class_embedding", {width}},
                       {embeddings + "patch_embedding.weight", {width, kColours, sizes.patch, sizes.patch}},
                       {embeddings + "position_embedding.weight", {sizes.tokens(), width}}};
    addNorm(all, model + "pre_layrnorm", width);  // spelled so
    tower(all, model + "encoder.layers", sizes.tower);
    addNorm(all, model + "post_layernorm", width);
    projection(all, "visual_projection", sizes.tower);
    return all;
}

NamedShapes textTensors(const TextSizes& sizes) {
    const std::string model = "text_model.", embeddings = model + "embeddings.";
    const auto width = sizes.tower.width;
    NamedShapes all = {{embeddings + "token_embedding.weight", {sizes.vocabulary, width}},
                       {embeddings + "position_embedding.weight", {sizes.places, width}}};
    tower(all, model + "encoder.layers", sizes.tower);
    addNorm(all, model + "final_layer_norm", width);
    projection(all, "text_projection", sizes.tower);
    return all;
}

}  // namespace dailies::trainer::clip
