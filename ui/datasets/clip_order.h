#pragma once

#include "core/curation/clip_set.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dailies::ui {

/// Which clips are on the wall, and in which order.
struct CuratedFilter {
    enum class Show { All, Kept, Dropped, Uncaptioned };  ///< the last: of those that are kept
    Show show = Show::All;
    std::optional<curation::Reason> reason =
        {};  ///< only those that are dropped for it, perhaps among others
    std::optional<curation::Measure> measure = {};  ///< by which they are sorted; nullopt: the list's order
    bool descending = false;
    /// Only clips that are like this one (`ClipSet::alike`), whatever else is asked for.
    std::optional<std::size_t> alikeTo = {};
    std::string words = {};  ///< that a clip's film or caption has, each; case does not count
    bool operator==(const CuratedFilter&) const = default;
};

/// Sorts once and filters often: a threshold that moves changes what is shown, not the order.
class ClipOrder {
public:
    using CaptionOf = std::function<const std::string&(std::size_t clip)>;

    /// The clips that the filter lets through, in its order.
    std::vector<std::uint32_t> arrange(const curation::ClipSet& clips, const curation::Judgement& judgement,
                                       const CuratedFilter& filter, const CaptionOf& captionOf);
    /// Other clips are there.
    void forget() { m_isSorted = m_isSearched = false; }
    /// Other captions are there.
    void forgetWords() { m_isSearched = false; }

private:
    void sort(const curation::ClipSet& clips, const CuratedFilter& filter);
    void search(const curation::ClipSet& clips, const std::string& words, const CaptionOf& captionOf);

    std::vector<std::uint32_t> m_sorted;
    CuratedFilter m_filter;
    std::vector<bool> m_hasWords;  ///< one a clip; empty: no words are wanted
    bool m_isSorted = false, m_isSearched = false;
};

}  // namespace dailies::ui
