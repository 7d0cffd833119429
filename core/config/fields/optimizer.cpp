#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> optimizerFields() {
    return {
        logarithmic(between(
            field("optimizer.lr", "Learning rate", "", "Peak learning rate of AdamW.", SLOT(optimizer.lr)), 0,
            10)),
        between(
            field("optimizer.beta1", "Beta 1", "", "Decay of AdamW's first moment.", SLOT(optimizer.beta1)),
            0, 0.999999),
        between(
            field("optimizer.beta2", "Beta 2", "", "Decay of AdamW's second moment.", SLOT(optimizer.beta2)),
            0, 0.999999),
        between(field("optimizer.weight_decay", "Weight decay", "", "AdamW's decoupled decay of matrices.",
                      SLOT(optimizer.weight_decay)),
                0, 10),
        between(field("optimizer.grad_clip", "Gradient clip", "",
                      "Largest global gradient norm; 0 does not clip.", SLOT(optimizer.grad_clip)),
                0, 1e6),
        oneOf(field("optimizer.schedule", "Schedule", "",
                    "Learning rate after warm-up: constant; linear holds, then falls to 0 over the last "
                    "decay_fraction; "
                    "cosine falls to 0 over all steps.",
                    SLOT(optimizer.schedule)),
              {"linear", "cosine", "constant"}),
        between(field("optimizer.warmup_steps", "Warm-up", "steps",
                      "Steps over which the learning rate rises from 0.", SLOT(optimizer.warmup_steps)),
                0, 1e9),
        between(field("optimizer.decay_fraction", "Decay fraction", "",
                      "Share of the steps over which schedule linear falls to 0.",
                      SLOT(optimizer.decay_fraction)),
                0, 1),
        between(field("optimizer.ema_decay", "EMA decay", "",
                      "Decay of the averaged weights that clips are sampled from; 0 samples from the trained "
                      "weights.",
                      SLOT(optimizer.ema_decay)),
                0, 0.999999),
    };
}

}  // namespace dailies::config
