#include "trainer/models/unet/picture_transformer.h"

#include "trainer/models/layers/convolution.h"
#include "trainer/models/layers/geglu.h"
#include "trainer/models/layers/norms.h"

#include <torch/types.h>

namespace dailies::trainer::unet {

PictureTransformer::Begun PictureTransformer::begun(const Params& weights, const std::string& name,
                                                    const at::Tensor& pictures) const {
    const auto projected =
        layers::convolution(weights, name + ".proj_in", norm(weights, name + ".norm", pictures));
    const auto tokens = projected.flatten(2).transpose(1, 2);
    return {tokens,
            layers::layerNorm(weights, name + ".transformer_blocks.0.norm1", tokens, kLayerNormEpsilon)};
}

at::Tensor PictureTransformer::tokensOf(const Params& weights, const std::string& name,
                                        const at::Tensor& pictures) const {
    return begun(weights, name, pictures).own;
}

PictureTransformer::Output PictureTransformer::operator()(const Params& weights, const std::string& name,
                                                          const at::Tensor& pictures,
                                                          const at::Tensor& context,
                                                          const Reference& reference) const {
    const auto block = name + ".transformer_blocks.0";
    const auto normed = [&](const char* which, const at::Tensor& x) {
        return layers::layerNorm(weights, block + which, x, kLayerNormEpsilon);
    };
    const auto [projected, own] = begun(weights, name, pictures);
    auto x = projected + attention(weights, block + ".attn1", own, own, reference.tokens, reference.given);
    if (context.defined()) {
        // the tokens of all pictures of a clip, which read the same context
        const auto queries = normed(".norm2", x).reshape({context.size(0), -1, x.size(2)});
        x = x + attention(weights, block + ".attn2", queries, context).view(x.sizes());
    }
    x = x + layers::geglu(weights, block + ".ff", normed(".norm3", x));
    const auto changed =
        layers::convolution(weights, name + ".proj_out", x.transpose(1, 2).reshape(pictures.sizes()));
    return {pictures + changed, own};
}

}  // namespace dailies::trainer::unet
