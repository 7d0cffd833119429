#include "trainer/tensors/tensor_memory.h"

#include <torch/types.h>

#include <string_view>

namespace dailies::trainer {

std::string blockOf(const std::string& weight) {
    constexpr std::string_view kBlocks = "blocks.";
    if (!weight.starts_with(kBlocks)) return {};
    return weight.substr(0, weight.find('.', kBlocks.size()));
}

std::int64_t bytesOf(const at::Tensor& tensor) {
    return tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
}

void takeMemory(const at::Tensor& tensor) {
    auto* storage = tensor.storage().unsafeGetStorageImpl();
    const auto bytes = static_cast<std::size_t>(bytesOf(tensor));
    storage->set_data_ptr_noswap(storage->allocator()->allocate(bytes));
    storage->set_nbytes(bytes);
}

void freeMemory(const at::Tensor& tensor) {
    auto* storage = tensor.storage().unsafeGetStorageImpl();
    storage->set_data_ptr_noswap(at::DataPtr(nullptr, tensor.device()));
    storage->set_nbytes(0);
}

}  // namespace dailies::trainer
