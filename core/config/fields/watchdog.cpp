#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> watchdogFields() {
    return {
        between(
            field("watchdog.start_limit", "Start may take", "s",
                  "How long a rank may take to meet the others, open the data and load the checkpoint. Past "
                  "any of these limits the run ends as hung, naming rank and collective, and its job starts "
                  "it again. 0 never ends it.",
                  CONFIG_SLOT(watchdog.start_limit)),
            0, 1e6),
        between(
            field("watchdog.first_step_limit", "First steps may take", "s",
                  "How long each of an attempt's first steps may take, in which caches fill and kernels are "
                  "chosen. 0 never ends the run.",
                  CONFIG_SLOT(watchdog.first_step_limit)),
            0, 1e6),
        between(field("watchdog.step_factor", "A step may take", "× median",
                      "How many times the median of the newest steps a step may take.",
                      CONFIG_SLOT(watchdog.step_factor)),
                1.5, 1e6),
        between(
            field("watchdog.step_floor", "A step may always take", "s",
                  "A step is not taken for hung before, however quick the others were. 0 never ends the run.",
                  CONFIG_SLOT(watchdog.step_floor)),
            0, 1e6),
        between(
            field(
                "watchdog.pause_limit", "Between steps", "s",
                "How long a checkpoint, samples or a validation may hold up training. 0 never ends the run.",
                CONFIG_SLOT(watchdog.pause_limit)),
            0, 1e6),
        between(field("watchdog.straggler_factor", "Straggler", "× median",
                      "A rank that is busy so many times as long as the median rank, in three windows of at "
                      "least 20 steps and 5 s "
                      "one after another, is told of. 0 tells of none.",
                      CONFIG_SLOT(watchdog.straggler_factor)),
                0, 1e6),
    };
}

}  // namespace dailies::config
