#pragma once

#include "core/base/json.h"
#include "trainer/tensors/box.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// A tensor of a file of weights: where its bytes lie, of which nothing has been read.
struct StoredTensor {
    std::string name;
    std::string type;  ///< as safetensors names it
    Extents shape;
    std::size_t file = 0;              ///< of StoredWeights::files
    std::uint64_t begin = 0, end = 0;  ///< bytes of that file

    std::int64_t elements() const;
};

struct WeightsFile {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::map<std::string, std::string> metadata = {};
    std::string problem = {};  ///< why it cannot be used, with a remedy; "" for a whole file
};

/// Files that hold one model together, or one file that may hold several.
struct StoredWeights {
    std::string name;  ///< where in the folder they lie: "transformer", "Wan2.1_VAE.pth"; "" for all of it
    std::vector<WeightsFile> files;
    std::vector<StoredTensor> tensors;
    Json config = Json::object();         ///< of the config.json beside them
    Json adapterConfig = Json::object();  ///< of an adapter_config.json beside them
    std::vector<std::string> problems;    ///< of the files together: a shard that is missing, …

    /// What the first file that has it says, "" where none does.
    std::string metadata(const std::string& key) const;
};

/// All weights of a file or a folder as published models lie on disk: a safetensors file, a folder of shards
/// with their index, an original folder of Wan, a pipeline of diffusers with a folder for each part. Reads
/// headers only. Throws `InputError` where there are none; what is wrong with single files stands in them.
std::vector<StoredWeights> findWeights(const std::filesystem::path& path);

/// The same where a configuration names the path: errors begin with its key.
std::vector<StoredWeights> findWeights(const std::string& key, const std::filesystem::path& path);

}  // namespace dailies::trainer::pretrained
