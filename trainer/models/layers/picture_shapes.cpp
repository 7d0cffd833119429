#include "trainer/models/layers/picture_shapes.h"

namespace dailies::trainer {

std::string numbered(const std::string& list, std::int64_t i) {
    return list + "." + std::to_string(i);
}

void addConvolution(NamedShapes& all, const std::string& name, std::int64_t out, std::int64_t in,
                    std::int64_t side) {
    all.push_back({name + ".weight", {out, in, side, side}});
    all.push_back({name + ".bias", {out}});
}

void addNorm(NamedShapes& all, const std::string& name, std::int64_t channels) {
    all.push_back({name + ".weight", {channels}});
    all.push_back({name + ".bias", {channels}});
}

void addResidualBlock(NamedShapes& all, const std::string& name, std::int64_t in, std::int64_t out,
                      std::int64_t timeWidth) {
    addNorm(all, name + ".norm1", in);
    addConvolution(all, name + ".conv1", out, in, 3);
    if (timeWidth > 0) addLinear(all, name + ".time_emb_proj", out, timeWidth);
    addNorm(all, name + ".norm2", out);
    addConvolution(all, name + ".conv2", out, out, 3);
    if (in != out) addConvolution(all, name + ".conv_shortcut", out, in, 1);
}

void addTimeConvolution(NamedShapes& all, const std::string& name, std::int64_t width) {
    constexpr std::int64_t kFramesSeen = 3;
    all.push_back({name + ".weight", {width, width, kFramesSeen, 1, 1}});
    all.push_back({name + ".bias", {width}});
}

void addTimeMixedBlock(NamedShapes& all, const std::string& name, std::int64_t in, std::int64_t out,
                       std::int64_t timeWidth) {
    addResidualBlock(all, name + ".spatial_res_block", in, out, timeWidth);
    const auto inTime = name + ".temporal_res_block";
    addNorm(all, inTime + ".norm1", out);
    addTimeConvolution(all, inTime + ".conv1", out);
    if (timeWidth > 0) addLinear(all, inTime + ".time_emb_proj", out, timeWidth);
    addNorm(all, inTime + ".norm2", out);
    addTimeConvolution(all, inTime + ".conv2", out);
    all.push_back({name + ".time_mixer.mix_factor", {1}});
}

}  // namespace dailies::trainer
