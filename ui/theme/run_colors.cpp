#include "ui/theme/run_colors.h"

#include "ui/theme/theme.h"

#include <array>

namespace dailies::ui {

namespace {

// Hues spread around the wheel at about equal lightness, neighbours far apart; darker on white, lighter on
// near-black. In the order of `tracking::kRunColors`.
using Tints = std::array<const char*, tracking::kRunColors.size()>;
constexpr Tints kLight{"#3b6fe0", "#d9622b", "#1f9d6b", "#b23fc0", "#c28a06", "#0f93a8",
                       "#d63b64", "#6d5be0", "#6a9a1b", "#8a5a3c", "#c0489a", "#5b6b84"};
constexpr Tints kDark{"#6d9bff", "#f58a52", "#4cc794", "#d479e2", "#e5b53c", "#3fc1d6",
                      "#f57590", "#9d8dff", "#9fcb4f", "#c59270", "#ee82c3", "#9badc8"};

}  // namespace

RunColors& RunColors::instance() {
    static RunColors colors;
    return colors;
}

void RunColors::assign(const std::vector<tracking::RunColor>& colors) {
    bool shownOtherwise = false;
    for (const auto& [id, color, stored] : colors) {
        const auto [at, isNew] = m_colors.emplace(id, color);
        const bool guessed = isNew && m_guessed.erase(id) > 0;
        shownOtherwise |= isNew ? guessed && color != tracking::newRunColor(id) : at->second != color;
        at->second = color;
    }
    // Later, so that whoever assigns has shown what it read.
    if (shownOtherwise) QMetaObject::invokeMethod(&Theme::instance(), &Theme::changed, Qt::QueuedConnection);
}

QColor RunColors::tint(std::size_t color) {
    return QColor(Theme::instance().mode() == ThemeMode::Dark ? kDark[color] : kLight[color]);
}

QColor RunColors::color(const std::string& runId) const {
    const auto found = m_colors.find(runId);
    if (found != m_colors.end()) return tint(found->second);
    m_guessed.insert(runId);
    return tint(tracking::newRunColor(runId));
}

}  // namespace dailies::ui
