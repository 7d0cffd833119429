#include "tests/trainer/serialization/float_file.h"

#include "trainer/serialization/binary_file.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/serialization/safetensors_header.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

std::string typeNameOf(at::ScalarType type) {
    if (type == at::kFloat8_e4m3fn) return "F8_E4M3";
    if (type == at::kFloat8_e5m2) return "F8_E5M2";
    return safetensorsType(type);
}

}  // namespace

void writeFloatFile(const std::filesystem::path& path,
                    const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                    const std::map<std::string, std::string>& metadata) {
    SafetensorsHeader header;
    header.metadata = metadata;
    std::uint64_t offset = 0;
    for (const auto& [name, tensor] : tensors) {
        header.tensors.push_back(
            {name, typeNameOf(tensor.scalar_type()), tensor.sizes().vec(), offset, offset + tensor.nbytes()});
        offset += tensor.nbytes();
    }
    auto file = BinaryFile::openForWrite(path);
    const auto begin = encodeSafetensorsHeader(header);
    file.write(begin.data(), begin.size());
    for (const auto& [name, tensor] : tensors) {
        const auto plain = tensor.contiguous();
        file.write(plain.const_data_ptr(), plain.nbytes());
    }
}

}  // namespace dailies::trainer
