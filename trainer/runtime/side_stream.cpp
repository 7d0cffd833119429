#include "trainer/runtime/side_stream.h"

#ifdef DAILIES_CUDA
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/types.h>
#endif

namespace dailies::trainer {

#ifdef DAILIES_CUDA

struct SideStream::Queue {
    explicit Queue(at::Device device) : stream(c10::cuda::getStreamFromPool(false, device.index())) {}

    c10::cuda::CUDAStream stream;
    at::cuda::CUDAEvent done;
};

SideStream::SideStream(at::Device device) {
    if (device.is_cuda()) m_queue = std::make_unique<Queue>(device);
}

void SideStream::run(const std::function<void()>& work) {
    if (!m_queue) return work();
    const c10::cuda::CUDAStreamGuard onStream(m_queue->stream);
    work();
    m_queue->done.record(m_queue->stream);
}

void SideStream::handOver(const std::vector<at::Tensor>& tensors) {
    if (!m_queue) return;
    const auto main = c10::cuda::getCurrentCUDAStream(m_queue->stream.device_index());
    m_queue->done.block(main);
    // else their memory could be given to later work of this queue while the main one still reads them
    for (const auto& tensor : tensors)
        if (tensor.defined() && tensor.is_cuda()) tensor.record_stream(main.unwrap());
}

#else

struct SideStream::Queue {};

SideStream::SideStream(at::Device) {}

void SideStream::run(const std::function<void()>& work) {
    work();
}

void SideStream::handOver(const std::vector<at::Tensor>&) {}

#endif

SideStream::~SideStream() = default;

}  // namespace dailies::trainer
