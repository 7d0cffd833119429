#include "remote/follow/run_folders.h"

#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/sources/registry.h"
#include "core/sources/source.h"
#include "core/tracking/clip_path.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace dailies::remote {

namespace {

/// Folders in which trackers and trainers put what they write of a run.
constexpr std::array<std::string_view, 10> kPartsOfRuns = {
    "tensorboard", "tb", "logs", "log", "runs", "events", "trackio", "media", "files", "metrics"};
/// Folders in which trackers make one folder a run.
constexpr std::array<std::string_view, 5> kHoldRuns = {"wandb", "lightning_logs", "runs", "logs",
                                                       "tensorboard"};

/// Of a file of JSON lines: data sets have such files, too.
constexpr std::array<std::string_view, 9> kMetricWords = {"metric", "log",    "loss",    "train", "history",
                                                          "stat",   "scalar", "trackio", "result"};

bool contains(auto&& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

std::string parentOf(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string lastPart(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

bool isWithin(const std::string& path, const std::string& folder) {
    return folder.empty() || path == folder || path.starts_with(folder + "/");
}

bool isTrackersFile(const std::string& path) {
    const auto* source = sources::sourceOf(path);
    if (!source || source == &sources::programOutput()) return false;
    if (source != &sources::jsonLines()) return true;
    const std::string name = lowered(lastPart(path));
    return std::ranges::any_of(kMetricWords,
                               [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

std::string folderOfRun(const std::string& path) {
    std::string folder = parentOf(path);
    for (std::string at = folder; !at.empty(); at = parentOf(at))
        if (isMlflowRun(at)) return at;
    // Hugging Face's Trainer repeats in each checkpoint what it logged
    if (sources::sourceOf(path) == &sources::trainerState() && lastPart(folder).starts_with("checkpoint-"))
        folder = parentOf(folder);
    while (!folder.empty() && contains(kPartsOfRuns, lastPart(folder))) folder = parentOf(folder);
    return folder;
}

/// "exp1/wandb/offline-run-1" is exp1 where exp1/wandb holds no other.
std::set<std::string> withoutSingles(const std::set<std::string>& folders) {
    std::map<std::string, int> inside;
    for (const auto& folder : folders) ++inside[parentOf(folder)];
    std::set<std::string> lifted;
    for (const auto& folder : folders) {
        const auto holder = parentOf(folder);
        const bool isSingle = !holder.empty() && !isMlflowRun(folder) && inside[holder] == 1 &&
                              contains(kHoldRuns, lastPart(holder));
        lifted.insert(isSingle ? parentOf(holder) : folder);
    }
    return lifted;
}

}  // namespace

bool isMlflowRun(const std::string& folder) {
    return isId(lastPart(folder));
}

std::vector<std::string> runFolders(const std::vector<std::string>& paths) {
    std::set<std::string> tracked;
    for (const auto& path : paths)
        if (isTrackersFile(path)) tracked.insert(folderOfRun(path));
    std::set<std::string> runs = withoutSingles(tracked);
    for (const auto& path : paths) {
        if (tracking::isClipPath(path) || sources::sourceOf(path) != &sources::programOutput()) continue;
        const auto folder = folderOfRun(path);
        const bool belongs =
            std::ranges::any_of(tracked,
                                [&](const std::string& other) {
                                    return isWithin(other, folder) || isWithin(folder, other);
                                }) ||
            std::ranges::any_of(
                runs, [&](const std::string& run) { return run != folder && isWithin(folder, run); });
        if (!belongs) runs.insert(folder);
    }
    return {runs.begin(), runs.end()};
}

}  // namespace dailies::remote
