#include "trainer/pretrained/weights_on_disk.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "trainer/serialization/safetensors_header.h"
#include "trainer/serialization/torch_zip.h"

#include <algorithm>
#include <regex>
#include <set>
#include <unordered_map>

namespace dailies::trainer::pretrained {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kIndexEnding = ".safetensors.index.json";
constexpr std::uintmax_t kLongestJson = 64'000'000;  // an index of a hundred thousand names takes a tenth

bool isPickle(const fs::path& file) {
    const auto ending = file.extension();
    return ending == ".pth" || ending == ".pt" || ending == ".bin" || ending == ".ckpt";
}

bool isWeights(const fs::path& file) {
    return file.extension() == ".safetensors" || isPickle(file);
}

bool isIndex(const fs::path& file) {
    return file.filename().string().ends_with(kIndexEnding);
}

std::uint64_t sizeOf(const fs::path& file) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return error ? 0 : size;
}

/// A command that writes the twin of a pickle that can be read here.
std::string converter(const fs::path& file) {
    const auto quoted = [](const fs::path& path) {
        return Json(path.string()).dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    auto twin = file;
    twin.replace_extension(".safetensors");
    return "python3 -c " + shellQuote(
                               "import torch, safetensors.torch as s; s.save_file({k: v.clone() for k, v in "
                               "torch.load(" +
                               quoted(file) +
                               ", map_location=\"cpu\", "
                               "weights_only=True).items()}, " +
                               quoted(twin) + ")");
}

/// Opens a file and appends it with its tensors; what is wrong with it becomes its problem.
void addFile(StoredWeights& weights, const fs::path& path) {
    WeightsFile file{path, sizeOf(path)};
    const bool pickle = isPickle(path);
    try {
        SafetensorsHeader header;
        if (pickle)
            header.tensors = readTorchZip(path);
        else
            header = readSafetensorsHeader(path);
        file.metadata = header.metadata;
        for (const auto& [name, type, shape, begin, end] : header.tensors)
            weights.tensors.push_back(
                {name, type, shape, weights.files.size(), header.start + begin, header.start + end});
    } catch (const Error& error) {
        const auto remedy =
            pickle ? "Fetch it again, or convert it: " + converter(path) : "Fetch or copy it again.";
        file.problem = std::string(error.what()) + " " + firstNonEmpty(error.remedy(), remedy);
    }
    weights.files.push_back(std::move(file));
}

/// The object in a JSON file; an empty one where there is no such file. Adds a problem where it is none.
Json objectIn(const fs::path& file, std::vector<std::string>& problems) {
    if (!fs::is_regular_file(file)) return Json::object();
    try {
        if (sizeOf(file) > kLongestJson) throw InputError(file.string() + " is too long.");
        auto json = parseJson(readFile(file), file.string());
        if (json.is_object()) return json;
        problems.push_back(file.string() + " is no JSON object.");
    } catch (const Error& error) {
        problems.push_back(error.full());
    }
    return Json::object();
}

void addConfigs(StoredWeights& weights, const fs::path& folder) {
    weights.config = objectIn(folder / "config.json", weights.problems);
    weights.adapterConfig = objectIn(folder / "adapter_config.json", weights.problems);
}

void refuseSecondNames(StoredWeights& weights) {
    std::unordered_map<std::string, std::size_t> seen;
    for (const auto& tensor : weights.tensors) {
        const auto [first, isNew] = seen.emplace(tensor.name, tensor.file);
        if (!isNew && first->second != tensor.file)
            weights.problems.push_back(tensor.name + " stands in " +
                                       weights.files[first->second].path.filename().string() + " and in " +
                                       weights.files[tensor.file].path.filename().string() + ".");
    }
}

/// The files that an index names, and whether they hold what it says.
StoredWeights fromIndex(const fs::path& index) {
    const auto folder = index.parent_path();
    StoredWeights weights;
    const auto map = objectIn(index, weights.problems).value("weight_map", Json::object());
    std::map<std::string, std::size_t> names;  // file → how many tensors the index says it has
    for (const auto& [name, file] : map.items()) {
        if (file.is_string() && fs::path(file.get<std::string>()).filename() == file.get<std::string>())
            ++names[file.get<std::string>()];
        else
            weights.problems.push_back(index.filename().string() + " names no file of its folder for " +
                                       name + ".");
    }
    if (names.empty()) weights.problems.push_back(index.string() + " lists no tensors.");
    for (const auto& [name, tensors] : names) {
        if (fs::exists(folder / name)) {
            addFile(weights, folder / name);
            continue;
        }
        weights.problems.push_back(name + " is missing, with " +
                                   pluralize(static_cast<long long>(tensors), "tensor", "tensors") +
                                   ": fetch it again.");
    }
    std::set<std::string> found;
    for (const auto& tensor : weights.tensors) found.insert(tensor.name);
    const bool allRead = std::ranges::all_of(weights.files, [](const auto& f) { return f.problem.empty(); });
    std::vector<std::string> lacking;
    for (const auto& [name, file] : map.items())
        if (file.is_string() && fs::exists(folder / file.get<std::string>()) && !found.contains(name))
            lacking.push_back(name);
    if (!lacking.empty() && allRead)
        weights.problems.push_back("The index lists " +
                                   pluralize(static_cast<long long>(lacking.size()),
                                             "tensor that its file lacks", "tensors that their files lack") +
                                   ", the first is " + lacking.front() + ".");
    return weights;
}

/// "model-00002-of-00006.safetensors" → "model", 2, 6.
struct Shard {
    std::string stem;
    std::int64_t number = 0, count = 0;
};

std::optional<Shard> shardOf(const fs::path& file) {
    static const std::regex pattern(R"((.*)-(\d{5})-of-(\d{5}))");
    const auto stem = file.stem().string();
    std::smatch parts;
    if (stem.size() > 250 || !std::regex_match(stem, parts, pattern)) return std::nullopt;
    return Shard{parts[1], std::stoll(parts[2]), std::stoll(parts[3])};
}

/// Shards that lie beside each other without an index.
StoredWeights fromShards(const std::vector<fs::path>& files) {
    StoredWeights weights;
    const auto count = shardOf(files.front())->count;
    std::set<std::int64_t> there;
    for (const auto& file : files) {
        addFile(weights, file);
        there.insert(shardOf(file)->number);
    }
    std::vector<std::string> lacking;
    for (std::int64_t i = 1; i <= count; ++i)
        if (!there.contains(i)) lacking.push_back(std::to_string(i));
    if (!lacking.empty())
        weights.problems.push_back("Of its " + std::to_string(count) + " shards " +
                                   pluralize(static_cast<long long>(lacking.size()), "is", "are") +
                                   " missing, number " + join(lacking, ", ") + ": fetch them again.");
    return weights;
}

struct Folder {
    std::vector<fs::path> indexes, files, folders;
};

Folder listed(const fs::path& path) {
    Folder found;
    std::error_code ignored;
    for (fs::directory_iterator at(path, ignored), end; at != end; at.increment(ignored)) {
        const auto& entry = at->path();
        if (fs::is_directory(entry, ignored))
            found.folders.push_back(entry);
        else if (isIndex(entry))
            found.indexes.push_back(entry);
        else if (isWeights(entry))
            found.files.push_back(entry);
    }
    for (auto* list : {&found.indexes, &found.files, &found.folders}) std::ranges::sort(*list);
    return found;
}

/// The weights that lie in a folder itself, each group of files named by its first one.
std::vector<StoredWeights> weightsIn(const fs::path& path) {
    const auto found = listed(path);
    std::vector<StoredWeights> all;
    std::set<fs::path> taken;
    for (const auto& index : found.indexes) {
        all.push_back(fromIndex(index));
        for (const auto& file : all.back().files) taken.insert(file.path);
        const auto name = index.filename().string();
        all.back().name = name.substr(0, name.size() - kIndexEnding.size());
    }
    std::map<std::string, std::vector<fs::path>> shards;
    for (const auto& file : found.files) {
        if (taken.contains(file)) continue;
        if (const auto shard = shardOf(file))
            shards[shard->stem + "-of-" + std::to_string(shard->count)].push_back(file);
        else {
            all.emplace_back().name = file.filename().string();
            addFile(all.back(), file);
        }
    }
    for (const auto& [name, files] : shards) {
        all.push_back(fromShards(files));
        all.back().name = shardOf(files.front())->stem;
    }
    for (auto& weights : all) {
        addConfigs(weights, path);
        refuseSecondNames(weights);
    }
    return all;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
    throw InputError(path.string() + " " + what,
                     "Name a .safetensors file, a folder that holds some (also with a "
                     ".safetensors.index.json), a folder of diffusers with its model_index.json, or "
                     "RUN/checkpoints/step-000001000.");
}

}  // namespace

