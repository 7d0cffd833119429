#include "trainer/training/cuda_graph_cache.h"

#include <torch/types.h>

#include <string_view>

namespace dailies::trainer {

at::Tensor CudaGraphCache::run(const MicroBatch& input) {
    auto& shape = m_shapes[input.shapeKey()];
    if (shape.recording)
        shape.input.copyFrom(input);
    else if (shape.plain || shape.warmUps++ < kWarmUps || !recorded(shape, input))
        return m_pass(input);
    shape.recording->replay();
    return shape.losses.clone();  // the next replay writes over them
}

bool CudaGraphCache::recorded(Shape& shape, const MicroBatch& input) {
    if (m_recordedShapes == m_maxShapes) {
        shape.plain = true;
        m_notes.push_back("Batches of further sizes are not recorded as CUDA graphs: there are graphs of " +
                          std::to_string(m_maxShapes) + " already.");
        return false;
    }
    try {
        shape.input = input.clone();
        shape.recording = m_capture([this, &shape] { shape.losses = m_pass(shape.input); });
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

std::string whyNotCaptured(const config::TrainConfig& config, bool onGpu) {
    if (!config.runtime.cuda_graphs) return "runtime.cuda_graphs is off";
    if (!onGpu) return "the run computes on a CPU";
    if (config.data.packing) return "packed steps (data.packing) are of another size each";
    return {};
}

}  // namespace dailies::trainer
