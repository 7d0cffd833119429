#pragma once

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <functional>

namespace dailies::trainer {

/// A piece of work on fixed tensors, recorded once and played back without launching its kernels one by one.
class StepGraph {
public:
    /// Runs `work` three times, so that libraries have chosen and allocated what they need, then records it.
    /// Throws c10::Error for work that cannot be recorded (a copy from or to pageable memory, a wait).
    explicit StepGraph(const std::function<void()>& work) {
        const auto before = c10::cuda::getCurrentCUDAStream();
        before.synchronize();
        const auto stream = c10::cuda::getStreamFromPool();
        const c10::cuda::CUDAStreamGuard onStream(stream);
        for (int i = 0; i < 3; ++i) work();
        stream.synchronize();
        // other threads (NCCL's watchdog) may talk to CUDA meanwhile
        m_graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
        work();
        m_graph.capture_end();
        stream.synchronize();
    }

    void replay() { m_graph.replay(); }

private:
    at::cuda::CUDAGraph m_graph;
};

}  // namespace dailies::trainer
