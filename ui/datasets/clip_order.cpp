#include "ui/datasets/clip_order.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numeric>

namespace dailies::ui {

std::vector<std::uint32_t> ClipOrder::arrange(const curation::ClipSet& clips,
                                              const curation::Judgement& judgement,
                                              const CuratedFilter& filter, const CaptionOf& captionOf) {
    if (!m_isSearched || filter.words != m_filter.words) search(clips, filter.words, captionOf);
    if (!m_isSorted || filter.measure != m_filter.measure || filter.descending != m_filter.descending)
        sort(clips, filter);
    m_filter = filter;
    std::vector<std::uint32_t> shown;
    if (filter.alikeTo) {
        const auto alike = clips.alike(*filter.alikeTo);
        std::ranges::copy_if(m_sorted, std::back_inserter(shown),
                             [&](auto clip) { return std::ranges::binary_search(alike, clip); });
        return shown;
    }
    shown.reserve(m_sorted.size());
    const curation::ReasonSet wanted =
        filter.reason ? curation::bitOf(*filter.reason) : curation::ReasonSet{0};
    for (const auto clip : m_sorted) {
        const auto reasons = judgement.reasons[clip];
        using Show = CuratedFilter::Show;
        const bool fits = filter.show == Show::All || (reasons == 0) == (filter.show != Show::Dropped);
        if (filter.show == Show::Uncaptioned && !captionOf(clip).empty()) continue;
        if (!m_hasWords.empty() && !m_hasWords[clip]) continue;
        if (fits && (!filter.reason || (reasons & wanted) != 0)) shown.push_back(clip);
    }
    return shown;
}

void ClipOrder::search(const curation::ClipSet& clips, const std::string& words, const CaptionOf& captionOf) {
    m_isSearched = true;
    m_hasWords.clear();
    auto wanted = split(lowered(words), ' ');
    std::erase(wanted, "");
    if (wanted.empty()) return;
    m_hasWords.resize(clips.size());
    for (std::size_t i = 0; i < clips.size(); ++i) {
        const auto text =
            lowered(std::filesystem::path(clips[i].source).filename().string() + '\n' + captionOf(i));
        m_hasWords[i] = std::ranges::all_of(
            wanted, [&](const std::string& word) { return text.find(word) != std::string::npos; });
    }
}

void ClipOrder::sort(const curation::ClipSet& clips, const CuratedFilter& filter) {
    m_sorted.resize(clips.size());
    std::iota(m_sorted.begin(), m_sorted.end(), 0U);
    m_isSorted = true;
    if (!filter.measure) return;
    const auto values = clips.column(*filter.measure);
    // those without a number come last, both ways
    const auto numbered =
        std::ranges::stable_partition(m_sorted, [&](auto clip) { return !std::isnan(values[clip]); });
    std::ranges::stable_sort(m_sorted.begin(), numbered.begin(), [&](auto a, auto b) {
        return filter.descending ? values[a] > values[b] : values[a] < values[b];
    });
}

}  // namespace dailies::ui
