#include "remote/slurm/queue.h"

#include "core/base/text.h"
#include "remote/slurm/fields.h"
#include "remote/slurm/limits.h"
#include "remote/slurm/output.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace dailies::remote::slurm {

namespace {

/// In the order of `enum Column`; those that an owner chooses come last.
constexpr std::array<std::string_view, 21> kColumns{
    "JobArrayID", "State",      "UserName",      "Partition", "Account",      "QOS",        "NumNodes",
    "NumCPUs",    "tres-alloc", "tres-per-node", "NodeList",  "PriorityLong", "SubmitTime", "StartTime",
    "EndTime",    "TimeLimit",  "RestartCnt",    "exit_code", "Reason",       "Comment",    "Name"};
enum Column {
    kId,
    kState,
    kUser,
    kPartition,
    kAccount,
    kQos,
    kNodes,
    kCpus,
    kTres,
    kGresPerNode,
    kNodeList,
    kPriority,
    kSubmit,
    kStart,
    kEnd,
    kLimit,
    kRestarts,
    kExit,
    kReason,
    kComment,
    kName,
    kColumnCount
};
static_assert(kColumns.size() == kColumnCount);

/// "12", "12_3", "12_[2-5%2]", "21+0"
bool isQueueId(std::string_view id) {
    if (isJobId(id)) return true;
    const auto bracket = id.find("_[");
    return bracket != std::string_view::npos && id.ends_with(']') && isDigits(id.substr(0, bracket)) &&
           id.find_first_not_of("0123456789-,%:.", bracket + 2) == id.size() - 1;
}

int asInt(std::int64_t value) {
    return static_cast<int>(std::min<std::int64_t>(value, 1 << 30));
}

void addResources(QueuedJob& job, std::string_view tres, std::string_view gresPerNode) {
    if (job.nodes == 0) job.nodes = asInt(tresCount(tres, "node"));
    if (job.cpus == 0) job.cpus = asInt(tresCount(tres, "cpu"));
    job.gpus = asInt(tresCount(tres, "gres/gpu"));
    // Clusters whose AccountingStorageTRES lacks gres/gpu have no GPUs in that list.
    if (job.gpus == 0) job.gpus = gpuCount(gresPerNode) * std::max(job.nodes, 1);
    for (const std::string& entry : split(tres, ','))
        if (entry.starts_with("mem=")) job.memory = parseMebibytes(std::string_view(entry).substr(4));
}

QueuedJob jobOf(const std::vector<std::string>& fields, std::string_view comment, std::string_view name) {
    QueuedJob job;
    JobStatus& status = job.status;
    status.job = trim(fields[kId]);
    status.state = normalizeState(fields[kState]);
    status.reason = fieldOrEmpty(fields[kReason]);
    status.node = fieldOrEmpty(fields[kNodeList]);
    status.restarts = parseInteger(trim(fields[kRestarts]));
    status.submitTime = parseInteger(trim(fields[kSubmit]));
    status.comment = fieldOrEmpty(comment);
    const std::int64_t start = parseInteger(trim(fields[kStart]));
    (status.state == "PENDING" ? job.expectedStart : status.startTime) = start;
    if (isFinal(status.state)) {
        status.exitCode = exitCodeOf(fieldOrEmpty(fields[kExit]));
        status.endTime = parseInteger(trim(fields[kEnd]));
    }
    job.user = fieldOrEmpty(fields[kUser]);
    job.partition = fieldOrEmpty(fields[kPartition]);
    job.account = fieldOrEmpty(fields[kAccount]);
    job.qos = fieldOrEmpty(fields[kQos]);
    job.tasks = countTasks(status.job);
    const std::string_view nodes = trim(fields[kNodes]);
    job.nodes = asInt(parseInteger(nodes.substr(0, nodes.find('-'))));  // "2-4": it takes what it can get
    job.cpus = asInt(parseInteger(trim(fields[kCpus])));
    addResources(job, fieldOrEmpty(fields[kTres]), fieldOrEmpty(fields[kGresPerNode]));
    job.priority = parseInteger(trim(fields[kPriority]));
    job.timeLimit = parseTimeLimit(std::string(trim(fields[kLimit]))).value_or(0);
    job.name = name;
    return job;
}

}  // namespace

std::string queueFormat(const std::string& boundary) {
    std::string format;
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
        if (i > 0) format += ',';
        format += std::string(kColumns[i]) + ':';
        // A separator, which is no digit, also keeps a column from being cut at 20 characters.
        format +=
            i == kComment || i == kName ? std::string(1, kBoundaryStart) + boundary : std::string(1, kUnit);
    }
    return format;
}

