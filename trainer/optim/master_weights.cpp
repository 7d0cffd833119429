#include "trainer/optim/master_weights.h"

#include <torch/types.h>

#include <algorithm>
#include <string_view>

namespace dailies::trainer {

namespace {

constexpr std::string_view kBf16Layers[] = {".qkv.weight",
                                            ".attention_out.weight",
                                            ".mlp_in.weight",
                                            ".mlp_out.weight",
                                            ".cross.query.weight",
                                            ".cross.out.weight",
                                            ".cross.key_value.weight",
                                            ".cross.image_key_value.weight"};

}  // namespace

bool computesInBf16(const std::string& name) {
    return std::ranges::any_of(kBf16Layers, [&](std::string_view layer) { return name.ends_with(layer); });
}

Params bf16Copies(const Params& masters) {
    Params copies;
    for (const auto& name : masters.names())
        copies.add(name, computesInBf16(name) ? masters[name].detach().to(at::kBFloat16) : masters[name]);
    return copies;
}

void refreshCopies(const Params& copies, const Params& masters) {
    const at::NoGradGuard noGradients;
    std::vector<at::Tensor> to, from;
    for (const auto& name : copies.names()) {
        if (copies[name].is_same(masters[name])) continue;
        to.push_back(copies[name].detach());
        from.push_back(masters[name].detach());
    }
    if (!to.empty()) at::_foreach_copy_(to, from);
}

}  // namespace dailies::trainer
