#include "trainer/models/model_family.h"

#include "core/base/error.h"
#include "trainer/models/animate/animate.h"
#include "trainer/models/dit/dit.h"
#include "trainer/models/ltx/ltx.h"
#include "trainer/models/mimic_motion/mimic_motion.h"
#include "trainer/models/st_dit/st_dit.h"
#include "trainer/models/svd/svd.h"
#include "trainer/models/unianimate/unianimate.h"
#include "trainer/models/wan/wan.h"

#include <algorithm>

namespace dailies::trainer {

namespace {

using Maker = std::unique_ptr<Model> (*)(const ModelShape&, at::Device);

struct Family {
    const char* name;
    Maker make;
};

template <class M>
std::unique_ptr<Model> make(const ModelShape& shape, at::Device device) {
    return std::make_unique<M>(shape, device);
}

constexpr Family kFamilies[] = {
    {"dit", make<Dit>}, {"st-dit", make<StDit>},          {"wan", make<Wan>},
    {"ltx", make<Ltx>}, {"animate", make<Animate>},       {"mimic-motion", make<MimicMotion>},
    {"svd", make<Svd>}, {"unianimate", make<UniAnimate>},
};

}  // namespace

Params Model::initialWeights(std::int64_t seed, const WeightInitializer::Keep& keep) const {
    auto make = WeightInitializer::fromSeed(seed, keep);
    declareWeights(make);
    return make.take();
}

Params Model::weightsFrom(const WeightInitializer::Read& read, const WeightInitializer::Keep& keep,
                          std::int64_t seed) const {
    auto make = WeightInitializer::fromReader(read, keep, seed);
    declareWeights(make);
    return make.take();
}

Params Model::weightsOnMeta(const WeightInitializer::Keep& keep) const {
    auto make = WeightInitializer::onMeta(keep);
    declareWeights(make);
    return make.take();
}

std::vector<at::Tensor> Model::forward(const Params& weights, const ModelInput& input) const {
    const auto pass = begin(weights, input);
    if (const auto* stages = weights.stages()) return stages->outputs(*pass, input);
    auto tokens = pass->embedded();
    for (std::int64_t i = 0; i < blocks(); ++i) tokens = pass->block(i, tokens);
    return pass->output(tokens);
}

bool Model::isAdded(const std::string& weight) const {
    return std::ranges::any_of(addedParts(), [&](const auto& part) { return weight.starts_with(part); });
}

std::unique_ptr<Model> makeModel(const ModelShape& shape, at::Device device) {
    for (const auto& family : kFamilies)
        if (shape.model.family == family.name) return family.make(shape, device);
    throw InputError("model.family: this trainer has no family \"" + shape.model.family + "\".");
}

std::vector<std::string> familiesWithTensorParallel() {
    // rules name layers, whatever their sizes
    ModelShape shape;
    shape.frames = shape.model.patch_frames;
    shape.height = shape.width = shape.model.patch_size;
    std::vector<std::string> names;
    for (const auto& family : kFamilies)
        if (!family.make(shape, at::kCPU)->tpPlan().empty()) names.emplace_back(family.name);
    return names;
}

}  // namespace dailies::trainer
