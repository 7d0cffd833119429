#include "trainer/lora/checkpoint_base.h"

#include "core/base/error.h"
#include "trainer/pretrained/initial_weights.h"

namespace dailies::trainer::lora {

void requireSameBase(const Json& shape, const LoraBase& base, const std::string& init) {
    if (!shape.contains("lora") || shape.at("lora").value("base", "") == base.identity) return;
    throw InputError("model.init: the weights of " + init +
                         " are others than those that the checkpoint's adapter was trained on.",
                     "Put the weights back that the run began with.");
}

LoraBase baseOfCheckpoint(const std::filesystem::path& checkpoint, const Json& manifest, const Model& model,
                          at::Device device) {
    const auto config = config::resolve(manifest.at("config"));
    if (!std::filesystem::exists(config.model.init))
        throw InputError("The checkpoint " + checkpoint.string() +
                             " is an adapter, and the weights below it are gone: " + config.model.init + ".",
                         "Put the weights back that the run began with (model.init).");
    pretrained::InitialWeights init(config.model.init);
    init.fit(model, config.diffusion);
    auto base = loadBase(
        model, [&](const std::string& name) { return init.read(name); }, device,
        config.runtime.precision == "bf16");
    requireSameBase(manifest.at("model"), base, config.model.init);
    return base;
}

}  // namespace dailies::trainer::lora
