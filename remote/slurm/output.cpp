#include "remote/slurm/output.h"

#include "core/base/text.h"
#include "remote/slurm/fields.h"

#include <algorithm>
#include <array>

namespace dailies::remote::slurm {

namespace {

/// Adds one status for each task that the row's id column names.
void addRows(std::vector<JobStatus>& rows, std::string_view id, const JobStatus& status) {
    if (status.state.empty()) return;
    for (std::string& job : expandTasks(trim(id))) {
        rows.push_back(status);
        rows.back().job = std::move(job);
    }
}

}  // namespace

const std::vector<std::string>& squeueColumns() {
    static const std::vector<std::string> columns{"JobArrayID", "State",      "Reason",     "exit_code",
                                                  "NodeList",   "RestartCnt", "SubmitTime", "StartTime",
                                                  "EndTime",    "Comment"};
    return columns;
}

std::vector<JobStatus> parseSqueue(std::string_view out) {
    std::vector<JobStatus> rows;
    for (const std::string& line : split(out, '\n')) {
        const auto fields = split(line, kUnit);
        if (fields.size() < squeueColumns().size()) continue;
        JobStatus status;
        status.state = normalizeState(fields[1]);
        status.reason = fieldOrEmpty(fields[2]);
        status.exitCode = isFinal(status.state) ? exitCodeOf(fieldOrEmpty(fields[3])) : std::string();
        status.node = fieldOrEmpty(fields[4]);
        status.restarts = parseInteger(trim(fields[5]));
        status.submitTime = parseInteger(trim(fields[6]));
        status.startTime = parseInteger(trim(fields[7]));
        // Of a job that has not ended, Slurm gives the latest possible end.
        status.endTime = isFinal(status.state) ? parseInteger(trim(fields[8])) : 0;
        if (status.state == "PENDING") status.startTime = 0;  // an estimate
        status.comment = fieldOrEmpty(fields[9]);
        addRows(rows, fields[0], status);
    }
    return rows;
}

std::vector<JobStatus> parseSacct(std::string_view out) {
    std::vector<JobStatus> rows;
    for (const std::string& line : split(out, '\n')) {
        const auto fields = split(line, kUnit);
        if (fields.size() < 9) continue;
        JobStatus status;
        status.state = normalizeState(fields[1]);
        status.reason = fieldOrEmpty(fields[2]);
        status.exitCode = isFinal(status.state) ? fieldOrEmpty(fields[3]) : std::string();
        status.node = fieldOrEmpty(fields[4]);
        status.submitTime = parseInteger(trim(fields[5]));
        status.startTime = parseInteger(trim(fields[6]));
        status.endTime = parseInteger(trim(fields[7]));
        status.comment = fieldOrEmpty(fields[8]);
        addRows(rows, fields[0], status);
    }
    return rows;
}

namespace {

/// Of rows that show features as well; "64+" is the least of nodes that differ.
void addKind(const std::vector<std::string>& fields, Partition& partition) {
    if (fields.size() < 9) return;
    NodeKind kind{.nodes = static_cast<int>(parseInteger(fields[4])),
                  .cpus = static_cast<int>(parseInteger(split(fields[5] + "+", '+').front())),
                  .memory = parseInteger(split(fields[7] + "+", '+').front()),
                  .gres = fieldOrEmpty(fields[6])};
    for (const auto& feature : split(fieldOrEmpty(std::string(trim(fields[8]))), ','))
        if (!feature.empty()) kind.features.push_back(feature);
    partition.kinds.push_back(std::move(kind));
}

}  // namespace

std::vector<Partition> parseSinfo(std::string_view out) {
    std::vector<Partition> partitions;
    for (const std::string& line : split(out, '\n')) {
        const auto fields = split(line, kUnit);
        if (fields.size() < 8 || fields[0].empty()) continue;
        auto at = std::find_if(partitions.begin(), partitions.end(),
                               [&](const Partition& p) { return p.name == fields[0]; });
        if (at == partitions.end()) {
            partitions.push_back({.name = fields[0],
                                  .isDefault = fields[1].ends_with('*'),
                                  .up = fields[2] == "up",
                                  .timeLimit = fields[3]});
            at = partitions.end() - 1;
        }
        at->nodes += static_cast<int>(parseInteger(fields[4]));
        addKind(fields, *at);
        // "64+" where the nodes differ
        const auto most = [](const std::string& field) {
            return parseInteger(split(field + "+", '+').front());
        };
        at->cpusPerNode = std::max(at->cpusPerNode, static_cast<int>(most(fields[5])));
        at->memoryPerNode = std::max(at->memoryPerNode, most(std::string(trim(fields[7]))));
        const std::string gres = fieldOrEmpty(fields[6]);
        if (!gres.empty() && at->gres.find(gres) == std::string::npos)
            at->gres += (at->gres.empty() ? "" : ",") + gres;
    }
    return partitions;
}

std::map<std::string, std::string> parseConfig(std::string_view out) {
    std::map<std::string, std::string> values;
    for (const std::string& line : split(out, '\n')) {
        const auto equals = line.find('=');
        if (equals == std::string::npos) continue;
        const std::string_view whole = line;
        values.emplace(trim(whole.substr(0, equals)), trim(whole.substr(equals + 1)));
    }
    return values;
}

void addDefaultMemory(std::vector<Partition>& partitions, std::string_view shown,
                      const std::map<std::string, std::string>& config) {
    std::map<std::string, std::map<std::string, std::string>> own;
    for (const std::string& line : split(shown, '\n')) {
        std::string words = line;
        std::ranges::replace(words, ' ', '\n');
        auto values = parseConfig(words);
        if (const auto name = values.find("PartitionName"); name != values.end())
            own[name->second] = std::move(values);
    }
    const auto parseMebibytes = [](const std::map<std::string, std::string>& values, const char* key) {
        const auto at = values.find(key);
        return at == values.end() ? std::int64_t{0}
                                  : parseInteger(at->second);  // "UNLIMITED" is not a number
    };
    for (auto& partition : partitions) {
        for (const auto& values : {own[partition.name], config}) {
            partition.defaultMemoryPerCpu = parseMebibytes(values, "DefMemPerCPU");
            partition.defaultMemoryPerNode = parseMebibytes(values, "DefMemPerNode");
            if (partition.defaultMemoryPerCpu > 0 || partition.defaultMemoryPerNode > 0) break;
        }
    }
}

std::vector<std::string> expandTasks(std::string_view id, std::size_t limit) {
    if (isJobId(id)) return {std::string(id)};
    const auto bracket = id.find("_[");
    if (bracket == std::string_view::npos || !id.ends_with(']') || !isDigits(id.substr(0, bracket)))
        return {};
    std::string_view ranges = id.substr(bracket + 2, id.size() - bracket - 3);
    ranges = ranges.substr(0, ranges.find('%'));
    std::vector<std::string> tasks;
    for (const std::string& range : split(ranges, ',')) {
        // "1-9:2" counts in steps
        const auto colon = range.find(':');
        const std::string bounds = range.substr(0, colon);
        const auto dash = bounds.find('-');
        const std::string first = bounds.substr(0, dash);
        const std::string last = dash == std::string::npos ? first : bounds.substr(dash + 1);
        const std::string step = colon == std::string::npos ? "1" : range.substr(colon + 1);
        if (!isDigits(first) || !isDigits(last) || parseInteger(step) < 1 ||
            parseInteger(last) < parseInteger(first))
            return {};
        for (auto task = parseInteger(first); task <= parseInteger(last); task += parseInteger(step)) {
            if (tasks.size() >= limit) return {};
            tasks.push_back(std::string(id.substr(0, bracket)) + "_" + std::to_string(task));
        }
    }
    return tasks;
}

bool isJobId(std::string_view id) {
    const auto mark = id.find_first_of("_+");
    if (mark == std::string_view::npos) return isDigits(id);
    return isDigits(id.substr(0, mark)) && isDigits(id.substr(mark + 1));
}

std::string arrayJobId(std::string_view id) {
    return std::string(id.substr(0, id.find_first_of("_+")));
}

std::string exitCodeOf(std::string_view field) {
    if (!isDigits(field)) return std::string(field);
    const auto raw = parseInteger(field);
    return std::to_string((raw >> 8) & 0xff) + ":" + std::to_string(raw & 0x7f);
}

std::string normalizeState(std::string_view text) {
    static constexpr std::array<std::string_view, 27> kStates{
        "PENDING",       "RUNNING",       "SUSPENDED",    "COMPLETED", "CANCELLED",     "FAILED",
        "TIMEOUT",       "NODE_FAIL",     "PREEMPTED",    "BOOT_FAIL", "DEADLINE",      "OUT_OF_MEMORY",
        "COMPLETING",    "CONFIGURING",   "RESIZING",     "REQUEUED",  "STAGE_OUT",     "REQUEUE_FED",
        "REQUEUE_HOLD",  "SPECIAL_EXIT",  "STOPPED",      "REVOKED",   "RESV_DEL_HOLD", "SIGNALING",
        "LAUNCH_FAILED", "RECONFIG_FAIL", "POWER_UP_NODE"};
    std::string_view word = trim(text);
    word = word.substr(0, word.find(' '));
    const bool cut = word.ends_with('+');
    if (cut) word.remove_suffix(1);
    for (const std::string_view state : kStates)
        if (state == word || (cut && word.size() >= 4 && state.starts_with(word))) return std::string(state);
    return {};
}

std::string slurmMessage(std::string_view err) {
    std::vector<std::string> lines;
    for (const std::string& whole : split(err, '\n')) {
        std::string_view line = trim(whole);
        if (const auto at = line.find("error: "); at != std::string_view::npos && at < 40)
            line.remove_prefix(at + 7);
        if (!line.empty() && (lines.empty() || lines.back() != line)) lines.emplace_back(line);
    }
    return sanitizedText(join(lines, " "));
}

}  // namespace dailies::remote::slurm
