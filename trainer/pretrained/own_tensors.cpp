#include "trainer/pretrained/own_tensors.h"

#include "core/base/error.h"
#include "trainer/text/model_with_text_encoder.h"

#include <torch/types.h>

namespace dailies::trainer::pretrained {

NamedShapes ownTensors(const Json& modelShape) {
    try {
        const auto model = makeModelWithTextEncoder(ModelShape::fromJson(modelShape), at::kCPU);
        const auto weights = model->weightsOnMeta();
        NamedShapes all;
        for (const auto& name : weights.names()) all.push_back({name, weights[name].sizes().vec()});
        return all;
    } catch (const InputError&) {
        return {};
    }
}

}  // namespace dailies::trainer::pretrained
