#pragma once

#include "core/analysis/table.h"

#include <QString>

#include <optional>
#include <vector>

namespace dailies::ui {

/// Where the runs' values of one field lie between 0 and 1, and what is written there. Numbers lie on a
/// linear or logarithmic scale between the least and the greatest, categories at equal distances. Any thread.
class PlotAxis {
public:
    PlotAxis() = default;
    /// `logarithmic`: as a person chose, else as the column is.
    explicit PlotAxis(analysis::Column column, std::optional<bool> logarithmic = {});

    const analysis::Column& column() const { return m_column; }
    bool logarithmic() const { return m_logarithmic; }

    /// NaN when the run has no value, or one that this scale has no place for.
    double place(std::size_t run) const { return m_places[run]; }
    double placeOf(double value) const;
    double valueAt(double place) const;
    std::size_t placedCount() const;  ///< runs that have a place

    struct Tick {
        double place;
        QString label;
    };
    std::vector<Tick> ticks(int atMost) const;

    /// The run's value in words; "—" when it has none, "NaN" and "∞" as they are.
    QString text(std::size_t run) const;
    /// The same for any value of the axis.
    QString textOf(double value) const;

private:
    double scaled(double value) const;
    void findRange();

    analysis::Column m_column;
    std::vector<double> m_places;  ///< a run each: pointers move over thousands of them
    bool m_logarithmic = false;
    double m_low = 0, m_high = 1;  ///< of the scaled values
};

}  // namespace dailies::ui
