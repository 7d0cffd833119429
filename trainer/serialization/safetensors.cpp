#include "trainer/serialization/safetensors.h"

#include "core/base/error.h"
#include "trainer/serialization/binary_file.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>

namespace dailies::trainer {

namespace {

constexpr std::pair<at::ScalarType, const char*> kTensorTypes[] = {
    {at::kFloat, "F32"}, {at::kBFloat16, "BF16"}, {at::kHalf, "F16"}, {at::kByte, "U8"}, {at::kLong, "I64"},
};

}  // namespace

std::string safetensorsType(at::ScalarType type) {
    for (const auto& [ours, name] : kTensorTypes)
        if (ours == type) return name;
    throw InputError(std::string("Tensors of type ") + c10::toString(type) + " cannot be saved.",
                     "F32, BF16, F16, U8 and I64 can.");
}

at::ScalarType scalarTypeOf(const std::string& type) {
    for (const auto& [ours, name] : kTensorTypes)
        if (name == type) return ours;
    throw InputError("tensors of type " + type + " are not read; F32, BF16, F16, U8 and I64 are");
}

SafetensorsHeader writeSafetensors(const std::filesystem::path& path, const Params& tensors,
                                   const std::map<std::string, std::string>& metadata) {
    std::vector<std::size_t> order(tensors.names().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t i) { return tensors.tensors()[i].element_size(); });
    SafetensorsHeader header;
    header.metadata = metadata;
    std::uint64_t offset = 0;
    for (const auto i : order) {
        const auto& tensor = tensors.tensors()[i];
        const auto end = offset + tensor.nbytes();
        header.tensors.push_back(
            {tensors.names()[i], safetensorsType(tensor.scalar_type()), tensor.sizes().vec(), offset, end});
        offset = end;
    }
    const auto begin = encodeSafetensorsHeader(header);
    header.start = begin.size();
    try {
        auto file = BinaryFile::openForWrite(path);
        file.write(begin.data(), begin.size());
        for (const auto i : order) {
            const auto plain = tensors.tensors()[i].detach().to(at::kCPU).contiguous();
            file.write(plain.const_data_ptr(), plain.nbytes());
        }
        file.flush();
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
        throw;
    }
    return header;
}

Params readSafetensors(const std::filesystem::path& path) {
    const auto header = readSafetensorsHeader(path);
    const auto file = BinaryFile::openForRead(path);
    Params tensors;
    try {
        for (const auto& entry : header.tensors) {
            auto tensor = at::empty(entry.shape, scalarTypeOf(entry.type));
            file.readAt(header.start + entry.begin, tensor.mutable_data_ptr(), entry.end - entry.begin);
            tensors.add(entry.name, std::move(tensor));
        }
    } catch (const InputError& error) {
        throw Error(path.string() + " cannot be used: " + error.what() + ".");
    }
    return tensors;
}

}  // namespace dailies::trainer
