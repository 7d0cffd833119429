#include "remote/launch/predecessor.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/slurm/output.h"

#include <algorithm>
#include <set>

namespace dailies::remote {

namespace {

using tracking::RunStatus;

tracking::SweepRecord recordOf(const tracking::Store& store, const std::string& wanted,
                               const std::string& cluster) {
    std::vector<std::string> names;
    for (const tracking::SweepRecord& record : store.sweeps()) {  // newest first
        if (record.cluster != cluster) continue;
        const bool begins = wanted.size() >= 6 && record.id.starts_with(wanted);
        if (record.name == wanted || begins) return record;
        names.push_back(record.name);
    }
    const auto nearest = nearestWord(wanted, names);
    throw InputError("after: found no sweep " + sanitizedText(wanted) + " on cluster '" + cluster + "'.",
                     nearest.empty() ? "Name a sweep that was launched there, or its id."
                                     : "Did you mean " + nearest + "?");
}

bool endedWell(const tracking::Run& run) {
    return run.status == RunStatus::Finished || run.tags.contains(tracking::tag::kStoppedWhy);
}

/// Whether all of its tasks are still to end: what is over may be forgotten by Slurm.
bool areOneArray(const std::vector<SweepRun>& members) {
    for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i].task != i || !tracking::isActive(members[i].run.status)) return false;
    return true;
}

}  // namespace

std::string InitFrom::text() const {
    std::string lines = metric + "\n" + (goal == sweep::Goal::Maximize ? "maximize" : "minimize") + "\n";
    for (const auto& run : runs) lines += run + "\n";
    return lines;
}

void requireBest(const sweep::Sweep& before) {
    if (!before.metric.empty()) return;
    throw InputError("after.init_from: sweep " + sanitizedText(before.name) +
                         " has no metric by which one of its runs is best.",
                     "Name the checkpoint of a run as model.init instead.");
}

InitFrom initFromOf(const tracking::Store& store, const tracking::SweepRecord& record) {
    const auto before = sweep::parseSweep(record.yaml, "sweep " + record.id);
    requireBest(before);
    InitFrom init{before.metric, before.goal, {}};
    for (const auto& [task, run] : sweepRuns(store, record.id)) {
        if (sweep::isAdaptive(before) && tracking::isActive(run.status))
            throw InputError("after.init_from: sweep " + sanitizedText(record.name) +
                                 " still decides on runs, of which one may be the best.",
                             "Launch this sweep when that one has ended.");
        init.runs.push_back(run.id);
    }
    return init;
}

Predecessor predecessorOf(const tracking::Store& store, const sweep::Sweep& sweep, const std::string& cluster,
                          std::size_t runs) {
    if (!sweep.after) return {};
    if (sweep.after->sweep.empty())
        throw InputError("after.sweep: found nothing, expected the sweep to wait for.",
                         "Name it, or launch both files in order with --chain.");
    if (sweep.after->fromCheckpoint && sweep::isAdaptive(sweep))
        throw InputError("after.from_checkpoint: found it with method " + sweep.method +
                             ", expected a method whose runs are all known at launch.",
                         "Use grid, random or sobol.");
    const auto record = recordOf(store, sweep.after->sweep, cluster);
    const auto members = sweepRuns(store, record.id);
    Predecessor before;
    before.sweepId = record.id;
    before.name = record.name;
    before.dependency.afterAny = sweep.after->afterAny;
    std::set<std::string> jobs;
    for (const auto& [task, run] : members) {
        if (sweep.after->fromCheckpoint) before.runs.push_back(run.id);
        if (tracking::isActive(run.status)) {
            const std::string job = jobOf(run, record.jobId);
            if (job.empty())
                throw InputError("Sweep " + sanitizedText(record.name) +
                                     ", which is to be waited for, has not been "
                                     "submitted yet.",
                                 "Reconnect: pending submissions are completed on connecting.");
            jobs.insert(slurm::arrayJobId(job));
        } else if (!endedWell(run) && !sweep.after->afterAny) {
            throw InputError("Sweep " + sanitizedText(record.name) + " can no longer succeed: its run " +
                                 sanitizedText(run.name) + " " +
                                 (run.status == RunStatus::Killed ? "was cancelled" : "failed") + ".",
                             "Launch that again and wait for the new one, or wait for any end (after.when: "
                             "ended).");
        }
    }
    before.dependency.jobs = {jobs.begin(), jobs.end()};
    before.dependency.taskByTask =
        sweep.after->fromCheckpoint && members.size() == runs && jobs.size() == 1 && areOneArray(members);
    if (sweep.after->initFromBest) before.init = initFromOf(store, record);
    if (sweep.after->fromCheckpoint && before.runs.size() != 1 && before.runs.size() != runs)
        throw InputError("after.from_checkpoint: found " + std::to_string(runs) + " runs after a sweep of " +
                             std::to_string(before.runs.size()) + ", expected one run there, or as many.",
                         "Otherwise it is ambiguous which run continues from which.");
    return before;
}

std::vector<std::string> predecessorRuns(const Predecessor& before, std::size_t runs) {
    if (before.runs.size() == 1) return std::vector<std::string>(runs, before.runs.front());
    return before.runs;
}

}  // namespace dailies::remote
