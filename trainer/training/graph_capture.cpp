#include "trainer/training/graph_capture.h"

#ifdef DAILIES_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace dailies::trainer {

#ifdef DAILIES_CUDA
namespace {

/// While it lives, what this thread queues is recorded and not run.
class Capture {
public:
    Capture(at::cuda::CUDAGraph& graph, at::MempoolId_t pool) : m_graph(graph) {
        // other threads (NCCL's watchdog, the copies of checkpoints) may talk to CUDA meanwhile
        m_graph.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
    }
    ~Capture() {
        if (m_ended) return;
        try {
            m_graph.capture_end();
        } catch (const c10::Error&) {
            // what broke the capture is told by the exception that is on its way
        }
    }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    void end() {
        m_ended = true;
        m_graph.capture_end();
    }

private:
    at::cuda::CUDAGraph& m_graph;
    bool m_ended = false;
};

class GraphRecording : public CapturedGraph {
public:
    GraphRecording(c10::Device device, at::MempoolId_t pool, const std::function<void()>& work) {
        c10::cuda::getCurrentCUDAStream(device.index()).synchronize();
        const auto stream = c10::cuda::getStreamFromPool(false, device.index());
        const c10::cuda::CUDAStreamGuard onStream(stream);
        Capture capture(m_graph, pool);
        work();
        capture.end();
    }

    void replay() override { m_graph.replay(); }

private:
    at::cuda::CUDAGraph m_graph;
};

}  // namespace
#endif

GraphCaptureFn makeGraphCapture([[maybe_unused]] c10::Device device) {
#ifdef DAILIES_CUDA
    if (device.is_cuda())
        return [device, pool = at::cuda::graph_pool_handle()](const std::function<void()>& work) {
            return std::make_unique<GraphRecording>(device, pool, work);
        };
#endif
    return {};
}

}  // namespace dailies::trainer
