#pragma once

#include "core/sweep/sweep.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace dailies::remote {

/// Decides what a sweep decides while it runs: submits the next run of an adaptive method when fewer run than
/// may, and ends runs that early stopping gives up. It acts between two rounds of following, so both pause
/// while no Dailies is connected; what runs then goes on.
///
/// It keeps nothing of its own. What it decides is recorded in the store first and carried out then, ids and
/// job comments follow from the sweep's id, and the strategies are pure functions of the store: after a crash
/// or a lost connection any other controller goes on, and two at once do no more than one.
class SweepController {
public:
    /// Both must outlive the controller; one thread.
    SweepController(Cluster& cluster, tracking::Store& store) : m_cluster(cluster), m_store(store) {}

    struct Report {
        std::set<std::string> changedRuns;
        std::vector<std::pair<std::string, std::string>> jobs;  ///< runs with a job of their own: run id, job
        std::vector<std::string> notes;                         ///< what it did, for a person
        std::set<std::string> changedSweeps;                    ///< ids of the sweeps that did it
        int remainingRuns = 0;                                  ///< how many runs the sweeps may still submit
    };
    /// One look at every sweep. Throws `SessionError` when the connection is lost; what Slurm refuses becomes
    /// the end of the run concerned, and so does what cannot fit: a run that a launch would have refused is
    /// recorded as refused, with the launch's words, and the sweep goes on without it.
    Report runOnce(std::stop_token stop = {});

private:
    struct Member {
        tracking::Run run;
        sweep::RungProgress climb;
        std::optional<std::chrono::steady_clock::time_point> asked;  ///< when it was asked to end
        bool cancelled = false;                                      ///< it was given no more time
        bool followed = false;                                       ///< its job of its own was reported
    };
    struct Watched {
        tracking::SweepRecord record;
        sweep::Sweep sweep;
        std::size_t runCount = 0;
        std::map<std::size_t, Member> members;  ///< by task
        bool exhausted = false;                 ///< the method has no further run
    };

    void findSweeps();
    void refresh(Watched& watched);
    void readClimb(const Watched& watched, Member& member);
    void stopEarly(Watched& watched, Report& report, std::stop_token stop);
    void decideStops(Watched& watched, Report& report);
    void carryOutStops(Watched& watched, std::stop_token stop);
    void advance(Watched& watched, Report& report, std::stop_token stop);
    void submitRun(Watched& watched, Member& member, bool fresh, Report& report, std::stop_token stop);
    void failUnsubmitted(Member& member, const std::string& why, Report& report);
    std::size_t proposeRuns(Watched& watched, Report& report);
    bool mayPropose(const Watched& watched) const;

    Cluster& m_cluster;
    tracking::Store& m_store;
    std::map<std::string, Watched> m_sweeps;  ///< by id: those that may still need a decision
    std::set<std::string> m_known;            ///< sweeps that were looked at
};

}  // namespace dailies::remote
