#pragma once

#include "core/planner/memory.h"

#include <optional>
#include <string>

namespace dailies::planner {

/// What a job gets of the machines that it runs on, as far as that is known.
struct JobMemory {
    std::int64_t ranksPerNode = 1;
    std::optional<double> nodeBytes = {};  ///< for all ranks of a node together
    std::string nodeSource = {};           ///< where that is said: "--mem 2G"
    std::optional<double> wholeNode = {};  ///< what the job could ask for
    std::optional<double> gpuBytes = {};
    std::string gpuName = {};  ///< "h100"
};

/// By a prediction that may be wrong by `kMemoryError`: `tooLarge` cannot fit even so, `tight` might not.
enum class FitVerdict { unknown, fits, tight, tooLarge };

/// Of the memories that are known, the one that comes off worst.
FitVerdict fitVerdict(const RankMemory& need, const JobMemory& job);

struct Fit {
    FitVerdict verdict = FitVerdict::unknown;
    RankMemory need;
    std::string text;    ///< what a rank needs and what there is of it: a sentence or two
    std::string remedy;  ///< the least change with which it fits, or that none was found; empty where it fits
};

/// Whether a run fits. Throws `InputError` as `rankMemory` does.
Fit checkFit(const config::TrainConfig& config, const DataShape& data, const Spread& spread,
             const JobMemory& job);

/// Whether a process that samples fits. Its remedies are more memory, chunks joined when they are finished,
/// and no guidance; sampling already makes few clips at once.
Fit checkSamplingFit(const config::TrainConfig& config, const DataShape& data, const SamplingLoad& load,
                     bool gpu, const JobMemory& job);

/// What the maker states for a GPU of that name, which may be part of Slurm's type ("nvidia_h100_80gb"),
/// where this table has it.
std::optional<double> gpuMemory(const std::string& name);

}  // namespace dailies::planner
