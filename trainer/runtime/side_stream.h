#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

namespace dailies::trainer {

/// A queue of GPU work beside the main one, so that copies to the GPU pass while it computes. On CPUs it is
/// nothing: work is done when `run` returns. One thread.
class SideStream {
public:
    explicit SideStream(at::Device device);
    ~SideStream();
    SideStream(const SideStream&) = delete;
    SideStream& operator=(const SideStream&) = delete;

    /// Calls `work`, whose GPU work goes into this queue.
    void run(const std::function<void()>& work);

    /// The main queue goes on when all that was run is done; `tensors`, which were made here, are its from
    /// now on.
    void handOver(const std::vector<at::Tensor>& tensors);

private:
    struct Queue;
    std::unique_ptr<Queue> m_queue;  ///< null on CPUs
};

}  // namespace dailies::trainer
