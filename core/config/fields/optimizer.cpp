#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> optimizerFields() {
    return {
        oneOf(field("optimizer.name", "Optimizer", "",
                    "adamw; adamw8bit, whose moments take 2 bytes a weight instead of 8 (block-wise "
                    "quantised; tensors below 4096 elements stay in 32 bits); or muon, which orthogonalises "
                    "the momentum of attention's and MLPs' matrices (4 bytes a weight) and leaves the rest "
                    "to adamw, with the same learning rate and decay.",
                    CONFIG_SLOT(optimizer.name)),
              {"adamw", "adamw8bit", "muon"}),
        logarithmic(between(field("optimizer.lr", "Learning rate", "", "Peak learning rate of AdamW.",
                                  CONFIG_SLOT(optimizer.lr)),
                            0, 10)),
        between(field("optimizer.beta1", "Beta 1", "", "Decay of AdamW's first moment.",
                      CONFIG_SLOT(optimizer.beta1)),
                0, 0.999999),
        between(field("optimizer.beta2", "Beta 2", "", "Decay of AdamW's second moment.",
                      CONFIG_SLOT(optimizer.beta2)),
                0, 0.999999),
        between(field("optimizer.weight_decay", "Weight decay", "", "AdamW's decoupled decay of matrices.",
                      CONFIG_SLOT(optimizer.weight_decay)),
                0, 10),
        between(field("optimizer.grad_clip", "Gradient clip", "",
                      "Largest global gradient norm; 0 does not clip.", CONFIG_SLOT(optimizer.grad_clip)),
                0, 1e6),
        between(
            field("optimizer.accumulate", "Accumulate", "",
                  "Parts in which each process computes its share of a step, one after the other, to need "
                  "less memory. The global batch and the result stay the same.",
                  CONFIG_SLOT(optimizer.accumulate)),
            1, 65536),
        field(
            "optimizer.freeze", "Freeze", "",
            "Parts of the names of weights that stay as model.init has them; \"*\" is all, and one behind ! "
            "is trained all the same: [\"*\", \"!motion_modules\"] is stage 2 of Animate Anyone. Checkpoints "
            "hold "
            "the others alone.",
            CONFIG_SLOT(optimizer.freeze)),
        field("optimizer.lr_factors", "Rate factors", "",
              "Weights whose names contain a part learn at so many times the learning rate, PART=FACTOR; the "
              "last line that matches counts: lora_B=16 is LoRA+, blocks.0.=0.1 changes the first block "
              "less.",
              CONFIG_SLOT(optimizer.lr_factors)),
        field("optimizer.master_weights", "Master weights", "",
              "The model computes with matrices kept in bfloat16, and the optimizer updates a float32 copy. "
              "Needs runtime.precision bf16.",
              CONFIG_SLOT(optimizer.master_weights)),
        field("optimizer.offload", "Offload", "",
              "The optimizer's moments lie in the host's memory, and the CPU's runtime.threads compute its "
              "updates: a GPU holds 8 bytes a weight less (2 with adamw8bit), and each step sends 8 over the "
              "bus. On CPUs it changes nothing.",
              CONFIG_SLOT(optimizer.offload)),
        oneOf(field("optimizer.schedule", "Schedule", "",
                    "Learning rate after warm-up: constant; linear holds, then falls to min_lr over the last "
                    "decay_fraction; wsd (warm-up, stable, decay) does so as 1 - sqrt, steeply first; cosine "
                    "falls to min_lr over all steps.",
                    CONFIG_SLOT(optimizer.schedule)),
              {"linear", "wsd", "cosine", "constant"}),
        between(
            field("optimizer.warmup_steps", "Warm-up", "steps",
                  "Steps over which the learning rate rises from 0.", CONFIG_SLOT(optimizer.warmup_steps)),
            0, 1e9),
        between(field("optimizer.decay_fraction", "Decay fraction", "",
                      "Share of the steps over which the schedules linear and wsd fall to min_lr.",
                      CONFIG_SLOT(optimizer.decay_fraction)),
                0, 1),
        between(field("optimizer.min_lr", "Minimum rate", "",
                      "What the schedules linear, wsd and cosine fall to; at most optimizer.lr.",
                      CONFIG_SLOT(optimizer.min_lr)),
                0, 10),
        between(field("optimizer.ema_decay", "EMA decay", "",
                      "Decay of the averaged weights that clips are sampled from; 0 samples from the trained "
                      "weights. It warms up as (1 + n) / (10 + n) over the steps n, so that the "
                      "initial weights do not count.",
                      CONFIG_SLOT(optimizer.ema_decay)),
                0, 0.999999),
        between(
            field("optimizer.ema_power", "EMA power", "",
                  "Above 0 the average forgets by the power profile (1 - 1/step)^(power + 1), which spans a "
                  "fixed share of the run, instead of ema_decay (Karras et al. 2024 take 6.94 and 16.97).",
                  CONFIG_SLOT(optimizer.ema_power)),
            0, 1e4),
    };
}

}  // namespace dailies::config
