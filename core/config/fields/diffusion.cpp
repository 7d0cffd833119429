#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> diffusionFields() {
    return {
        oneOf(field("diffusion.prediction", "Prediction", "",
                    "What the network puts out: the clean clip, or the velocity. The loss is on the velocity "
                    "in both cases.",
                    SLOT(diffusion.prediction)),
              {"clip", "velocity"}),
        between(field("diffusion.timestep_mean", "Timestep mean", "",
                      "Mean m of the logit-normal: t = 1 - sigmoid(m + s·z), t = 1 being pure noise; lower "
                      "trains on more noise.",
                      SLOT(diffusion.timestep_mean)),
                -10, 10),
        between(field("diffusion.timestep_std", "Timestep spread", "",
                      "Standard deviation s of that logit-normal.", SLOT(diffusion.timestep_std)),
                0, 10),
        between(field("diffusion.caption_drop", "Caption drop", "",
                      "Share of clips trained without their caption, which classifier-free guidance needs.",
                      SLOT(diffusion.caption_drop)),
                0, 1),
    };
}

}  // namespace dailies::config
