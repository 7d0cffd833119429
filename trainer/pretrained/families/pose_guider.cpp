#include "trainer/pretrained/families/pose_guider.h"

// Names are those of Moore-AnimateAnyone's pose_guider.pth, which begins as a ControlNet's, and sizes those
// of its convolutions, 3 × 3 each.

namespace dailies::trainer::pretrained {

namespace {

void addGuiderConvolution(NamedShapes& list, const std::string& name, std::int64_t outputs,
                          std::int64_t inputs) {
    list.push_back({name + ".weight", {outputs, inputs, 3, 3}});
    list.push_back({name + ".bias", {outputs}});
}

}  // namespace

std::optional<Family> recognisePoseGuider(const TensorTable& tensors, const Hints&) {
    const auto* first = tensors.find("conv_in.weight");
    const auto* last = tensors.find("conv_out.weight");
    const auto* block = tensors.find("blocks.0.weight");
    for (const auto* weight : {first, last, block})
        if (!weight || weight->size() != 4) return std::nullopt;
    constexpr std::int64_t kMostBlocks = 16;
    const auto blocks = countedBlocks(tensors, "blocks.", kMostBlocks, 0, 6);
    const auto outputs = last->front(), colours = first->at(1);
    Extents widths = {first->front()};
    NamedShapes expected;
    addGuiderConvolution(expected, "conv_in", widths.front(), colours);
    for (std::int64_t i = 0; i < blocks; ++i) {
        const auto name = "blocks." + std::to_string(i);
        if (i % 2 == 1) widths.push_back(tensors.axis({name + ".weight"}, 0).value_or(widths.back()));
        addGuiderConvolution(expected, name, widths.back(), widths[static_cast<std::size_t>(i) / 2]);
    }
    addGuiderConvolution(expected, "conv_out", outputs, widths.back());
    const bool published = widths == Extents{16, 32, 96, 256} && outputs == 320;
    return Family{"pose_guider",
                  published ? "pose guider of Animate Anyone" : "",
                  {{"colours", colours}, {"widths", widths}, {"outputs", outputs}},
                  std::move(expected)};
}

}  // namespace dailies::trainer::pretrained
