#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> validationFields() {
    return {
        between(
            field("validation.every", "Validate every", "steps",
                  "Steps between measurements of the loss on clips that are kept out of training, at fixed "
                  "noise; the last step always measures. 0 never does, and keeps no clip out.",
                  CONFIG_SLOT(validation.every)),
            0, 1e9),
        between(field("validation.clips", "Validation clips", "clips",
                      "How many clips are kept out of training for it: the last ones of the data.",
                      CONFIG_SLOT(validation.clips)),
                1, 1e6),
        between(field("validation.levels", "Validation levels", "",
                      "At how many noise levels each clip is measured, evenly spread between clip and noise.",
                      CONFIG_SLOT(validation.levels)),
                1, 100),
    };
}

}  // namespace dailies::config