std::vector<QueuedJob> parseQueue(std::string_view out, std::string_view boundary) {
    const std::string mark = std::string(1, kBoundaryStart) + std::string(boundary);
    std::vector<QueuedJob> queue;
    for (std::size_t at = 0; at < out.size();) {
        const auto commentEnd = out.find(mark, at);
        if (commentEnd == std::string_view::npos) break;
        const auto nameBegin = commentEnd + mark.size();
        const auto nameEnd = out.find(mark, nameBegin);
        if (nameEnd == std::string_view::npos) break;
        std::string_view row = out.substr(at, commentEnd - at);
        while (row.starts_with('\n')) row.remove_prefix(1);
        at = nameEnd + mark.size();
        // What stands before the comment is Slurm's own; the comment may hold separators.
        std::size_t commentBegin = 0;
        for (int column = 0; column < kComment && commentBegin != std::string_view::npos; ++column) {
            commentBegin = row.find(kUnit, commentBegin);
            if (commentBegin != std::string_view::npos) ++commentBegin;
        }
        if (commentBegin == std::string_view::npos) continue;
        const auto fields = split(row.substr(0, commentBegin), kUnit);
        QueuedJob job = jobOf(fields, row.substr(commentBegin), out.substr(nameBegin, nameEnd - nameBegin));
        if (isQueueId(job.status.job) && !job.status.state.empty()) queue.push_back(std::move(job));
    }
    return queue;
}

std::vector<QueuedJob> parseHistory(std::string_view out) {
    std::vector<QueuedJob> history;
    const std::size_t columns = split(kHistoryColumns, ',').size();
    for (const std::string& line : split(out, '\n')) {
        const auto fields = split(line, kUnit);
        if (fields.size() < columns) continue;
        QueuedJob job;
        job.status.job = trim(fields[0]);
        job.status.state = normalizeState(fields[1]);
        job.status.reason = fieldOrEmpty(fields[2]);
        job.status.exitCode = isFinal(job.status.state) ? fieldOrEmpty(fields[3]) : std::string();
        job.status.node = fieldOrEmpty(fields[4]);
        job.status.submitTime = parseInteger(trim(fields[5]));
        job.status.startTime = parseInteger(trim(fields[6]));
        job.status.endTime = parseInteger(trim(fields[7]));
        job.elapsed = parseInteger(trim(fields[8]));
        job.timeLimit = parseTimeLimit(std::string(trim(fields[9]))).value_or(0);
        job.partition = fieldOrEmpty(fields[10]);
        job.account = fieldOrEmpty(fields[11]);
        job.qos = fieldOrEmpty(fields[12]);
        job.user = fieldOrEmpty(fields[13]);
        const std::string given = fieldOrEmpty(fields[14]);
        addResources(job, given.empty() ? fieldOrEmpty(fields[15]) : given, {});
        job.status.comment = fieldOrEmpty(fields[16]);
        job.name = fields[17];
        job.tasks = countTasks(job.status.job);
        if (isQueueId(job.status.job) && !job.status.state.empty()) history.push_back(std::move(job));
    }
    return history;
}

std::vector<FoldedJob> foldArrays(const std::vector<QueuedJob>& queue) {
    std::vector<FoldedJob> folded;
    std::unordered_map<std::string, std::size_t> arrays;
    for (std::size_t row = 0; row < queue.size(); ++row) {
        const QueuedJob& job = queue[row];
        const bool ofArray = job.status.job.find('_') != std::string::npos;
        std::string id = ofArray ? arrayJobId(job.status.job) : job.status.job;
        std::size_t at = folded.size();
        if (ofArray) at = arrays.try_emplace(id, at).first->second;
        if (at == folded.size()) folded.push_back({std::move(id), {}});
        FoldedJob& one = folded[at];
        one.rows.push_back(row);
        (job.status.state == "PENDING"   ? one.waiting
         : job.status.state == "RUNNING" ? one.running
                                         : one.others) += job.tasks;
    }
    return folded;
}

int countTasks(std::string_view id) {
    const auto bracket = id.find("_[");
    if (bracket == std::string_view::npos) return 1;
    std::string_view ranges = id.substr(bracket + 2);
    ranges = ranges.substr(0, std::min(ranges.find('%'), ranges.find(']')));
    std::int64_t count = 0;
    for (const std::string& range : split(ranges, ',')) {
        const auto dash = range.find('-'), colon = range.find(':');
        const std::int64_t first = parseInteger(range.substr(0, dash));
        if (!isDigits(range.substr(0, dash))) continue;  // the dots of one that was cut
        const std::int64_t last =
            dash == std::string::npos ? first : parseInteger(range.substr(dash + 1, colon - dash - 1));
        const std::int64_t step = colon == std::string::npos ? 1 : parseInteger(range.substr(colon + 1));
        if (last >= first) count += (last - first) / std::max<std::int64_t>(step, 1) + 1;
    }
    return asInt(std::max<std::int64_t>(count, 1));
}

}  // namespace dailies::remote::slurm
