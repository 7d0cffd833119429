#include "trainer/random_tensor.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

namespace dailies::trainer {

at::Tensor normalTensor(std::uint64_t key, at::IntArrayRef sizes) {
    return at::randn(sizes, at::make_generator<at::CPUGeneratorImpl>(key), at::kFloat);
}

}  // namespace dailies::trainer
