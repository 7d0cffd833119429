#pragma once

#include "core/tracking/run_color.h"
#include "ui/theme/tokens.h"

#include <QColor>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace dailies::ui {

/// Which colour a run has in every table, chart and review, in the current theme. What the store says decides
/// (core/tracking/run_color.h); this only holds it for those who paint. GUI thread only.
class RunColors {
public:
    static RunColors& instance();

    /// Whoever was shown one of these runs in another colour before is told by `Theme::changed`.
    void assign(const std::vector<tracking::RunColor>& colors);

    /// A run that was never assigned a colour gets the one its id prefers.
    QColor color(const std::string& runId) const;
    /// A colour of the palette (an index into `tracking::kRunColors`) in the current theme.
    static QColor tint(std::size_t color);

private:
    std::unordered_map<std::string, std::size_t> m_colors;
    mutable std::unordered_set<std::string> m_guessed;  ///< asked for before they were assigned one
};

/// Shorthand for `RunColors::instance().color(runId)`.
inline QColor runColor(const std::string& runId) {
    return RunColors::instance().color(runId);
}

}  // namespace dailies::ui
