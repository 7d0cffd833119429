#include "trainer/checkpoint/checkpoints.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/checkpoint/safetensors.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ranges>

namespace dailies::trainer {

namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 1;
constexpr const char* kPrefix = "step-";

/// The step that a folder's name tells, if it is a checkpoint's.
std::optional<std::int64_t> stepOf(const fs::path& folder) {
    const auto name = folder.filename().string();
    if (!name.starts_with(kPrefix)) return std::nullopt;
    char* end = nullptr;
    const auto step = std::strtoll(name.c_str() + 5, &end, 10);
    if (*end != '\0' || end == name.c_str() + 5) return std::nullopt;
    return step;
}

bool isComplete(const fs::path& folder) {
    try {
        inspectCheckpoint(folder);
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::vector<fs::path> foldersIn(const fs::path& parent) {
    std::vector<fs::path> folders;
    std::error_code ignored;  // no folder yet: no checkpoints
    for (fs::directory_iterator at(parent, ignored), end; at != end; at.increment(ignored))
        if (stepOf(at->path())) folders.push_back(at->path());
    std::ranges::sort(folders, {}, [](const fs::path& folder) { return *stepOf(folder); });
    return folders;
}

void removeCheckpoint(const fs::path& folder) {
    std::error_code ignored;  // what cannot be removed now is tried again after the next save
    fs::remove(folder / "manifest.json", ignored);  // first: a half removed checkpoint must not look complete
    fs::remove_all(folder, ignored);
}

}  // namespace

Json inspectCheckpoint(const fs::path& folder) {
    const auto file = folder / "manifest.json";
    if (!fs::exists(file))
        throw InputError(folder.string() + " is not a complete checkpoint: it has no manifest.json.",
                         "Name a folder such as RUN/checkpoints/step-000001000.");
    const Json manifest = parseJson(readFile(file), file.string());
    try {
        if (manifest.at("format") != kFormat)
            throw InputError(file.string() + " has format " + manifest.at("format").dump() +
                             "; this trainer reads " + std::to_string(kFormat) + ".");
        for (const auto& [name, bytes] : manifest.at("files").items()) {
            std::error_code error;
            const auto size = fs::file_size(folder / name, error);
            if (error || size != bytes.get<std::uintmax_t>())
                throw InputError((folder / name).string() + " is missing or not " + bytes.dump() +
                                 " bytes long.");
        }
    } catch (const Json::exception&) {
        throw InputError(file.string() + " is not a manifest of this trainer.");
    }
    return manifest;
}

Checkpoints::Checkpoints(fs::path runFolder, std::int64_t keep)
    : m_runFolder(std::move(runFolder)), m_keep(keep) {}

fs::path Checkpoints::folder(std::int64_t step) const {
    char name[32];
    std::snprintf(name, sizeof name, "%s%09lld", kPrefix, static_cast<long long>(step));
    return m_runFolder / "checkpoints" / name;
}

Checkpoints::Saved Checkpoints::save(const TrainingState& state) const {
    const auto target = folder(state.step);
    try {
        removeCheckpoint(target);
        fs::create_directories(target);
        Json files = Json::object();
        std::int64_t bytes = 0;
        const auto write = [&](const std::string& name, const Params& tensors) {
            const auto size = writeSafetensors(target / name, tensors);
            files[name] = size;
            bytes += size;
        };
        write("weights.safetensors", state.weights);
        if (!state.average.names().empty()) write("average.safetensors", state.average);
        write("optimizer.safetensors", state.optimizer);
        const Json manifest = {{"format", kFormat},      {"step", state.step}, {"time", unixSeconds()},
                               {"model", state.model},   {"data", state.data}, {"progress", state.progress},
                               {"config", state.config}, {"files", files}};
        writeFileAtomically(target / "manifest.json", manifest.dump(2) + "\n");
        removeOld(state.step);
        return {fs::relative(target, m_runFolder).generic_string(), bytes};
    } catch (const fs::filesystem_error& error) {
        removeCheckpoint(target);
        throw Error("Cannot write " + target.string() + ": " + error.code().message() + ".");
    } catch (const Error&) {
        removeCheckpoint(target);
        throw;
    }
}

void Checkpoints::removeOld(std::int64_t newest) const {
    auto left = m_keep;
    auto folders = foldersIn(m_runFolder / "checkpoints");
    for (const auto& old : std::views::reverse(folders)) {
        // beyond the newest lies what a run left that was resumed from an older checkpoint
        const bool kept = *stepOf(old) <= newest && isComplete(old) && left-- > 0;
        if (!kept) removeCheckpoint(old);
    }
}

std::vector<std::int64_t> Checkpoints::completeSteps() const {
    std::vector<std::int64_t> steps;
    for (const auto& found : foldersIn(m_runFolder / "checkpoints"))
        if (isComplete(found)) steps.push_back(*stepOf(found));
    return steps;
}

std::optional<std::int64_t> Checkpoints::newest() const {
    const auto steps = completeSteps();
    return steps.empty() ? std::nullopt : std::optional(steps.back());
}

Json Checkpoints::manifest(std::int64_t step) const {
    return inspectCheckpoint(folder(step));
}

TrainingState Checkpoints::load(std::int64_t step) const {
    const auto source = folder(step);
    const Json found = manifest(step);
    TrainingState state;
    state.step = step;
    state.weights = readSafetensors(source / "weights.safetensors");
    if (found.at("files").contains("average.safetensors"))
        state.average = readSafetensors(source / "average.safetensors");
    state.optimizer = readSafetensors(source / "optimizer.safetensors");
    state.model = found.at("model");
    state.data = found.at("data");
    state.config = found.at("config");
    state.progress = found.at("progress");
    return state;
}

}  // namespace dailies::trainer
