#include "core/config/fields/fields.h"

namespace dailies::config {

std::vector<Field> runtimeFields() {
    return {
        oneOf(field("runtime.device", "Device", "", "auto takes CUDA where a GPU is visible.",
                    CONFIG_SLOT(runtime.device)),
              {"auto", "cpu", "cuda"}),
        oneOf(field("runtime.precision", "Precision", "",
                    "bf16 runs matrix products in bfloat16; weights stay fp32.",
                    CONFIG_SLOT(runtime.precision)),
              {"fp32", "bf16"}),
        between(field("runtime.threads", "Threads", "threads", "CPU threads of each rank.",
                      CONFIG_SLOT(runtime.threads)),
                1, 1024),
        field(
            "runtime.prepare_ahead", "Prepare ahead", "",
            "Makes the next step's batch while the GPU computes this one: captions, noise and copies to the "
            "device. Holds a second batch; changes no result.",
            CONFIG_SLOT(runtime.prepare_ahead)),
        field("runtime.cuda_graphs", "CUDA graphs", "",
              "Records forward and backward once for each size of batch and plays them back, which spares "
              "small "
              "models the time of launching kernels. Packed steps and CPUs go on as ever.",
              CONFIG_SLOT(runtime.cuda_graphs)),
        between(field("runtime.log_every", "Log every", "steps", "Steps between metric events.",
                      CONFIG_SLOT(runtime.log_every)),
                1, 1e6),
        between(field("runtime.trace_step", "Trace step", "",
                      "Of this step each rank writes its operations and collectives with their times to "
                      "traces/ in the run's folder, for ui.perfetto.dev, and the log says how much of the "
                      "collectives' time was spent computing. 0: of none.",
                      CONFIG_SLOT(runtime.trace_step)),
                0, 1e9),
    };
}

}  // namespace dailies::config
