#include "ui/datasets/clip_order.h"

#include <algorithm>
#include <numeric>

namespace dailies::ui {

std::vector<std::uint32_t> ClipOrder::arrange(const curation::ClipSet& clips,
                                              const curation::Judgement& judgement,
                                              const CuratedFilter& filter) {
    if (!m_isSorted || filter.measure != m_filter.measure || filter.descending != m_filter.descending)
        sort(clips, filter);
    m_filter = filter;
    std::vector<std::uint32_t> shown;
    shown.reserve(m_sorted.size());
    const curation::ReasonSet wanted =
        filter.reason ? curation::bitOf(*filter.reason) : curation::ReasonSet{0};
    for (const auto clip : m_sorted) {
        const auto reasons = judgement.reasons[clip];
        const bool fits = filter.show == CuratedFilter::Show::All ||
                          (reasons == 0) == (filter.show == CuratedFilter::Show::Kept);
        if (fits && (!filter.reason || (reasons & wanted) != 0)) shown.push_back(clip);
    }
    return shown;
}

void ClipOrder::sort(const curation::ClipSet& clips, const CuratedFilter& filter) {
    m_sorted.resize(clips.size());
    std::iota(m_sorted.begin(), m_sorted.end(), 0U);
    m_isSorted = true;
    if (!filter.measure) return;
    const auto values = clips.column(*filter.measure);
    std::ranges::stable_sort(m_sorted, [&](auto a, auto b) {
        return filter.descending ? values[a] > values[b] : values[a] < values[b];
    });
}

}  // namespace dailies::ui
