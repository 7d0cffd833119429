#include "remote/fit/storage_check.h"

#include "core/base/numbers.h"
#include "core/base/size_text.h"
#include "core/base/text.h"
#include "core/planner/memory.h"

#include <algorithm>
#include <cctype>

namespace dailies::remote {

namespace {

constexpr double kKibibyte = 1024;
/// Logs, events, clips of people's own sampling: nobody wants a file system filled to its last byte.
constexpr double kReserve = 0.1;
constexpr double kFilesOfARun = 200;

std::optional<double> number(std::string_view text) {
    while (!text.empty() && (text.back() == '*' || text.back() == '+'))
        text.remove_suffix(1);  // over the quota
    return parseAs<double>(text);
}

std::vector<std::string> words(const std::string& line) {
    std::vector<std::string> found;
    for (const auto& word : split(line, ' '))
        if (!trim(word).empty()) found.emplace_back(trim(word));
    return found;
}

/// Of "used quota limit" in KiB what is left under the lower of quota and limit; 0 stands for none.
std::optional<double> leftOf(const std::vector<std::string>& columns, std::size_t first) {
    if (columns.size() < first + 3) return std::nullopt;
    const auto used = number(columns[first]), soft = number(columns[first + 1]),
               hard = number(columns[first + 2]);
    if (!used || !soft || !hard) return std::nullopt;
    double most = 0;
    for (const double limit : {*soft, *hard})
        if (limit > 0 && (most == 0 || limit < most)) most = limit;
    if (most == 0) return std::nullopt;
    return std::max(0.0, (most - *used) * kKibibyte);
}

}  // namespace

SweepStorage estimateStorage(const std::vector<sweep::PlannedRun>& runs, std::size_t total) {
    SweepStorage sum;
    for (const auto& run : runs) {
        const auto config = config::resolve(run.config);
        const auto need = planner::estimateStorage(config, planner::DataShape::expected(config));
        sum.bytes += need.peakBytes();
        sum.oneCheckpoint = std::max(sum.oneCheckpoint, need.checkpoint);
        sum.checkpoints += need.kept;
    }
    if (runs.empty() || total <= runs.size()) return sum;
    const double share = static_cast<double>(total) / static_cast<double>(runs.size());
    sum.bytes *= share;
    sum.checkpoints = static_cast<std::int64_t>(static_cast<double>(sum.checkpoints) * share);
    return sum;
}

const std::string_view kFreeSpaceScript = R"sh(
df -Pk -- "$folder" 2>/dev/null | awk 'NR == 2 {print "blocks " $4}'
df -Pi -- "$folder" 2>/dev/null | awk 'NR == 2 {print "inodes " $4}'
if command -v lfs >/dev/null 2>&1; then
    lfs quota -q -u "$(id -un)" "$folder" 2>/dev/null | tr '\n' ' ' | sed 's/^/lfs /;s/$/\n/'
fi
if command -v quota >/dev/null 2>&1; then
    device=$(df -P -- "$folder" 2>/dev/null | awk 'NR == 2 {print $1}')
    quota -w 2>/dev/null | awk -v device="$device" '$1 == device {print "quota " $0}'
fi
true
)sh";

FreeSpace parseFreeSpace(std::string_view out) {
    FreeSpace room;
    for (const auto& line : split(out, '\n')) {
        const auto columns = words(line);
        if (columns.size() < 2) continue;
        if (columns[0] == "blocks") {
            if (const auto kib = number(columns[1])) room.freeBytes = *kib * kKibibyte;
        } else if (columns[0] == "inodes") {
            // file systems without a fixed number of them say 0 or "-"
            if (const auto inodes = number(columns[1]); inodes && *inodes > 0) room.freeInodes = *inodes;
        } else if (columns[0] == "lfs" || columns[0] == "quota") {
            const auto left = leftOf(columns, 2);
            if (!left || (room.quotaBytes && *room.quotaBytes <= *left)) continue;
            room.quotaBytes = left;
            room.quotaSource = columns[0] == "lfs" ? "lfs quota" : "quota";
        }
    }
    return room;
}

ClusterFinding checkStorage(const SweepStorage& need, const FreeSpace& room, const std::string& folder) {
    const std::string writes = "the runs write about " + binarySizeText(need.bytes) + " (" +
                               std::to_string(need.checkpoints) +
                               (need.checkpoints == 1 ? " checkpoint of " : " checkpoints of up to ") +
                               binarySizeText(need.oneCheckpoint) + ")";
    const std::string remedy =
        "Keep fewer checkpoints (checkpoint.keep, checkpoint.keep_every), launch fewer runs, or free some "
        "space.";
    std::optional<double> free = room.freeBytes;
    std::string where = "the file system of " + folder;
    if (room.quotaBytes && (!free || *room.quotaBytes < *free)) {
        free = room.quotaBytes;
        where = "your quota in " + folder + " (" + room.quotaSource + ")";
    }
    if (!free) return {"Storage", Verdict::Good, writes + "; free space is unknown", {}};
    const std::string found = writes + "; " + where + " has " + binarySizeText(*free) + " left";
    if (need.bytes > *free) return {"Storage", Verdict::Bad, found, remedy};
    if (need.bytes > *free * (1 - kReserve)) return {"Storage", Verdict::Warn, found, remedy};
    if (room.freeInodes && *room.freeInodes < kFilesOfARun * static_cast<double>(need.checkpoints))
        return {"Storage", Verdict::Warn, found + ", but few free inodes", remedy};
    return {"Storage", Verdict::Good, found, {}};
}

}  // namespace dailies::remote
