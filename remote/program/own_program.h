#pragma once

#include "remote/program/program.h"

namespace dailies::remote {

/// A program of the user's own, as the sweep names it: started in the folder of its code, or in the run's
/// where it is installed, by its command. It knows nothing of Dailies; its environment makes trackers write
/// into the run's folder, and its exit code tells how it ended.
class OwnProgram final : public Program {
public:
    std::string name(const sweep::Sweep& sweep) const override;
    ReadyProgram prepare(Cluster& cluster, sweep::Sweep& sweep, const Progress& progress,
                         std::stop_token stop) const override;
    ReadyProgram present(const std::string& workspace) const override;
    ReadyProgram prepareAgain(Cluster& cluster, RepeatedLaunch& launch, std::stop_token stop) const override;
    ProgramParts parts(const sweep::Sweep& sweep, const ReadyProgram& ready,
                       const std::string& workspace) const override;
    std::vector<std::string> command(const sweep::Sweep& sweep, const sweep::PlannedRun& run,
                                     const ReadyProgram& ready, const std::string& workspace) const override;
    std::map<std::string, std::string> runFiles(const sweep::Sweep& sweep,
                                                const sweep::PlannedRun& run) const override;
    std::map<std::string, std::string> sweepFiles() const override;
    std::map<std::string, std::string> tags(const sweep::Sweep& sweep) const override;
    std::vector<ClusterFinding> findings(const sweep::Sweep& sweep) const override;
    MemoryCheck memory(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>& runs,
                       const ClusterProfile& profile, const slurm::ClusterFacts* facts) const override;
    std::optional<SweepStorage> storage(const std::vector<sweep::PlannedRun>& runs,
                                        std::size_t total) const override;
    Predict predictor(const sweep::Sweep& sweep, const ClusterProfile& profile,
                      const slurm::ClusterFacts& facts) const override;
    std::optional<std::int64_t> steps(const tracking::Run& run) const override;
    std::optional<std::int64_t> plannedSteps(const Json& config) const override;
    Json configAgain(const tracking::Run& run, Json planned) const override;
    bool isSampledByTrainer() const override { return false; }
    bool isForkable() const override { return false; }
    bool canBeAskedToStop(const sweep::Sweep& sweep) const override;
    bool tellsItsEnd() const override { return false; }
};

}  // namespace dailies::remote
