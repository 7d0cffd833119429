#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> checkpointFields() {
    return {
        between(field("checkpoint.every", "Checkpoint every", "steps",
                      "Steps between checkpoints; the last step always writes one.", SLOT(checkpoint.every)),
                1, 1e9),
        between(field("checkpoint.keep", "Checkpoints kept", "", "Newest complete checkpoints to keep.",
                      SLOT(checkpoint.keep)),
                1, 1e6),
    };
}

}  // namespace dailies::config
