#include "trainer/checkpoint/export.h"

#include "core/base/files.h"
#include "trainer/checkpoint/tensor_files.h"

namespace dailies::trainer {

void exportTensors(const std::filesystem::path& folder, const std::string& stem, const Params& tensors,
                   std::uint64_t shardBytes, const std::map<std::string, std::string>& metadata) {
    TensorIndex index;
    std::map<std::string, std::uint64_t> files;
    writeParts(folder, stem, partsOf(tensors), {}, shardBytes, index, files, metadata);
    if (files.size() == 1) return;
    Json places = Json::object();
    std::uint64_t bytes = 0;
    for (const auto& [name, tensor] : index.group(stem)) {
        places[name] = tensor.parts.front().file;
        bytes += tensor.parts.front().end - tensor.parts.front().begin;
    }
    const Json map = {{"metadata", {{"total_size", bytes}}}, {"weight_map", std::move(places)}};
    writeFileAtomically(folder / (stem + ".safetensors.index.json"), map.dump(2) + "\n");
}

}  // namespace dailies::trainer
