#pragma once

#include "ui/wall/wall_axes.h"

#include <QToolButton>

class QComboBox;
class QFrame;
class QGridLayout;

namespace dailies::ui {

/// A button that says how the wall is arranged ("Run × Prompt and seed") and opens the choices: what columns
/// and rows stand for, in what order the columns are, and which run, prompt or seed is held where neither
/// axis says it. GUI thread only.
class ArrangementPicker : public QToolButton {
    Q_OBJECT

public:
    explicit ArrangementPicker(QWidget* parent = nullptr);

    /// The data that the choices are made from; what was chosen stays where it still exists.
    void setData(const ReviewData& shown);
    const WallArrangement& arrangement() const { return m_arrangement; }

    void setStep(std::int64_t step) { m_arrangement.step = step; }
    void setPinned(const std::string& columnId) { m_arrangement.pinned = columnId; }
    void setExpanded(const std::string& runId, bool expanded);  ///< the stack of its resamples
    /// The clip that was looked at last: its run, prompt and seed are held when their axis gives way to
    /// another.
    void hold(const std::string& runId, const ReviewRow& row);
    void setAxes(AxisChoice columns, AxisChoice rows);
    void swapAxes() { setAxes(m_arrangement.rows, m_arrangement.columns); }

signals:
    void changed();

private:
    QComboBox* addChoice(QGridLayout& grid, const QString& caption, const QString& name);
    void openChoices();
    void showText();
    void chooseAxis(bool columns);
    void refresh();
    void refreshHeld();
    bool isOnAnAxis(WallAxis a, WallAxis b) const;
    void offer(QComboBox* choice, bool offered);

    WallArrangement m_arrangement;
    std::vector<AxisChoice> m_axes;
    std::vector<std::string> m_metrics;
    std::vector<AxisItem> m_runs, m_prompts, m_seeds;  ///< to be held
    std::vector<QString> m_runNames;
    QFrame* m_popup;
    QComboBox *m_columns, *m_rows, *m_order, *m_run, *m_prompt, *m_seed;
};

}  // namespace dailies::ui
