#pragma once

#include "core/planner/layout_search.h"
#include "core/preflight/report.h"
#include "core/sweep/sweep.h"
#include "core/tracking/store.h"
#include "remote/cluster/profile.h"
#include "remote/slurm/scheduler.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dailies::remote {

/// So many of a cluster's newest preflights are looked through for one that measured a run's kind of ranks.
inline constexpr std::size_t kPreflightsConsidered = 10;

/// What the layout of a run with these resources is judged by. Speeds are those of the newest of the
/// cluster's `preflights` that measured such ranks, else what is published of the GPU; nullopt where neither
/// is known. Without `facts` (no cluster is connected) only what the resources say themselves.
std::optional<planner::LayoutQuestion> layoutQuestion(const config::TrainConfig& config,
                                                      const sweep::Resources& resources,
                                                      const ClusterProfile& profile,
                                                      const slurm::ClusterFacts* facts,
                                                      const std::vector<preflight::Report>& preflights);

/// Of a run before it is sent, kept as tags to be compared with what it measures.
struct PredictedRun {
    double tokensPerSecond = 0;
    double bytes = 0;  ///< that a rank needs: of its GPU, on CPUs of its node
};

/// Of the question's own layout; nullopt where the ranks do not divide into it.
std::optional<PredictedRun> predictedRun(const planner::LayoutQuestion& question);

/// Says on runs, before they are sent, what is predicted of them (`tag::kPredictedTokens`,
/// `kPredictedBytes`): nothing where nothing is known of their ranks' speed.
class RunPredictor {
public:
    /// What the cluster's preflights on this machine measured is read now. `facts` must outlive this.
    RunPredictor(const sweep::Resources& resources, const ClusterProfile& profile,
                 const slurm::ClusterFacts& facts);

    void tag(tracking::Run& run, const Json& config);

private:
    sweep::Resources m_resources;
    ClusterProfile m_profile;
    const slurm::ClusterFacts& m_facts;
    std::vector<preflight::Report> m_preflights;
    std::map<std::string, std::optional<PredictedRun>> m_known;  ///< by what decides it
};

}  // namespace dailies::remote
