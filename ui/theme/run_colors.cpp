#include "ui/theme/run_colors.h"

#include "ui/theme/theme.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dailies::ui {

namespace {

// Hues spread around the wheel at about equal lightness, neighbours far apart; darker on white, lighter on
// near-black.
constexpr std::array<const char*, RunColors::kCount> kLight{"#3b6fe0", "#d9622b", "#1f9d6b", "#b23fc0",
                                                            "#c28a06", "#0f93a8", "#d63b64", "#6d5be0",
                                                            "#6a9a1b", "#8a5a3c", "#c0489a", "#5b6b84"};
constexpr std::array<const char*, RunColors::kCount> kDark{"#6d9bff", "#f58a52", "#4cc794", "#d479e2",
                                                           "#e5b53c", "#3fc1d6", "#f57590", "#9d8dff",
                                                           "#9fcb4f", "#c59270", "#ee82c3", "#9badc8"};

/// FNV-1a: the same on every machine and in every session, which std::hash does not promise.
int preferred(const std::string& runId) {
    std::uint32_t hash = 2166136261u;
    for (const unsigned char c : runId) {
        hash = (hash ^ c) * 16777619u;
    }
    return static_cast<int>(hash % RunColors::kCount);
}

}  // namespace

RunColors& RunColors::instance() {
    static RunColors colors;
    return colors;
}

void RunColors::assign(const std::vector<std::string>& runIdsOldestFirst) {
    bool shownOtherwise = false;
    for (const auto& id : runIdsOldestFirst) {
        if (m_indexes.contains(id)) {
            continue;
        }
        int index = preferred(id);
        while (std::find(m_recent.begin(), m_recent.end(), index) != m_recent.end()) {
            index = (index + 1) % kCount;
        }
        m_indexes.emplace(id, index);
        shownOtherwise |= m_guessed.erase(id) > 0 && index != preferred(id);
        m_recent.push_back(index);
        if (m_recent.size() >= kCount) {
            m_recent.erase(m_recent.begin());
        }
    }
    // Later, so that whoever assigns has shown what it read.
    if (shownOtherwise) QMetaObject::invokeMethod(&Theme::instance(), &Theme::changed, Qt::QueuedConnection);
}

QColor RunColors::color(const std::string& runId) const {
    const auto found = m_indexes.find(runId);
    if (found == m_indexes.end()) m_guessed.insert(runId);
    const auto index = static_cast<std::size_t>(found == m_indexes.end() ? preferred(runId) : found->second);
    return QColor(Theme::instance().mode() == ThemeMode::Dark ? kDark[index] : kLight[index]);
}

}  // namespace dailies::ui
