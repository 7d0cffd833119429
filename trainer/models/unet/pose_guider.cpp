#include "trainer/models/unet/pose_guider.h"

#include "trainer/models/layers/convolution.h"
#include "trainer/models/layers/picture_shapes.h"
#include "trainer/models/unet/picture_transformer.h"

#include <torch/types.h>

namespace dailies::trainer::unet {

namespace {

constexpr std::int64_t kGuiderHeads = 8;  // of Champ's transformers, whatever the width

}  // namespace

void PoseGuider::declareWeights(WeightInitializer& make) const {
    make.layers(guiderTensors(sizes), prefix,
                [](const std::string& name) { return name.starts_with("conv_out."); });
}

at::Tensor PoseGuider::operator()(const Params& weights, const at::Tensor& drawings) const {
    const auto convolved = [&](const std::string& name, const at::Tensor& x, std::int64_t stride = 1) {
        return at::silu(layers::convolution(weights, prefix + name, x, {.places = stride}));
    };
    auto x = convolved("conv_in", drawings.transpose(1, 2).flatten(0, 1));
    for (std::size_t i = 0; i + 1 < sizes.widths.size(); ++i) {
        const auto block = static_cast<std::int64_t>(2 * i);
        x = convolved(numbered("blocks", block), x);
        x = convolved(numbered("blocks", block + 1), x, shrinks >> i > 1 ? 2 : 1);
    }
    if (sizes.attends) {
        const PictureTransformer transformer{{.groups = groups, .epsilon = kTransformerNormEpsilon},
                                             {.heads = kGuiderHeads}};
        x = transformer(weights, prefix + "attention", x, {}, {}).pictures;
    }
    x = layers::convolution(weights, prefix + "conv_out", x);
    return x.unflatten(0, {-1, drawings.size(2)}).transpose(1, 2);
}

}  // namespace dailies::trainer::unet
