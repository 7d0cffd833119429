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

/// BasicTransformerBlock: attention to its own tokens, then to `context` channels of others (0: to none), a
/// feed-forward layer with gates.
void transformerBlock(NamedShapes& all, const std::string& name, std::int64_t width, std::int64_t context) {
    addNorm(all, name + ".norm1", width);
    attention(all, name + ".attn1", width, width);
    if (context > 0) {
        addNorm(all, name + ".norm2", width);
        attention(all, name + ".attn2", width, context);
    }
    addNorm(all, name + ".norm3", width);
    addLinear(all, name + ".ff.net.0.proj", 8 * width, width);
    addLinear(all, name + ".ff.net.2", width, 4 * width);
}

void motionModule(NamedShapes& all, const std::string& name, std::int64_t width) {
    addNorm(all, name + ".norm", width);
    addLinear(all, name + ".proj_in", width, width);
    transformerBlock(all, name + ".transformer_blocks.0", width, width);
    addLinear(all, name + ".proj_out", width, width);
}

void blockOfLevel(NamedShapes& all, const UnetSizes& sizes, const std::string& level, std::int64_t i,
                  std::int64_t in, std::int64_t out, bool attends) {
    addResidualBlock(all, numbered(level + ".resnets", i), in, out, sizes.timeWidth());
    if (attends) addPictureTransformer(all, numbered(level + ".attentions", i), out, sizes.context);
    if (sizes.motion.places > 0) motionModule(all, numbered(level + ".motion_modules", i), out);
}

}  // namespace

void addPictureTransformer(NamedShapes& all, const std::string& name, std::int64_t width,
                           std::int64_t context) {
    addNorm(all, name + ".norm", width);
    addConvolution(all, name + ".proj_in", width, width, 1);
    transformerBlock(all, name + ".transformer_blocks.0", width, context);
    addConvolution(all, name + ".proj_out", width, width, 1);
}

NamedShapes unetTensors(const UnetSizes& sizes) {
    NamedShapes all;
    const auto& channels = sizes.channels;
    auto width = channels.front();
    addLinear(all, "time_embedding.linear_1", sizes.timeWidth(), width);
    addLinear(all, "time_embedding.linear_2", sizes.timeWidth(), sizes.timeWidth());
    addConvolution(all, "conv_in", width, sizes.inputs, 3);
    Extents skipped = {width};  // channels that the way down leaves for the way up
    for (std::size_t level = 0; level < sizes.levels(); ++level) {
        const auto name = "down_blocks." + std::to_string(level);
        for (std::int64_t i = 0; i < sizes.blocks; ++i) {
            blockOfLevel(all, sizes, name, i, width, channels[level], sizes.attends(level));
            width = channels[level];
            skipped.push_back(width);
        }
        if (level + 1 == sizes.levels()) break;
        addConvolution(all, name + ".downsamplers.0.conv", width, width, 3);
        skipped.push_back(width);
    }
    addResidualBlock(all, "mid_block.resnets.0", width, width, sizes.timeWidth());
    addPictureTransformer(all, "mid_block.attentions.0", width, sizes.context);
    if (sizes.motion.places > 0 && sizes.motion.middle)
        motionModule(all, "mid_block.motion_modules.0", width);
    addResidualBlock(all, "mid_block.resnets.1", width, width, sizes.timeWidth());
    for (std::size_t up = 0; up < sizes.levels(); ++up) {
        const auto level = sizes.levels() - 1 - up;
        const auto name = "up_blocks." + std::to_string(up);
        for (std::int64_t i = 0; i < sizes.blocks + 1; ++i) {
            blockOfLevel(all, sizes, name, i, width + skipped.back(), channels[level], sizes.attends(level));
            skipped.pop_back();
            width = channels[level];
        }
        if (level > 0) addConvolution(all, name + ".upsamplers.0.conv", width, width, 3);
    }
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
