#include "trainer/models/unet/picture_transformer.h"

#include "trainer/models/layers/convolution.h"
#include "trainer/models/layers/geglu.h"
#include "trainer/models/layers/norms.h"

#include <torch/types.h>

namespace dailies::trainer::unet {

PictureTransformer::Output PictureTransformer::operator()(const Params& weights, const std::string& name,
                                                          const at::Tensor& pictures,
                                                          const at::Tensor& context,
                                                          const at::Tensor& reference) const {
    const auto block = name + ".transformer_blocks.0";
    const auto normed = [&](const char* which, const at::Tensor& x) {
        return layers::layerNorm(weights, block + which, x, kLayerNormEpsilon);
    };
    auto x = layers::convolution(weights, name + ".proj_in", norm(weights, name + ".norm", pictures));
    const auto sizes = x.sizes().vec();
    x = x.flatten(2).transpose(1, 2);
    const auto own = normed(".norm1", x);
    x = x + attention(weights, block + ".attn1", own, own, reference);
    // the tokens of all pictures of a clip, which read the same context
    const auto queries = normed(".norm2", x).reshape({context.size(0), -1, x.size(2)});
    x = x + attention(weights, block + ".attn2", queries, context).view(x.sizes());
    x = x + layers::geglu(weights, block + ".ff", normed(".norm3", x));
    const auto changed = layers::convolution(weights, name + ".proj_out", x.transpose(1, 2).reshape(sizes));
    return {pictures + changed, own};
}

}  // namespace dailies::trainer::unet
