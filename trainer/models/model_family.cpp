#include "trainer/models/model_family.h"

#include "core/base/error.h"
#include "trainer/models/dit/dit.h"

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
    {"dit", make<Dit>},
};

}  // namespace

Json ModelShape::toJson() const {
    return {{"family", model.family},
            {"width", model.width},
            {"depth", model.depth},
            {"heads", model.heads},
            {"mlp_ratio", model.mlp_ratio},
            {"patch_frames", model.patch_frames},
            {"patch_size", model.patch_size},
            {"activation", model.activation},
            {"data_frames", frames},
            {"data_height", height},
            {"data_width", width},
            {"caption_tokens", captionTokens}};
}

std::unique_ptr<Model> makeModel(const ModelShape& shape, at::Device device) {
    for (const auto& family : kFamilies)
        if (shape.model.family == family.name) return family.make(shape, device);
    throw InputError("model.family: this trainer has no family \"" + shape.model.family + "\".");
}

}  // namespace dailies::trainer