std::int64_t StoredTensor::elements() const {
    return Box::whole(shape).elements();
}

std::string StoredWeights::metadata(const std::string& key) const {
    for (const auto& file : files)
        if (const auto found = file.metadata.find(key); found != file.metadata.end()) return found->second;
    return "";
}

std::vector<StoredWeights> findWeights(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) refuse(path, "is not there.");
    if (!fs::is_directory(path)) {
        StoredWeights weights;
        if (isIndex(path)) {
            weights = fromIndex(path);
        } else if (isWeights(path)) {
            addFile(weights, path);
            if (const auto shard = shardOf(path); shard && shard->count > 1)
                weights.problems.push_back("It is one of " + std::to_string(shard->count) +
                                           " shards: name their folder.");
        } else {
            refuse(path, "is no file of weights by its name.");
        }
        addConfigs(weights, path.parent_path());
        refuseSecondNames(weights);
        return {std::move(weights)};
    }
    auto all = weightsIn(path);
    for (const auto& folder : listed(path).folders) {
        auto inside = weightsIn(folder);
        const bool several = inside.size() > 1;
        for (auto& weights : inside) {
            weights.name = folder.filename().string() + (several ? "/" + weights.name : "");
            all.push_back(std::move(weights));
        }
    }
    if (all.empty()) refuse(path, "holds no weights.");
    if (all.size() == 1) all.front().name.clear();
    return all;
}

std::vector<StoredWeights> findWeights(const std::string& key, const fs::path& path) {
    try {
        return findWeights(path);
    } catch (const InputError& error) {
        throw InputError(key + ": " + error.what(), error.remedy());
    }
}

}  // namespace dailies::trainer::pretrained
