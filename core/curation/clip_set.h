#pragma once

#include "core/curation/corrections.h"
#include "core/curation/thresholds.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::curation {

/// What rules and corrections make of all clips.
struct Judgement {
    std::vector<ReasonSet> reasons;  ///< one a clip; 0: it is kept
    std::size_t kept = 0;
    double seconds = 0, keptSeconds = 0;
    std::array<std::size_t, kReasons> dropped = {};  ///< clips dropped for it, perhaps among others
};

/// Clips whose numbers lie in columns, so that all of 100,000 are judged anew within a few milliseconds,
/// while a person moves a threshold. Constant once made; any thread.
class ClipSet {
public:
    ClipSet() = default;
    explicit ClipSet(std::vector<ClipRecord> clips);

    std::size_t size() const { return m_clips.size(); }
    bool empty() const { return m_clips.empty(); }
    const ClipRecord& operator[](std::size_t index) const { return m_clips[index]; }
    const std::vector<ClipRecord>& clips() const { return m_clips; }
    std::optional<std::size_t> find(const std::string& id) const;

    std::span<const double> column(Measure measure) const {
        return m_columns[static_cast<std::size_t>(measure)];
    }

    /// Of each clip what `verdictOf` says of it. `corrections`: one a clip.
    Judgement judge(const VerdictRules& rules, std::span<const Correction> corrections) const;
    /// Corrections by id as the column that `judge` takes; those of clips that are not here are left out.
    std::vector<Correction> columnOf(const Corrections& corrections) const;

private:
    std::vector<ClipRecord> m_clips;
    std::array<std::vector<double>, kMeasures> m_columns;
    std::vector<ReasonSet> m_duplicates;  ///< `Reason::Duplicate`'s bit, or 0
    std::unordered_map<std::string, std::size_t> m_byId;
};

}  // namespace dailies::curation
