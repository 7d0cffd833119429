#pragma once

#include "core/curation/clip_set.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dailies::ui {

/// Which clips are on the wall, and in which order.
struct CuratedFilter {
    enum class Show { All, Kept, Dropped };
    Show show = Show::All;
    std::optional<curation::Reason> reason =
        {};  ///< only those that are dropped for it, perhaps among others
    std::optional<curation::Measure> measure = {};  ///< by which they are sorted; nullopt: the list's order
    bool descending = false;
    bool operator==(const CuratedFilter&) const = default;
};

/// Sorts once and filters often: a threshold that moves changes what is shown, not the order.
class ClipOrder {
public:
    /// The clips that the filter lets through, in its order.
    std::vector<std::uint32_t> arrange(const curation::ClipSet& clips, const curation::Judgement& judgement,
                                       const CuratedFilter& filter);
    /// Other clips are there.
    void forget() { m_isSorted = false; }

private:
    void sort(const curation::ClipSet& clips, const CuratedFilter& filter);

    std::vector<std::uint32_t> m_sorted;
    CuratedFilter m_filter;
    bool m_isSorted = false;
};

}  // namespace dailies::ui
