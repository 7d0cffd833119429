#pragma once

#include "ui/review/wall_axes.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace dailies::ui {

/// Chooses what the wall's columns and rows stand for, in what order the columns are, and which run, prompt
/// or seed is held where neither axis says it. GUI thread only.
class ArrangementBar : public QWidget {
    Q_OBJECT

public:
    explicit ArrangementBar(QWidget* parent = nullptr);

    /// The data that the choices are made from; what was chosen stays where it still exists.
    void setData(const ReviewData& shown);
    const WallArrangement& arrangement() const { return m_arrangement; }

    void setStep(std::int64_t step) { m_arrangement.step = step; }
    void setPinned(const std::string& columnId) { m_arrangement.pinned = columnId; }
    /// The clip that was looked at last: its run, prompt and seed are held when their axis gives way to
    /// another.
    void hold(const std::string& runId, const ReviewRow& row);
    void setAxes(AxisChoice columns, AxisChoice rows);
    void swapAxes() { setAxes(m_arrangement.rows, m_arrangement.columns); }

signals:
    void changed();

private:
    QComboBox* addChoice(const QString& caption, const QString& name);
    void chooseAxis(bool columns);
    void refresh();
    void refreshHeld();
    bool isOnAnAxis(WallAxis a, WallAxis b) const;
    void show(QComboBox* choice, bool shown);

    WallArrangement m_arrangement;
    std::vector<AxisChoice> m_axes;
    std::vector<std::string> m_metrics;
    std::vector<AxisPlace> m_runs, m_prompts, m_seeds;  ///< to be held
    std::vector<QString> m_runNames;
    QComboBox *m_columns, *m_rows, *m_order, *m_run, *m_prompt, *m_seed;
};

}  // namespace dailies::ui
