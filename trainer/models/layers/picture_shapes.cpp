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

}  // namespace dailies::trainer
