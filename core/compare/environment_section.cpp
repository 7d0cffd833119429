// What the runs ran on: trainer, machine, code, cluster and time.
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/compare/rows.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/run_time.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <set>

namespace dailies::compare::detail {

namespace {

using tracking::Run;
using Text = std::function<std::string(const Run&)>;

Text tag(const char* key) {
    return [key](const Run& run) { return tagOf(run, key); };
}

/// Of a number with many decimals, four significant digits; other texts as they are.
std::string rounded(std::string text) {
    constexpr std::size_t kManyDecimals = 5;
    const auto point = text.find('.');
    const auto number = parseAs<double>(text);
    if (!number || point == std::string::npos || text.size() - point - 1 < kManyDecimals) return text;
    return digits(*number, 4);
}

std::string startText(const Run& run) {
    if (run.startMs <= 0) return {};
    const std::time_t seconds = run.startMs / 1000;
    std::tm local{};
    localtime_r(&seconds, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
    return text;
}

/// Where its attempts ran, each node once, in the order in which they ran.
std::string nodesOf(const std::vector<tracking::Attempt>& attempts) {
    std::vector<std::string> nodes;
    for (const auto& attempt : attempts)
        if (!attempt.node.empty() && std::find(nodes.begin(), nodes.end(), attempt.node) == nodes.end())
            nodes.push_back(attempt.node);
    return join(nodes, ", ");
}

class Rows {
public:
    explicit Rows(const ComparisonInput& subject) : m_subject(subject) {}

    /// Adds the row unless no run has anything there.
    void add(Group& group, const std::string& key, const std::string& name, const Text& text,
             const std::string& doc = {}) {
        Row row{.key = key, .name = name, .doc = doc};
        bool any = false;
        for (const auto* run : m_subject.runs) {
            std::string value = text(*run);
            any |= !value.empty();
            const bool present = !value.empty();
            row.cells.push_back({.text = std::move(value), .present = present});
        }
        if (!any) return;
        markDifferences(row, m_subject.reference);
        group.rows.push_back(std::move(row));
    }

    const std::vector<tracking::Attempt>& attempts(const Run& run) const {
        static const std::vector<tracking::Attempt> kNone;
        const auto found = m_subject.attempts.find(run.id);
        return found == m_subject.attempts.end() ? kNone : found->second;
    }

private:
    const ComparisonInput& m_subject;
};

}  // namespace

Section environmentSection(const ComparisonInput& subject) {
    Section section{.kind = SectionKind::Environment, .title = "Environment"};
    Rows rows(subject);

    Group trainer{.title = "trainer"};
    rows.add(trainer, tracking::tag::kTrainer, "version", tag(tracking::tag::kTrainer),
             "The version of dailies-train that the run started with.");
    std::set<std::string> facts;
    for (const auto* run : subject.runs)
        for (const auto& [key, value] : run->tags)
            if (std::string_view(key).starts_with(tracking::tag::kFact)) facts.insert(std::string(key));
    for (const std::string& fact : facts)
        rows.add(
            trainer, fact, fact.substr(std::string_view(tracking::tag::kFact).size()),
            [text = tag(fact.c_str())](const Run& run) { return rounded(text(run)); },
            "What the trainer found when it started.");

    Group code{.title = "code"};
    rows.add(code, tracking::tag::kCode, "folder", tag(tracking::tag::kCode),
             "Where the program's files are on the cluster; an upload is named by the hash of its content.");
    rows.add(code, "mlflow.source.git.repoURL", "repository", tag("mlflow.source.git.repoURL"));
    rows.add(code, "mlflow.source.git.commit", "commit", tag("mlflow.source.git.commit"));
    rows.add(code, "mlflow.source.git.branch", "branch", tag("mlflow.source.git.branch"));
    rows.add(code, "mlflow.source.name", "source", tag("mlflow.source.name"));
    rows.add(code, "mlflow.user", "user", tag("mlflow.user"));

    Group cluster{.title = "cluster"};
    rows.add(cluster, tracking::tag::kCluster, "cluster", tag(tracking::tag::kCluster));
    rows.add(cluster, "nodes", "nodes", [&](const Run& run) { return nodesOf(rows.attempts(run)); });
    rows.add(cluster, tracking::tag::kJob, "job", tag(tracking::tag::kJob));
    rows.add(cluster, "attempts", "attempts", [&](const Run& run) {
        const auto count = rows.attempts(run).size();
        return count == 0 ? std::string() : std::to_string(count);
    });
    rows.add(cluster, tracking::tag::kSlurmState, "Slurm state", tag(tracking::tag::kSlurmState));

    Group time{.title = "time"};
    rows.add(time, "start_time", "started", startText);
    const auto known = [&](const Run& run) {
        const auto active = subject.activeUntilMs.find(run.id);
        return active == subject.activeUntilMs.end() ? run.startMs : active->second;
    };
    rows.add(
        time, "duration", "duration",
        [&](const Run& run) { return durationText(tracking::trainingMs(run, known(run))); },
        "How long the run trained: its attempts, without what lies between them.");
    const bool anyPaused = std::ranges::any_of(
        subject.runs, [](const Run* run) { return run->pausedMs > 0 || run->pausedSinceMs; });
    if (anyPaused)
        rows.add(
            time, "wall_time", "wall time",
            [&](const Run& run) { return durationText(tracking::wallMs(run, known(run))); },
            "From its start to its end by the clock, pauses between its attempts included.");

    for (Group* group : {&trainer, &code, &cluster, &time})
        if (!group->rows.empty()) section.groups.push_back(std::move(*group));
    return section;
}

}  // namespace dailies::compare::detail
