#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> runtimeFields() {
    return {
        oneOf(field("runtime.device", "Device", "", "auto takes CUDA where a GPU is visible.",
                    SLOT(runtime.device)),
              {"auto", "cpu", "cuda"}),
        oneOf(field("runtime.precision", "Precision", "",
                    "bf16 runs matrix products in bfloat16; weights stay fp32.", SLOT(runtime.precision)),
              {"fp32", "bf16"}),
        between(field("runtime.threads", "Threads", "threads", "CPU threads of each rank.",
                      SLOT(runtime.threads)),
                1, 1024),
        between(field("runtime.log_every", "Log every", "steps", "Steps between metric events.",
                      SLOT(runtime.log_every)),
                1, 1e6),
    };
}

}  // namespace dailies::config
