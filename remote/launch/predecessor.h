#pragma once

#include "core/sweep/sweep.h"
#include "core/tracking/store.h"
#include "remote/job_script/job_script.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::remote {

/// Whose best run's weights other runs begin with.
struct InitFrom {
    std::string metric;
    sweep::Goal goal = sweep::Goal::Minimize;
    std::vector<std::string> runs;

    /// As the job script reads it beside a run's config.json: metric, goal and the runs' ids, a line each.
    std::string text() const;
    static constexpr const char* kFile = "init-from";
};

/// Of a sweep that was launched. Throws `InputError` where nothing says which of its runs is best, or where
/// its runs are not all known yet.
InitFrom initFromOf(const tracking::Store& store, const tracking::SweepRecord& record);

/// Throws `InputError` where a sweep has no metric by which one of its runs is best.
void requireBest(const sweep::Sweep& before);

/// What a launched sweep means for one that is to follow it.
struct Predecessor {
    std::string sweepId;  ///< empty: the sweep waits for nothing
    std::string name;
    Dependency dependency;              ///< no jobs: it is over, and well
    std::vector<std::string> runs;      ///< by task, for those that begin from its checkpoints; else none
    std::optional<InitFrom> init = {};  ///< for those that begin with the weights of its best
};

/// The sweep that `sweep.after` names, by id, beginning of an id, or name (the newest of that name), on this
/// cluster. Throws `InputError` when there is none, when it was never submitted, when what it waits for can
/// never come (a run of it failed or was cancelled), or when runs are to begin from checkpoints and do not go
/// together: it has to have one run, or as many as `runs`.
Predecessor predecessorOf(const tracking::Store& store, const sweep::Sweep& sweep, const std::string& cluster,
                          std::size_t runs);

/// The run that each of `runs` tasks begins from; none where they begin from nothing.
std::vector<std::string> predecessorRuns(const Predecessor& before, std::size_t runs);

}  // namespace dailies::remote
