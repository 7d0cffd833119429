#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> runFields() {
    return {
        between(
            field("steps", "Steps", "steps", "How many optimizer updates the run makes.", CONFIG_SLOT(steps)),
            1, 1e9),
        between(field("seed", "Seed", "", "Seeds the weights, the data order, the noise and the timesteps.",
                      CONFIG_SLOT(seed)),
                0, 9007199254740991.0),
    };
}

}  // namespace dailies::config
