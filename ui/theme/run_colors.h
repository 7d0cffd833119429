#pragma once

#include "ui/theme/tokens.h"

#include <QColor>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace dailies::ui {

/// Which colour a run has in every table, chart and review: always the same for the same store, and different
/// for runs that are likely to be seen together (up to as many as there are colours). GUI thread only.
class RunColors {
public:
    static RunColors& instance();

    /// Gives colours to those of these runs that have none. Order matters, so pass them oldest first: a run
    /// prefers the colour of its id's hash and takes the next one when one of the eleven runs before it has
    /// that. Whoever was shown such a run in another colour before is told by `Theme::changed`.
    void assign(const std::vector<std::string>& runIdsOldestFirst);

    /// In the current theme's version of the palette; a run never assigned gets its hash's colour.
    QColor color(const std::string& runId) const;

    static constexpr int kCount = 12;

private:
    std::unordered_map<std::string, int> m_indexes;
    std::vector<int> m_recent;
    mutable std::unordered_set<std::string> m_guessed;  ///< asked for before they were assigned one
};

/// Shorthand for `RunColors::instance().color(runId)`.
inline QColor runColor(const std::string& runId) {
    return RunColors::instance().color(runId);
}

}  // namespace dailies::ui
