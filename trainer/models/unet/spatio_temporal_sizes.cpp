#include "trainer/models/unet/spatio_temporal_sizes.h"

#include "trainer/models/layers/picture_shapes.h"
#include "trainer/models/unet/unet_sizes.h"

namespace dailies::trainer::unet {

namespace {

void addTransformer(NamedShapes& all, const std::string& name, std::int64_t width, std::int64_t context) {
    addNorm(all, name + ".norm", width);
    addLinear(all, name + ".proj_in", width, width);
    addTransformerBlock(all, name + ".transformer_blocks.0", width, context);
    const auto inTime = name + ".temporal_transformer_blocks.0";
    addNorm(all, inTime + ".norm_in", width);
    addGatedLayer(all, inTime + ".ff_in", width);
    addTransformerBlock(all, inTime, width, context);
    addLinear(all, name + ".time_pos_embed.linear_1", 4 * width, width);
    addLinear(all, name + ".time_pos_embed.linear_2", width, 4 * width);
    all.push_back({name + ".time_mixer.mix_factor", {1}});
    addLinear(all, name + ".proj_out", width, width);
}

}  // namespace

NamedShapes spatioTemporalTensors(const SpatioTemporalSizes& sizes) {
    NamedShapes all;
    const auto width = sizes.levels.channels.front(), time = sizes.timeWidth();
    addConvolution(all, "conv_in", width, sizes.inputs, 3);
    addLinear(all, "time_embedding.linear_1", time, width);
    addLinear(all, "time_embedding.linear_2", time, time);
    addLinear(all, "add_embedding.linear_1", time, kLabels * sizes.labelWidth);
    addLinear(all, "add_embedding.linear_2", time, time);
    addLevels(
        all, sizes.levels,
        [&](const LevelBlock& block) {
            addTimeMixedBlock(all, block.part("resnets"), block.in, block.out, time);
            if (block.attends) addTransformer(all, block.part("attentions"), block.out, sizes.context);
        },
        [&](std::int64_t middle) {
            addTimeMixedBlock(all, "mid_block.resnets.0", middle, middle, time);
            addTransformer(all, "mid_block.attentions.0", middle, sizes.context);
            addTimeMixedBlock(all, "mid_block.resnets.1", middle, middle, time);
        });
    addNorm(all, "conv_norm_out", width);
    addConvolution(all, "conv_out", sizes.outputs, width, 3);
    return all;
}

std::vector<PoseConvolution> poseConvolutions(const PoseNetSizes& sizes) {
    std::vector<PoseConvolution> all;
    const auto add = [&](std::int64_t in, std::int64_t out, bool halves) {
        // a SiLU stands behind each, and counts
        all.push_back({numbered("conv_layers", static_cast<std::int64_t>(2 * all.size())), in, out, halves});
    };
    auto left = sizes.shrinks;
    auto width = sizes.colours;
    for (std::size_t i = 0; i < sizes.widths.size(); ++i) {
        add(width, width, false);
        const bool last = i + 1 == sizes.widths.size();
        add(width, sizes.widths[i], !last && left > 1);
        width = sizes.widths[i];
        left /= 2;
    }
    return all;
}

NamedShapes poseNetTensors(const PoseNetSizes& sizes) {
    NamedShapes all;
    for (const auto& layer : poseConvolutions(sizes))
        addConvolution(all, layer.name, layer.out, layer.in, layer.side());
    addConvolution(all, "final_proj", sizes.outputs, sizes.widths.back(), 1);
    all.push_back({"scale", {1}});
    return all;
}

}  // namespace dailies::trainer::unet
