#include "trainer/lora/checkpoint_base.h"

#include "core/base/error.h"
#include "trainer/lora/trained_part.h"
#include "trainer/pretrained/initial_weights.h"

namespace dailies::trainer::lora {

void requireSameBase(const Json& shape, const BaseWeights& base, const std::string& init) {
    for (const auto* part : {"lora", "frozen"})
        if (shape.contains(part) && shape.at(part).value("base", "") == base.identity) return;
    if (!shape.contains("lora") && !shape.contains("frozen")) return;
    throw InputError(
        "model.init: the weights of " + init + " are others than those that the checkpoint was trained on.",
        "Put the weights back that the run began with.");
}

BaseWeights baseOfCheckpoint(const std::filesystem::path& checkpoint, const Json& manifest,
                             const Model& model, at::Device device, KeptBase kept) {
    const auto config = config::resolve(manifest.at("config"));
    if (!std::filesystem::exists(config.model.init))
        throw InputError("The checkpoint " + checkpoint.string() +
                             " holds an adapter or a part of a model, and the weights that it was trained on "
                             "are gone: " +
                             config.model.init + ".",
                         "Put the weights back that the run began with (model.init).");
    pretrained::InitialWeights init(config.model.init);
    init.fit(model, config.diffusion);
    auto storage = BaseStorage::of(config);
    if (kept == KeptBase::Resident) storage = {.bf16 = storage.bf16};
    auto base = loadBase(
        model, [&](const std::string& name) { return init.read(name); }, device, storage,
        baseOf(config, model));
    requireSameBase(manifest.at("model"), base, config.model.init);
    return base;
}

}  // namespace dailies::trainer::lora
