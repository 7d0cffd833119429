#pragma once

#include "core/curation/corrections.h"
#include "core/curation/thresholds.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dailies::curation {

/// What rules and corrections make of all clips.
struct Judgement {
    std::vector<ReasonSet> reasons;  ///< one a clip; 0: it is kept
    std::size_t kept = 0;
    double seconds = 0, keptSeconds = 0;
    std::vector<std::size_t> dropped;  ///< by `Reason`: clips dropped for it, perhaps among others
};

/// Clips whose numbers lie in columns, so that all of 100,000 are judged anew within a few milliseconds,
/// while a person moves a threshold. Constant once made; any thread.
class ClipSet {
public:
    ClipSet() : ClipSet(std::vector<ClipRecord>()) {}
    explicit ClipSet(std::vector<ClipRecord> clips);

    std::size_t size() const { return m_clips.size(); }
    bool empty() const { return m_clips.empty(); }
    const ClipRecord& operator[](std::size_t index) const { return m_clips[index]; }
    const std::vector<ClipRecord>& clips() const { return m_clips; }
    std::optional<std::size_t> find(const std::string& id) const;

    /// The clip and those that show the same (duplicates.h), that it is most like by a scorer, or that are
    /// most like it and much so; in the list's order.
    std::vector<std::uint32_t> alike(std::size_t clip) const;

    /// What scorers said of any clip, sorted; at most `kMostScoreKeys`.
    const std::vector<std::string>& scoreKeys() const { return m_scoreKeys; }
    std::size_t measures() const { return kMeasures + m_scoreKeys.size(); }
    std::size_t reasons() const { return kReasons + m_scoreKeys.size(); }
    /// `curation::thresholds`, and two of each scorer's number.
    std::span<const Threshold> thresholds() const { return m_thresholds; }

    /// Between which the middle 99 of 100 clips that have this scorer's number lie.
    std::pair<double, double> scoreRange(std::size_t key) const { return m_scoreRanges[key]; }

    /// NaN of a clip that has no such number.
    std::span<const double> column(Measure measure) const {
        return m_columns[static_cast<std::size_t>(measure)];
    }

    /// Of each clip what `verdictOf` says of it. `corrections`: one a clip.
    Judgement judge(const VerdictRules& rules, std::span<const Correction> corrections) const;
    /// Corrections by id as the column that `judge` takes; those of clips that are not here are left out.
    std::vector<Correction> columnOf(const Corrections& corrections) const;

private:
    std::uint32_t originalOf(std::uint32_t clip) const;

    std::vector<ClipRecord> m_clips;
    std::vector<std::string> m_scoreKeys;
    std::vector<std::pair<double, double>> m_scoreRanges;  ///< one a key
    std::vector<Threshold> m_thresholds;
    std::vector<std::vector<double>> m_columns;  ///< by `Measure`
    std::vector<ReasonSet> m_duplicates;         ///< `Reason::Duplicate`'s bit, or 0
    std::unordered_map<std::string, std::size_t> m_byId;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_duplicatesOf;  ///< by their original
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_nearest;       ///< both ways
};

}  // namespace dailies::curation
