#include "trainer/inference/other_expert.h"

#include "core/base/error.h"
#include "trainer/models/model_with_text_encoder.h"
#include "trainer/pretrained/initial_weights.h"

#include <torch/types.h>

#include <limits>

namespace dailies::trainer {

namespace {

constexpr const char* kOtherExpert = "sampling.other_expert";

/// What the noise that a run leaves out is to the other model: all that it is trained for.
config::TrainConfig::Diffusion restOf(config::TrainConfig::Diffusion diffusion) {
    const bool trainsMuchNoise = diffusion.timestep_from > 0;
    const auto boundary = trainsMuchNoise ? diffusion.timestep_from : diffusion.timestep_to;
    diffusion.timestep_from = trainsMuchNoise ? 0 : boundary;
    diffusion.timestep_to = trainsMuchNoise ? boundary : 1;
    return diffusion;
}

}  // namespace

OtherExpert::OtherExpert(const config::TrainConfig& config, const ModelShape& shape, at::Device device)
    : m_from(config.diffusion.timestep_from),
      m_to(config.diffusion.timestep_to < 1 ? config.diffusion.timestep_to
                                            : std::numeric_limits<double>::infinity()),
      m_model(makeModelWithTextEncoder(shape, device)) {
    pretrained::InitialWeights file(config.sampling.other_expert, kOtherExpert);
    file.fit(*m_model, restOf(config.diffusion));
    m_base = lora::loadBase(*m_model, [&](const std::string& name) { return file.read(name); }, device,
                            {.bf16 = config.runtime.precision == "bf16",
                             .swappedBlocks = device.is_cuda() ? m_model->blocks() : 0});
}

std::unique_ptr<OtherExpert> makeOtherExpert(const config::TrainConfig& config, const ModelShape& shape,
                                             at::Device device) {
    if (config.sampling.other_expert.empty()) return nullptr;
    return std::make_unique<OtherExpert>(config, shape, device);
}

}  // namespace dailies::trainer
