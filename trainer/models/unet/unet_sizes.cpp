#include "trainer/models/unet/unet_sizes.h"

#include "trainer/models/layers/picture_shapes.h"

namespace dailies::trainer::unet {

namespace {

void attention(NamedShapes& all, const std::string& name, std::int64_t width, std::int64_t context) {
    all.push_back({name + ".to_q.weight", {width, width}});
    all.push_back({name + ".to_k.weight", {width, context}});
    all.push_back({name + ".to_v.weight", {width, context}});
    addLinear(all, name + ".to_out.0", width, width);
}

void motionModule(NamedShapes& all, const std::string& name, std::int64_t width) {
    addNorm(all, name + ".norm", width);
    addLinear(all, name + ".proj_in", width, width);
    addTransformerBlock(all, name + ".transformer_blocks.0", width, width);
    addLinear(all, name + ".proj_out", width, width);
}

}  // namespace

void addGatedLayer(NamedShapes& all, const std::string& name, std::int64_t width) {
    addLinear(all, name + ".net.0.proj", 8 * width, width);
    addLinear(all, name + ".net.2", width, 4 * width);
}

void addTransformerBlock(NamedShapes& all, const std::string& name, std::int64_t width,
                         std::int64_t context) {
    addNorm(all, name + ".norm1", width);
    attention(all, name + ".attn1", width, width);
    if (context > 0) {
        addNorm(all, name + ".norm2", width);
        attention(all, name + ".attn2", width, context);
    }
    addNorm(all, name + ".norm3", width);
    addGatedLayer(all, name + ".ff", width);
}

void addPictureTransformer(NamedShapes& all, const std::string& name, std::int64_t width,
                           std::int64_t context) {
    addNorm(all, name + ".norm", width);
    addConvolution(all, name + ".proj_in", width, width, 1);
    addTransformerBlock(all, name + ".transformer_blocks.0", width, context);
    addConvolution(all, name + ".proj_out", width, width, 1);
}

NamedShapes unetTensors(const UnetSizes& sizes) {
    NamedShapes all;
    const auto width = sizes.levels.channels.front();
    addLinear(all, "time_embedding.linear_1", sizes.timeWidth(), width);
    addLinear(all, "time_embedding.linear_2", sizes.timeWidth(), sizes.timeWidth());
    addConvolution(all, "conv_in", width, sizes.inputs, 3);
    const bool moves = sizes.motion.places > 0;
    addLevels(
        all, sizes.levels,
        [&](const LevelBlock& block) {
            addResidualBlock(all, block.part("resnets"), block.in, block.out, sizes.timeWidth());
            if (block.attends) addPictureTransformer(all, block.part("attentions"), block.out, sizes.context);
            if (moves) motionModule(all, block.part("motion_modules"), block.out);
        },
        [&](std::int64_t middle) {
            addResidualBlock(all, "mid_block.resnets.0", middle, middle, sizes.timeWidth());
            addPictureTransformer(all, "mid_block.attentions.0", middle, sizes.context);
            if (moves && sizes.motion.middle) motionModule(all, "mid_block.motion_modules.0", middle);
            addResidualBlock(all, "mid_block.resnets.1", middle, middle, sizes.timeWidth());
        });
    if (sizes.outputs == 0) return all;
    addNorm(all, "conv_norm_out", width);
    addConvolution(all, "conv_out", sizes.outputs, width, 3);
    return all;
}

NamedShapes motionTensors(const UnetSizes& sizes) {
    auto all = unetTensors(sizes);
    std::erase_if(
        all, [](const NamedShape& each) { return each.name.find(".motion_modules.") == std::string::npos; });
    return all;
}

NamedShapes guiderTensors(const GuiderSizes& sizes) {
    constexpr std::int64_t kSide = 3;
    const auto& widths = sizes.widths;
    NamedShapes all;
    addConvolution(all, "conv_in", widths.front(), sizes.colours, kSide);
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        const auto block = static_cast<std::int64_t>(2 * i);
        addConvolution(all, numbered("blocks", block), widths[i], widths[i], kSide);
        addConvolution(all, numbered("blocks", block + 1), widths[i + 1], widths[i], kSide);
    }
    if (sizes.attends) addPictureTransformer(all, "attention", widths.back(), /*context=*/0);
    addConvolution(all, "conv_out", sizes.outputs, widths.back(), kSide);
    return all;
}

}  // namespace dailies::trainer::unet
