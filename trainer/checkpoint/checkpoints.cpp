#include "trainer/checkpoint/checkpoints.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/checkpoint/checkpoint_folder.h"
#include "trainer/checkpoint/tensor_files.h"
#include "trainer/serialization/binary_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

namespace dailies::trainer {

namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 2;
constexpr std::chrono::minutes kSharePatience{10};
constexpr std::chrono::milliseconds kShareInterval{20};

std::optional<Json> completeManifest(const fs::path& folder) {
    try {
        return inspectCheckpoint(folder);
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Checkpoint folders, oldest first.
std::vector<fs::path> foldersIn(const fs::path& parent) {
    std::vector<fs::path> folders;
    std::error_code ignored;  // no folder yet: no checkpoints
    for (fs::directory_iterator at(parent, ignored), end; at != end; at.increment(ignored))
        if (stepOf(at->path())) folders.push_back(at->path());
    std::ranges::sort(folders, {}, [](const fs::path& folder) { return *stepOf(folder); });
    return folders;
}

void removeCheckpoint(const fs::path& folder) {
    std::error_code ignored;                  // what cannot be removed now is tried again after the next save
    fs::remove(folder / kManifest, ignored);  // first: a half removed checkpoint must not look complete
    fs::remove_all(folder, ignored);
}

/// A metric at the time of the checkpoint; NaN where it has none, so that a strange manifest spoils no save.
double metricOf(const Json& manifest, const std::string& name) {
    const auto& metrics = manifest.at("metrics");
    const auto found = metrics.find(name);
    return found != metrics.end() && found->is_number() ? found->get<double>() : NAN;
}

std::map<std::string, std::uint64_t> filesOf(const Json& manifest) {
    std::map<std::string, std::uint64_t> files;
    for (const auto& [name, bytes] : manifest.at("files").items()) {
        if (fs::path(name).filename() != name || name == ".." || !bytes.is_number_unsigned())
            throw InputError("its list of files has an impossible entry");
        files[name] = bytes.get<std::uint64_t>();
    }
    return files;
}

/// What a manifest of this format must hold, and its files.
void checkManifest(const fs::path& folder, const Json& manifest) {
    for (const auto* key : {"model", "data", "progress", "config", "metrics"})
        if (!manifest.at(key).is_object() && !manifest.at(key).is_null())
            throw InputError(std::string("its ") + key + " is not an object");
    if (!manifest.at("step").is_number_integer()) throw InputError("its step is not a number");
    for (const auto& [name, bytes] : filesOf(manifest)) {
        std::error_code error;
        const auto size = fs::file_size(folder / name, error);
        if (error || size != bytes)
            throw InputError(name + " is missing or not " + std::to_string(bytes) + " bytes long");
    }
    indexOf(manifest);
}

struct WrittenTensors {
    TensorIndex index;
    std::map<std::string, std::uint64_t> files;
};

/// What the state's rank has of a checkpoint's tensors.
WrittenTensors writeTensors(const fs::path& target, const TrainingState& state, std::int64_t shardBytes) {
    WrittenTensors written;
    const auto write = [&](const char* group, const Params& tensors) {
        writeParts(target, group, partsOf(tensors, state.ranges), state.share,
                   static_cast<std::uint64_t>(shardBytes), written.index, written.files);
    };
    write("weights", state.weights);
    if (!state.average.names().empty()) write("average", state.average);
    write("optimizer", state.optimizer);
    return written;
}

std::int64_t bytesOf(const std::map<std::string, std::uint64_t>& files) {
    std::int64_t bytes = 0;
    for (const auto& [name, size] : files) bytes += static_cast<std::int64_t>(size);
    return bytes;
}

/// Where a rank tells the leading one what it has written, or why it could not.
std::string shareFile(std::int64_t rank) {
    return "share-" + std::to_string(rank) + ".json";
}

std::int64_t writeShare(const fs::path& target, const TrainingState& state, std::int64_t shardBytes) {
    const auto file = target / shareFile(state.share.rank);
    try {
        const auto [index, files] = writeTensors(target, state, shardBytes);
        writeFileAtomically(file, Json{{"files", files}, {"tensors", index.toJson()}}.dump());
        return bytesOf(files);
    } catch (const std::exception& error) {
        const auto* ours = dynamic_cast<const Error*>(&error);
        writeFileAtomically(file, Json{{"error", ours ? ours->full() : error.what()}}.dump());
        throw;
    }
}

/// Waits for a rank's share and takes it into the whole.
void takeShare(const fs::path& target, std::int64_t rank, TensorIndex& index,
               std::map<std::string, std::uint64_t>& files) {
    const auto file = target / shareFile(rank);
    const auto until = std::chrono::steady_clock::now() + kSharePatience;
    while (!fs::exists(file)) {
        if (std::chrono::steady_clock::now() > until)
            throw Error("Rank " + std::to_string(rank) + " has not written its part of " + target.string() +
                        " within " + std::to_string(kSharePatience.count()) + " minutes.");
        std::this_thread::sleep_for(kShareInterval);
    }
    const auto share = parseJson(readFile(file), file.string());
    if (share.contains("error"))
        throw Error("Rank " + std::to_string(rank) + ": " + share.value("error", ""));
    index.join(TensorIndex::fromJson(share.at("tensors")));
    files.merge(filesOf(share));
}

/// What a manifest says of the state beside its tensors.
TrainingState factsOf(const Json& manifest, std::int64_t step) {
    TrainingState state;
    state.step = step;
    state.model = manifest.at("model");
    state.data = manifest.at("data");
    state.config = manifest.at("config");
    state.progress = manifest.at("progress");
    return state;
}

}  // namespace

Json inspectCheckpoint(const fs::path& folder) {
    const auto file = folder / kManifest;
    if (!fs::exists(file))
        throw InputError(folder.string() + " is not a complete checkpoint: it has no manifest.json.",
                         "Name a folder such as RUN/checkpoints/step-000001000.");
    const Json manifest = parseJson(readFile(file), file.string());
    try {
        if (manifest.at("format") != kFormat)
            throw InputError("it has format " + manifest.at("format").dump() + ", and this trainer reads " +
                             std::to_string(kFormat));
        checkManifest(folder, manifest);
    } catch (const Json::exception&) {
        throw InputError(file.string() + " is not a manifest of this trainer.");
    } catch (const InputError& error) {
        throw InputError(folder.string() + " cannot be used: " + error.what() + ".");
    }
    return manifest;
}

TensorIndex indexOf(const Json& manifest) {
    auto index = TensorIndex::fromJson(manifest.at("tensors"));
    index.check(filesOf(manifest));
    return index;
}

Checkpoints::Checkpoints(fs::path runFolder, config::TrainConfig::Checkpoint config)
    : m_runFolder(std::move(runFolder)), m_config(std::move(config)) {}

fs::path Checkpoints::folder(std::int64_t step) const {
    char name[32];
    std::snprintf(name, sizeof name, "%s%09lld", kCheckpointPrefix, static_cast<long long>(step));
    return m_runFolder / "checkpoints" / name;
}

void Checkpoints::prepare(std::int64_t step) const {
    const auto target = folder(step);
    try {
        removeCheckpoint(target);
        fs::create_directories(target);
        flushFolder(target.parent_path());
    } catch (const fs::filesystem_error& error) {
        throw Error("Cannot write " + target.string() + ": " + error.code().message() + ".");
    }
}

Checkpoints::Saved Checkpoints::save(const TrainingState& state) const {
    const auto target = folder(state.step);
    const auto& share = state.share;
    const std::string path = "checkpoints/" + target.filename().string();
    if (share.rank > 0) return {path, writeShare(target, state, m_config.shard_bytes)};
    try {
        if (share.ranks == 1) prepare(state.step);
        auto [index, files] = writeTensors(target, state, m_config.shard_bytes);
        for (std::int64_t rank = 1; rank < share.ranks; ++rank) takeShare(target, rank, index, files);
        Json metrics = Json::object();
        for (const auto& [name, value] : state.metrics) metrics[name] = numberToJson(value);
        const Json manifest = {
            {"format", kFormat},          {"step", state.step},     {"time", unixSeconds()},
            {"metrics", metrics},         {"model", state.model},   {"data", state.data},
            {"progress", state.progress}, {"config", state.config}, {"files", files},
            {"tensors", index.toJson()}};
        writeFileAtomically(target / kManifest, manifest.dump(1) + "\n");
        for (std::int64_t rank = 1; rank < share.ranks; ++rank) {
            std::error_code ignored;
            fs::remove(target / shareFile(rank), ignored);
        }
        removeOld(state.step);
        return {path, bytesOf(files)};
    } catch (...) {
        removeCheckpoint(target);
        throw;
    }
}

void Checkpoints::removeOld(std::int64_t newest) const {
    std::vector<fs::path> complete, others;
    for (const auto& found : foldersIn(m_runFolder / "checkpoints")) {
        // beyond the newest lies what a run left that was resumed from an older checkpoint
        const bool usable = *stepOf(found) <= newest && completeManifest(found);
        (usable ? complete : others).push_back(found);
    }
    const auto kept = keptOf(complete);
    for (const auto& old : complete)
        if (!kept.contains(old)) removeCheckpoint(old);
    for (const auto& other : others) removeCheckpoint(other);
}

std::set<fs::path> Checkpoints::keptOf(const std::vector<fs::path>& complete) const {
    std::set<fs::path> kept;
    const auto newest = std::min(complete.size(), static_cast<std::size_t>(m_config.keep));
    kept.insert(complete.end() - static_cast<std::ptrdiff_t>(newest), complete.end());
    std::optional<double> best;
    fs::path bestFolder;
    for (const auto& found : complete) {
        if (m_config.keep_every > 0 && *stepOf(found) % m_config.keep_every == 0) kept.insert(found);
        if (m_config.keep_best.empty()) continue;
        const auto manifest = completeManifest(found);
        if (!manifest) continue;
        const double value = metricOf(*manifest, m_config.keep_best);
        const bool better = !best || (m_config.best_is == "highest" ? value > *best : value < *best);
        if (!std::isfinite(value) || !better) continue;
        best = value;
        bestFolder = found;
    }
    if (best) kept.insert(bestFolder);
    return kept;
}

std::optional<std::int64_t> Checkpoints::newest() const {
    const auto folders = foldersIn(m_runFolder / "checkpoints");
    for (auto found = folders.rbegin(); found != folders.rend(); ++found) {
        if (completeManifest(*found)) return stepOf(*found);
        if (!fs::exists(*found / kManifest)) continue;
        try {
            const auto manifest = parseJson(readFile(*found / kManifest), "manifest");
            if (manifest.is_object() && manifest.value("format", kFormat) != kFormat)
                throw InputError("The run's newest checkpoint, " + found->string() + ", has format " +
                                     manifest.at("format").dump() + "; this trainer reads " +
                                     std::to_string(kFormat) + ".",
                                 "Go on with the trainer that wrote it, or start a new run.");
        } catch (const Json::exception&) {  // damaged: an older one serves
        }
    }
    return std::nullopt;
}

Json Checkpoints::manifest(std::int64_t step) const {
    return inspectCheckpoint(folder(step));
}

TrainingState Checkpoints::load(std::int64_t step) const {
    const auto source = folder(step);
    const auto found = manifest(step);
    const auto index = indexOf(found);
    auto state = factsOf(found, step);
    state.weights = readGroup(source, index.group("weights"));
    state.average = readGroup(source, index.group("average"));
    state.optimizer = readGroup(source, index.group("optimizer"));
    return state;
}

void Checkpoints::loadInto(std::int64_t step, const std::string& group, const Params& tensors,
                           const TensorRanges& ranges) const {
    readInto(folder(step), indexOf(manifest(step)).group(group), tensors, ranges);
}

TrainingState Checkpoints::loadMetadata(std::int64_t step) const {
    return factsOf(manifest(step), step);
}

}  // namespace dailies::trainer
