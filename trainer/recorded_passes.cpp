#include "trainer/recorded_passes.h"

#include <torch/types.h>

#include <string_view>

namespace dailies::trainer {

at::Tensor RecordedPasses::run(const PassInput& input) {
    auto& shape = m_shapes[input.shapeKey()];
    if (shape.recording)
        shape.input.copyFrom(input);
    else if (shape.plain || shape.warmUps++ < kWarmUps || !recorded(shape, input))
        return m_pass(input);
    shape.recording->replay();
    return shape.losses.clone();  // the next replay writes over them
}

bool RecordedPasses::recorded(Shape& shape, const PassInput& input) {
    if (m_recordedShapes == m_mostShapes) {
        shape.plain = true;
        m_notes.push_back("Batches of further sizes are not recorded as CUDA graphs: there are graphs of " +
                          std::to_string(m_mostShapes) + " already.");
        return false;
    }
    try {
        shape.input = input.clone();
        shape.recording = m_recorder([this, &shape] { shape.losses = m_pass(shape.input); });
    } catch (const std::exception& error) {
        shape = {.plain = true};
        const std::string_view why = error.what();
        m_notes.push_back("Batches of one size are not recorded as a CUDA graph: " +
                          std::string(why.substr(0, why.find('\n'))));
        return false;
    }
    ++m_recordedShapes;
    return true;
}

std::string whyNotRecorded(const config::TrainConfig& config, bool onGpu) {
    if (!config.runtime.cuda_graphs) return "runtime.cuda_graphs is off";
    if (!onGpu) return "the run computes on a CPU";
    if (config.data.packing) return "packed steps (data.packing) are of another size each";
    return {};
}

}  // namespace dailies::trainer
