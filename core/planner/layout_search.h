#pragma once

#include "core/planner/fit.h"
#include "core/planner/speed.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dailies::planner {

/// A run whose layout is to be chosen, and what it would run on.
struct LayoutQuestion {
    config::TrainConfig config;
    DataShape data;
    Machines machines;
    MachineRates rates;
    JobMemory memory;
    double gpuHourPrice = 0;  ///< 0: not known
};

/// One layout with what it would take.
struct LayoutCandidate {
    Layout layout;
    double bytes = 0;                      ///< that a rank needs: of its GPU, on CPUs of its node
    std::optional<double> available = {};  ///< what there is of it for a rank, where that is known
    FitVerdict verdict = FitVerdict::unknown;
    StepSpeed speed;
    bool onParetoFront = false;  ///< of those that fit, none is at least as fast with less memory
    bool isOwn = false;          ///< the configuration's own
    bool isNearest = false;      ///< where that does not fit: the one that does with the fewest keys changed

    /// As predicted: `verdict` tight says that it may be otherwise.
    bool fits() const { return verdict != FitVerdict::tooLarge && (!available || bytes <= *available); }
    /// Of so many steps.
    double hours(std::int64_t steps) const { return speed.seconds() * static_cast<double>(steps) / 3600; }
    double gpuHours(std::int64_t steps) const { return hours(steps) * static_cast<double>(speed.ranks); }
};

/// The choices worth a look: of each way to divide ranks the fastest that fits (of none that fits, the
/// smallest), every one on the front of memory against speed, the configuration's own and the nearest to it.
struct LayoutCandidates {
    std::vector<LayoutCandidate> shown;  ///< those that fit first, fastest first
    std::optional<std::size_t> own;      ///< in `shown`; nullopt where the ranks do not divide into it
    std::string ownProblem;              ///< then: why not
    std::size_t considered = 0;          ///< layouts in all
};

/// Judges every layout of `layoutsOf`: some milliseconds to a second. Throws `InputError` for buckets that
/// are none.
LayoutCandidates searchLayouts(const LayoutQuestion& question);

/// Whether the configuration's own layout fits, the nearest one that does where it does not (by the keys that
/// change, then by speed), and by how much the fastest is faster: a sentence or two.
std::string layoutAdvice(const LayoutCandidates& choices);

/// "model.recompute full, optimizer.accumulate 4": the keys whose values differ.
std::string changesText(const Layout& from, const Layout& to);

}  // namespace dailies::planner
