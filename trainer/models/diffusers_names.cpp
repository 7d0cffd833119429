#include "trainer/models/diffusers_names.h"

#include "core/base/error.h"
#include "trainer/models/model_family.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

std::vector<DiffusersWeight> namesOf(const Model& model) {
    auto names = model.diffusersWeights();
    if (names.empty()) throw InputError("diffusers has no model of this family and shape.");
    return names;
}

at::Tensor rowsOf(const at::Tensor& weight, const DiffusersWeight& name) {
    return name.rows > 0 ? weight.narrow(0, name.firstRow, name.rows) : weight;
}

}  // namespace

Params toDiffusers(const Model& model, const Params& weights) {
    Params theirs;
    for (const auto& name : namesOf(model)) {
        auto value = rowsOf(weights[name.ours].detach(), name);
        if (!name.order.empty()) value = value.reshape(name.view).permute(name.order);
        if (!name.sizes.empty()) value = value.reshape(name.sizes);
        theirs.add(name.theirs, value.contiguous().clone());
    }
    return theirs;
}

void placeDiffusers(const DiffusersWeight& name, at::Tensor value, const at::Tensor& ours) {
    const auto target = rowsOf(ours, name);
    if (value.numel() != target.numel())
        throw InputError(name.theirs + " has " + std::to_string(value.numel()) +
                         " numbers, and the model needs " + std::to_string(target.numel()) + ".");
    if (!name.order.empty()) {
        std::vector<std::int64_t> permuted, back(name.order.size());
        for (std::size_t i = 0; i < name.order.size(); ++i) {
            permuted.push_back(name.view[static_cast<std::size_t>(name.order[i])]);
            back[static_cast<std::size_t>(name.order[i])] = static_cast<std::int64_t>(i);
        }
        value = value.reshape(permuted).permute(back);
    }
    target.copy_(value.reshape(target.sizes()));
}

Params fromDiffusers(const Model& model, const Params& theirs) {
    const auto shapes = model.weightsOnMeta();
    Params ours;
    for (const auto& name : shapes.names()) ours.add(name, at::zeros(shapes[name].sizes()));
    for (const auto& name : namesOf(model)) {
        if (!theirs.contains(name.theirs))
            throw InputError("The file lacks " + name.theirs + ", which the model needs.");
        placeDiffusers(name, theirs[name.theirs].to(at::kFloat), ours[name.ours]);
    }
    return ours;
}

}  // namespace dailies::trainer
