#include "trainer/pretrained/published_unet.h"

#include "core/base/error.h"
#include "trainer/pretrained/families/sd_unet.h"
#include "trainer/pretrained/published_model.h"

#include <torch/types.h>

namespace dailies::trainer::pretrained {

PublishedUnet readPublishedUnet(const std::string& key, const std::filesystem::path& path,
                                const std::filesystem::path& motion) {
    const auto model = openPublished(key, path, {"sd15_unet"}, "U-Net of Stable Diffusion 1");
    PublishedUnet unet{unetSizes(model.found.family.sizes), {}};
    model.readInto(unet.weights, unet::unetTensors(unet.sizes));
    if (motion.empty()) return unet;
    if (unet.sizes.motion.places > 0)
        throw InputError(key + ": " + path.string() + " has motion modules of its own beside those of " +
                             motion.string() + ".",
                         "Name one of them.");
    const auto modules = openPublished(key, motion, {"motion_modules"}, "motion modules");
    const auto sizes = motionSizes(modules.found.family.sizes);
    if (sizes.levels.channels != unet.sizes.levels.channels ||
        sizes.levels.blocks != unet.sizes.levels.blocks)
        throw InputError(key + ": the motion modules of " + motion.string() +
                             " are of a U-Net of other sizes than that of " + path.string() + ".",
                         "dailies-train inspect says the sizes of both.");
    unet.sizes.motion = sizes.motion;
    modules.readInto(unet.weights, unet::motionTensors(unet.sizes));
    return unet;
}

}  // namespace dailies::trainer::pretrained
