#include "remote/slurm/snapshot.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/slurm/fields.h"
#include "remote/slurm/hostlist.h"
#include "remote/slurm/output.h"

#include <algorithm>

namespace dailies::remote::slurm {

namespace {

/// Opens the output, so that a kept one is known again.
constexpr std::string_view kHead = "dailies-snapshot ";

/// A file system that does not answer must not hold up the rest. `quota` knows local and NFS limits, Lustre
/// has a command of its own.
constexpr std::string_view kDisk = R"sh(
within() { if command -v timeout >/dev/null 2>&1; then timeout 5 "$@"; else "$@"; fi; }
within df -Pk -- "$folder" 2>/dev/null
)sh";
constexpr std::string_view kQuota = R"sh(
if command -v lfs >/dev/null 2>&1; then within lfs quota -q -u "$(id -un)" "$folder" 2>/dev/null
elif command -v quota >/dev/null 2>&1; then within quota -w -p 2>/dev/null; fi
true
)sh";

/// sinfo's columns for parseSinfo.
std::string sinfoCommand() {
    const std::string unit(1, kUnit);
    return "sinfo -h -o '%R" + unit + "%P" + unit + "%a" + unit + "%l" + unit + "%D" + unit + "%c" + unit +
           "%G" + unit + "%m' || exit\n";
}

std::vector<std::string_view> sectionsOf(std::string_view out, std::string_view mark) {
    std::vector<std::string_view> sections;
    for (;;) {
        const auto end = out.find(mark);
        sections.push_back(out.substr(0, end));
        if (end == std::string_view::npos) return sections;
        out.remove_prefix(end + mark.size());
    }
}

/// The part of a quota's figure that is a number: "1024*" is over its limit.
std::int64_t figure(std::string_view text) {
    if (text.ends_with('*')) text.remove_suffix(1);
    return parseInteger(text);
}

std::vector<std::string> words(std::string_view line) {
    std::vector<std::string> found;
    for (std::string& word : split(line, ' '))
        if (const auto trimmed = trim(word); !trimmed.empty()) found.emplace_back(trimmed);
    return found;
}

}  // namespace

JobsByNode jobsByNode(const std::vector<QueuedJob>& queue) {
    JobsByNode jobs;
    for (std::size_t i = 0; i < queue.size(); ++i)
        for (std::string& node : expandHostlist(queue[i].status.node)) jobs[std::move(node)].push_back(i);
    return jobs;
}

std::string snapshotScript(const std::string& boundary, const std::string& folder, bool withNodes) {
    const std::string next = "printf '\\035%s' " + shellQuote(boundary) + "\n";
    std::string script = "export SLURM_BITSTR_LEN=0\n";  // else array ids are cut at 31 characters
    script += "printf '%s\\n' " + shellQuote(std::string(kHead) + boundary) + "\n" + next +
              "id -un\ndate +%s\n" + next + sinfoCommand() + next;
    if (withNodes) script += "scontrol -d -o show node || exit\n";
    script += next;
    if (!folder.empty())
        script += "folder=" + shellQuote(folder) + std::string(kDisk) + next + std::string(kQuota) + next;
    else
        script += next + next;
    return script + "squeue -h -O '" + queueFormat(boundary) + "' || exit\n" + next;
}

Snapshot parseSnapshot(std::string_view out) {
    const auto lineEnd = out.find('\n');
    if (!out.starts_with(kHead) || lineEnd == std::string_view::npos)
        throw Error("Unexpected Slurm output: it begins with '" + sanitizedText(out.substr(0, 80)) + "'.");
    const std::string boundary(out.substr(kHead.size(), lineEnd - kHead.size()));
    const auto sections = sectionsOf(out, "\x1d" + boundary);
    if (sections.size() != 8)
        throw Error("Unexpected Slurm output: " + std::to_string(sections.size()) + " sections, expected 8.");
    Snapshot snapshot;
    const auto who = split(trim(sections[1]), '\n');
    if (!who.empty()) snapshot.user = who.front();
    if (who.size() > 1) snapshot.time = parseInteger(trim(who[1]));
    snapshot.partitions = parseSinfo(sections[2]);
    snapshot.nodes = parseNodes(sections[3]);
    snapshot.hasNodes = !trim(sections[3]).empty();
    snapshot.disk = parseDf(sections[4]);
    addQuota(snapshot.disk, sections[5]);
    snapshot.jobs = parseQueue(sections[6], boundary);
    return snapshot;
}

DiskUsage parseDf(std::string_view out) {
    DiskUsage disk;
    for (const std::string& line : split(out, '\n')) {
        // A file system's name may hold spaces; the figures stand before the percentage.
        const auto fields = words(line);
        const auto percent = std::ranges::find_if(
            fields, [](const std::string& word) { return word.size() > 1 && word.ends_with('%'); });
        if (percent == fields.end() || percent - fields.begin() < 4) continue;
        disk.total = parseInteger(*(percent - 3)) * 1024;
        disk.used = parseInteger(*(percent - 2)) * 1024;
        disk.available = parseInteger(*(percent - 1)) * 1024;
    }
    return disk;
}

// Both print "FILESYSTEM used quota limit …" in KiB; a soft limit counts where there is no hard one. Of
// several file systems the one nearest to its limit is shown: which of them the folder is on, quota does not
// say.
void addQuota(DiskUsage& disk, std::string_view out) {
    for (const std::string& line : split(out, '\n')) {
        const auto fields = words(line);
        if (fields.size() < 4 || !isDigits(fields[2]) || !isDigits(fields[3])) continue;
        const std::int64_t used = figure(fields[1]) * 1024;
        const std::int64_t limit = std::max(parseInteger(fields[2]), parseInteger(fields[3])) * 1024;
        if (limit <= 0) continue;
        const auto fullness = [](std::int64_t u, std::int64_t l) {
            return l > 0 ? static_cast<double>(u) / static_cast<double>(l) : -1;
        };
        if (fullness(used, limit) > fullness(disk.quotaUsed, disk.quotaLimit)) {
            disk.quotaUsed = used;
            disk.quotaLimit = limit;
        }
    }
}

}  // namespace dailies::remote::slurm
