#include "ui/cluster/cluster_rows.h"

#include "core/base/size_text.h"
#include "core/base/text.h"
#include "core/tracking/run_time.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QObject>

#include <algorithm>
#include <array>

namespace dailies::ui {

namespace {

namespace slurm = remote::slurm;
using slurm::NodeCondition;
using slurm::QueuedJob;

QString tr(const char* text) {
    return QObject::tr(text);
}

QString lasting(std::int64_t seconds) {
    const QString text = durationText(seconds * 1000);
    return text.isEmpty() ? QStringLiteral("—") : text;
}

SnapshotCell number(std::int64_t value) {
    return {value > 0 ? QString::number(value) : QStringLiteral("—"), static_cast<double>(value),
            value > 0 ? StatusTone::Normal : StatusTone::Faint};
}

SnapshotCell text(const QString& words, StatusTone tone = StatusTone::Muted) {
    return {words, 0, tone};
}

/// A bar of what is given away.
SnapshotCell bar(std::int64_t used, std::int64_t whole, const QString& words) {
    SnapshotCell cell{words, whole > 0 ? static_cast<double>(used) / static_cast<double>(whole) : -1,
                      StatusTone::Busy};
    if (whole > 0)
        cell.share = cell.order;
    else
        cell = {QStringLiteral("—"), -1, StatusTone::Faint};
    return cell;
}

SnapshotCell counted(std::int64_t used, std::int64_t whole) {
    return bar(used, whole, QStringLiteral("%1/%2").arg(used).arg(whole));
}

/// A word for people, its place when sorted, and its colour.
struct State {
    QString word;
    int order;
    StatusTone tone;
};

State stateOf(const slurm::JobStatus& status) {
    const std::string& state = status.state;
    const std::string why = slurm::explain(status);
    if (state == "RUNNING") return {tr("Running"), 0, StatusTone::Busy};
    if (state == "PENDING") {
        const bool held = status.reason.starts_with("JobHeld");
        const bool never = why.starts_with("Will never start");
        return {never  ? tr("Stuck")
                : held ? tr("Held")
                       : tr("Pending"),
                never  ? 2
                : held ? 4
                       : 3,
                never || held ? StatusTone::Warning : StatusTone::Muted};
    }
    if (state == "COMPLETED") return {tr("Completed"), 6, StatusTone::Good};
    if (state == "CANCELLED") return {tr("Cancelled"), 7, StatusTone::Muted};
    QString word = QString::fromStdString(state).toLower().replace(QLatin1Char('_'), QLatin1Char(' '));
    if (!word.isEmpty()) word[0] = word[0].toUpper();
    const bool bad = slurm::isFinal(state);
    return {word, bad ? 5 : 1, bad ? StatusTone::Bad : StatusTone::Warning};
}

SnapshotCell stateCell(const State& state) {
    SnapshotCell cell{state.word, static_cast<double>(state.order), state.tone};
    cell.dot = true;
    return cell;
}

/// "Waiting for free nodes. Expected at 15:20."
QString whyText(const QueuedJob& job) {
    QString why = sanitized(slurm::explain(job.status));
    if (job.expectedStart > 0) why += tr(" Expected at %1.").arg(timeText(job.expectedStart * 1000));
    return why;
}

/// The run's name where the job is ours: our jobs are all called after their sweep.
QString nameOf(const QueuedJob& job, const RunsByJob& runs) {
    const auto run = runs.find(job.status.job);
    return sanitized(run == runs.end() ? job.name : run->second.name);
}

SnapshotRow jobRow(const QueuedJob& job, const RunsByJob& runs, std::int64_t now) {
    const bool waits = job.status.state == "PENDING";
    const std::int64_t since = waits ? job.status.submitTime : job.status.startTime;
    const std::int64_t lasted = since > 0 ? std::max<std::int64_t>(0, now - since) : 0;
    SnapshotRow row;
    row.key = QString::fromStdString(job.status.job);
    row.cells = {{row.key, static_cast<double>(std::atoll(job.status.job.c_str())), StatusTone::Muted},
                 text(nameOf(job, runs), StatusTone::Normal),
                 text(sanitized(job.user)),
                 text(sanitized(job.partition)),
                 stateCell(stateOf(job.status)),
                 number(static_cast<std::int64_t>(job.gpus) * job.tasks),
                 number(static_cast<std::int64_t>(job.cpus) * job.tasks),
                 {lasting(lasted),
                  static_cast<double>(lasted),
                  StatusTone::Muted,
                  {},
                  false,
                  waits ? tr("Time in the queue") : tr("Time running")},
                 {job.timeLimit > 0 ? lasting(job.timeLimit) : tr("none"),
                  job.timeLimit > 0 ? static_cast<double>(job.timeLimit) : 1e18, StatusTone::Muted},
                 text(whyText(job))};
    return row;
}

/// The line of an array: what its tasks have in common, and how many there are of each state.
SnapshotRow arrayRow(const slurm::FoldedJob& folded, const std::vector<QueuedJob>& jobs,
                     const RunsByJob& runs, std::int64_t now) {
    const QueuedJob& first = jobs[folded.rows.front()];
    SnapshotRow row = jobRow(first, runs, now);
    row.key = QString::fromStdString(folded.id);
    row.cells[0].text = row.key;
    row.cells[1].text = sanitized(first.name);
    QStringList states;
    if (folded.running > 0) states << tr("%1 running").arg(folded.running);
    if (folded.waiting > 0) states << tr("%1 pending").arg(folded.waiting);
    if (folded.others > 0) states << tr("%1 ending").arg(folded.others);
    row.cells[4].text = states.join(QStringLiteral(", "));
    row.cells[4].order = folded.running > 0 ? 0 : row.cells[4].order;
    row.cells[4].tone = folded.running > 0 ? StatusTone::Busy : row.cells[4].tone;
    std::int64_t gpus = 0, cpus = 0;
    const QueuedJob* waiting = nullptr;
    for (const std::size_t at : folded.rows) {
        gpus += static_cast<std::int64_t>(jobs[at].gpus) * jobs[at].tasks;
        cpus += static_cast<std::int64_t>(jobs[at].cpus) * jobs[at].tasks;
        if (jobs[at].status.state == "PENDING" && !waiting) waiting = &jobs[at];
    }
    row.cells[5] = number(gpus);
    row.cells[6] = number(cpus);
    if (waiting) row.cells[9] = text(whyText(*waiting));
    return row;
}

int upRank(NodeCondition condition) {
    return static_cast<int>(condition);
}

bool passes(const slurm::Node& node, const NodeFilter& filter) {
    return filter.empty() || filter.contains(node.condition);
}

QString gibibytes(std::int64_t mebibytes) {
    return QString::number(static_cast<double>(mebibytes) / 1024, 'f', mebibytes < 100 * 1024 ? 1 : 0);
}

}  // namespace

// ---- the queue

std::vector<SnapshotModel::Column> queueColumns() {
    return {{tr("Job"), 132},
            {tr("Name"), 170},
            {tr("User"), 88},
            {tr("Partition"), 88},
            {tr("State"), 150},
            {tr("GPUs"), 80, true, tr("Total over its nodes and pending tasks")},
            {tr("CPUs"), 80, true, tr("Total over its nodes and pending tasks")},
            {tr("Time"), 104, true, tr("How long it has run or waited")},
            {tr("Limit"), 96, true, tr("Its time limit")},
            {tr("Reason or nodes"), 240}};
}

std::vector<SnapshotRow> queueRows(const remote::ClusterView& view, const QueueFilter& choice,
                                   const RunsByJob& runs) {
    const auto& snapshot = view.snapshot;
    std::vector<SnapshotRow> rows;
    for (const slurm::FoldedJob& folded : slurm::foldArrays(snapshot.jobs)) {
        const QueuedJob& first = snapshot.jobs[folded.rows.front()];
        if (!choice.everybody && first.user != snapshot.user) continue;
        const bool several = folded.waiting + folded.running + folded.others > 1;
        if (!several) {
            rows.push_back(jobRow(first, runs, snapshot.time));
            continue;
        }
        SnapshotRow head = arrayRow(folded, snapshot.jobs, runs, snapshot.time);
        head.open = choice.open.contains(head.key);
        rows.push_back(head);
        if (!*head.open) continue;
        for (const std::size_t at : folded.rows) {
            rows.push_back(jobRow(snapshot.jobs[at], runs, snapshot.time));
            rows.back().depth = 1;
        }
    }
    return rows;
}

// ---- the nodes

StatusTone toneOf(NodeCondition condition) {
    switch (condition) {
        case NodeCondition::Idle:
            return StatusTone::Good;
        case NodeCondition::Mixed:
        case NodeCondition::Allocated:
        case NodeCondition::Completing:
            return StatusTone::Busy;
        case NodeCondition::Draining:
        case NodeCondition::Drained:
            return StatusTone::Warning;
        case NodeCondition::Down:
            return StatusTone::Bad;
        case NodeCondition::Reserved:
        case NodeCondition::PoweredDown:
        case NodeCondition::Unknown:
            break;
    }
    return StatusTone::Faint;
}

QString displayName(NodeCondition condition) {
    static const std::array<const char*, slurm::kNodeConditions> kWords{
        QT_TR_NOOP("Idle"),     QT_TR_NOOP("Mixed"),  QT_TR_NOOP("Full"),     QT_TR_NOOP("Completing"),
        QT_TR_NOOP("Reserved"), QT_TR_NOOP("Off"),    QT_TR_NOOP("Draining"), QT_TR_NOOP("Drained"),
        QT_TR_NOOP("Down"),     QT_TR_NOOP("Unknown")};
    return tr(kWords[static_cast<std::size_t>(condition)]);
}

std::vector<SnapshotModel::Column> nodeColumns() {
    return {{tr("Node"), 140},      {tr("State"), 116},      {tr("GPUs"), 128},
            {tr("CPUs"), 140},      {tr("Memory GiB"), 164}, {tr("Load"), 72, true, tr("Load average")},
            {tr("Jobs"), 64, true}, {tr("Partitions"), 120}, {tr("Reason"), 200}};
}

std::vector<SnapshotRow> nodeRows(const remote::ClusterView& view, const NodeFilter& filter) {
    std::vector<SnapshotRow> rows;
    for (const slurm::Node& node : view.snapshot.nodes) {
        if (!passes(node, filter)) continue;
        SnapshotRow row;
        row.key = sanitized(node.name);
        SnapshotCell state{displayName(node.condition), static_cast<double>(upRank(node.condition)),
                           toneOf(node.condition)};
        state.dot = true;
        state.tip = sanitized(node.state) + QStringLiteral(": ") + sanitized(slurm::explain(node));
        const auto jobs = view.jobsOn.find(node.name);
        QString reason = sanitized(node.reason);
        if (!node.reasonBy.empty()) reason += QStringLiteral(" — ") + sanitized(node.reasonBy);
        if (node.reasonTime > 0) reason += QStringLiteral(", ") + timeText(node.reasonTime * 1000);
        row.cells = {text(row.key, StatusTone::Normal),
                     state,
                     counted(node.gpusAllocated, node.gpus),
                     counted(node.cpusAllocated, node.cpus),
                     bar(node.memoryAllocated, node.memory,
                         gibibytes(node.memoryAllocated) + QLatin1Char('/') + gibibytes(node.memory)),
                     {QString::number(node.load, 'f', 1), node.load,
                      node.load > 1.5 * node.cpus ? StatusTone::Warning : StatusTone::Muted},
                     number(jobs == view.jobsOn.end() ? 0 : static_cast<std::int64_t>(jobs->second.size())),
                     text(sanitized(join(node.partitions, ", "))),
                     text(reason)};
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<NodeGrid::Square> nodeSquares(const remote::ClusterView& view, const NodeFilter& filter) {
    std::vector<NodeGrid::Square> squares;
    for (const slurm::Node& node : view.snapshot.nodes) {
        if (!passes(node, filter)) continue;
        const auto share = [](int used, int whole) { return whole > 0 ? double(used) / whole : 0; };
        QString tip = sanitized(node.name) + QStringLiteral(" · ") + displayName(node.condition);
        if (node.gpus > 0) tip += tr("\nGPUs %1/%2").arg(node.gpusAllocated).arg(node.gpus);
        tip += tr("\nCPUs %1/%2").arg(node.cpusAllocated).arg(node.cpus);
        if (!node.reason.empty()) tip += QLatin1Char('\n') + sanitized(node.reason);
        squares.push_back(
            {sanitized(node.name), toneOf(node.condition),
             node.gpus > 0 ? share(node.gpusAllocated, node.gpus) : share(node.cpusAllocated, node.cpus),
             tip});
    }
    return squares;
}

// ---- the partitions

std::vector<SnapshotModel::Column> partitionColumns() {
    return {{tr("Partition"), 140},    {tr("State"), 96},
            {tr("Nodes up"), 156},     {tr("GPUs in use"), 180},
            {tr("CPUs in use"), 196},  {tr("Running"), 84, true},
            {tr("Pending"), 84, true}, {tr("Time limit"), 120, true},
            {tr("GPU type"), 160}};
}

std::vector<SnapshotRow> partitionRows(const remote::ClusterView& view) {
    struct Sum {
        int nodes = 0, up = 0, gpus = 0, gpusUsed = 0, cpus = 0, cpusUsed = 0, running = 0, waiting = 0;
    };
    std::map<std::string, Sum> sums;
    for (const slurm::Node& node : view.snapshot.nodes) {
        for (const std::string& name : node.partitions) {
            Sum& sum = sums[name];
            ++sum.nodes;
            if (!slurm::isUp(node.condition)) continue;
            ++sum.up;
            sum.gpus += node.gpus;
            sum.gpusUsed += node.gpusAllocated;
            sum.cpus += node.cpus;
            sum.cpusUsed += node.cpusAllocated;
        }
    }
    for (const QueuedJob& job : view.snapshot.jobs) {
        for (const std::string& name : split(job.partition, ',')) {  // several that it may take
            (job.status.state == "PENDING" ? sums[name].waiting : sums[name].running) += job.tasks;
        }
    }
    std::vector<SnapshotRow> rows;
    for (const slurm::Partition& partition : view.snapshot.partitions) {
        const Sum& sum = sums[partition.name];
        SnapshotRow row;
        row.key = sanitized(partition.name);
        SnapshotCell state{partition.up ? tr("Up") : tr("Down"), partition.up ? 0.0 : 1.0,
                           partition.up ? StatusTone::Good : StatusTone::Bad};
        state.dot = true;
        SnapshotCell up = counted(sum.up, sum.nodes > 0 ? sum.nodes : partition.nodes);
        up.tone = StatusTone::Good;
        row.cells = {text(row.key + (partition.isDefault ? tr(" (default)") : QString()), StatusTone::Normal),
                     state,
                     up,
                     counted(sum.gpusUsed, sum.gpus),
                     counted(sum.cpusUsed, sum.cpus),
                     number(sum.running),
                     number(sum.waiting),
                     text(partition.timeLimit == "infinite" ? tr("none") : sanitized(partition.timeLimit)),
                     text(partition.gres.empty() ? QStringLiteral("—") : sanitized(partition.gres))};
        rows.push_back(std::move(row));
    }
    return rows;
}

// ---- what ended lately

std::vector<SnapshotModel::Column> historyColumns() {
    return {{tr("Job"), 132},   {tr("Name"), 220},      {tr("State"), 132},
            {tr("Ended"), 140}, {tr("Ran"), 104, true}, {tr("Exit"), 64, true, tr("Exit code:signal")},
            {tr("Reason"), 300}};
}

namespace {

SnapshotRow endedRow(const QString& key, const QString& job, const QString& name, const State& state,
                     std::int64_t endMs, std::int64_t ranMs, const std::string& exitCode,
                     const QString& why) {
    const QString ran = durationText(ranMs);
    SnapshotRow row;
    row.key = key;
    row.cells = {
        {job, static_cast<double>(job.section(QLatin1Char('_'), 0, 0).toLongLong()), StatusTone::Muted},
        text(name, StatusTone::Normal),
        stateCell(state),
        {timeText(endMs), static_cast<double>(endMs), StatusTone::Muted},
        {ran.isEmpty() ? QStringLiteral("—") : ran, static_cast<double>(ranMs), StatusTone::Muted},
        text(exitCode.empty() ? QStringLiteral("—") : sanitized(exitCode)),
        text(why)};
    return row;
}

}  // namespace

std::vector<SnapshotRow> historyRows(const std::vector<QueuedJob>& jobs, const RunsByJob& runs) {
    std::vector<SnapshotRow> rows;
    for (const QueuedJob& job : jobs) {
        const QString id = QString::fromStdString(job.status.job);
        rows.push_back(endedRow(id, id, nameOf(job, runs), stateOf(job.status), job.status.endTime * 1000,
                                job.elapsed * 1000, job.status.exitCode,
                                sanitized(slurm::explain(job.status))));
    }
    return rows;
}

std::vector<SnapshotRow> historyRows(const std::vector<tracking::Run>& runs) {
    std::vector<SnapshotRow> rows;
    for (const tracking::Run& run : runs) {
        slurm::JobStatus status;
        status.state = tagOf(run, tracking::tag::kSlurmState);
        if (run.status == tracking::RunStatus::Finished) status.state = "COMPLETED";
        if (status.state.empty())
            status.state = run.status == tracking::RunStatus::Killed ? "CANCELLED" : "FAILED";
        const std::string job = tagOf(run, tracking::tag::kJob);
        const std::int64_t end = run.endMs.value_or(run.startMs);
        rows.push_back(endedRow(QString::fromStdString(run.id), QString::fromStdString(job),
                                sanitized(run.name), stateOf(status), end, tracking::trainingMs(run, end), {},
                                reasonText(run)));
    }
    return rows;
}

QString bytesText(std::int64_t bytes) {
    return QString::fromStdString(binarySizeText(static_cast<double>(bytes)));
}

}  // namespace dailies::ui
