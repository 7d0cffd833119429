#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>

namespace dailies::ui {

/// Measures how long the GUI thread was busy without looking at its events: the longest gap between two ticks
/// of a timer that fires every millisecond. GUI thread only. Costs about 1 % of a core, so benches and tests
/// own one, the program does not.
class StallMeter : public QObject {
    Q_OBJECT

public:
    explicit StallMeter(QObject* parent = nullptr);

    void restart();           ///< forgets what was measured
    void ignoreCurrentGap();  ///< does not count the gap that lasts now
    std::chrono::microseconds longest() const { return m_longest; }
    int overBudget() const {
        return m_overBudget;
    }  ///< gaps longer than 8 ms, what a paint or a slot may take

private:
    void tick();

    QTimer m_timer;
    QElapsedTimer m_sinceTick;
    std::chrono::microseconds m_longest{0};
    int m_overBudget = 0;
};

}  // namespace dailies::ui
