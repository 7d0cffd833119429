#include "trainer/runtime/device_phase_clock.h"

#ifdef DAILIES_CUDA
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <cuda_runtime_api.h>
#include <utility>
#include <vector>
#endif

namespace dailies::trainer {

#ifdef DAILIES_CUDA
namespace {

class Event {
public:
    Event() { C10_CUDA_CHECK(cudaEventCreate(&m_event)); }
    ~Event() { static_cast<void>(cudaEventDestroy(m_event)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    cudaEvent_t get() const { return m_event; }

private:
    cudaEvent_t m_event = nullptr;
};

class CudaPhaseClock : public PhaseClock {
public:
    explicit CudaPhaseClock(c10::Device device) : m_device(device) {}

    void enter(Phase phase) override {
        if (m_used == m_marks.size()) m_marks.push_back(std::make_unique<Mark>());
        m_marks[m_used]->phase = phase;
        record(m_marks[m_used++]->begin);
    }

    PhaseSeconds finish() override {
        record(m_end);
        C10_CUDA_CHECK(cudaEventSynchronize(m_end.get()));
        PhaseSeconds seconds{};
        for (std::size_t i = 0; i < m_used; ++i) {
            float milliseconds = 0;
            const auto& end = i + 1 < m_used ? m_marks[i + 1]->begin : m_end;
            C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, m_marks[i]->begin.get(), end.get()));
            seconds[static_cast<std::size_t>(m_marks[i]->phase)] += 1e-3 * milliseconds;
        }
        m_used = 0;
        return seconds;
    }

private:
    struct Mark {
        Phase phase{};
        Event begin;
    };

    void record(const Event& event) const {
        C10_CUDA_CHECK(
            cudaEventRecord(event.get(), c10::cuda::getCurrentCUDAStream(m_device.index()).stream()));
    }

    c10::Device m_device;
    std::vector<std::unique_ptr<Mark>> m_marks;  ///< kept from step to step
    std::size_t m_used = 0;
    Event m_end;
};

}  // namespace
#endif

std::unique_ptr<PhaseClock> makePhaseClock([[maybe_unused]] c10::Device device) {
#ifdef DAILIES_CUDA
    if (device.is_cuda()) return std::make_unique<CudaPhaseClock>(device);
#endif
    return std::make_unique<HostPhaseClock>();
}

}  // namespace dailies::trainer
