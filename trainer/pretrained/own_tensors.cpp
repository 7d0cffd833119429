#include "trainer/pretrained/own_tensors.h"

#include "core/base/error.h"
#include "trainer/models/model_with_text_encoder.h"

#include <torch/types.h>

namespace dailies::trainer::pretrained {

namespace {

NamedShapes listOf(const Params& weights) {
    NamedShapes all;
    for (const auto& name : weights.names()) all.push_back({name, weights[name].sizes().vec()});
    return all;
}

}  // namespace

OwnModel ownTensors(const Json& modelShape) {
    try {
        const auto model = makeModelWithTextEncoder(ModelShape::fromJson(modelShape), at::kCPU);
        const auto weights = model->weightsOnMeta();
        const bool hasTwin = !model->diffusersWeights().empty();
        return {listOf(weights), hasTwin ? listOf(toDiffusers(*model, weights)) : NamedShapes()};
    } catch (const InputError&) {
        return {};
    }
}

}  // namespace dailies::trainer::pretrained
