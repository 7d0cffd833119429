#pragma once

#include "core/quality/clip_comparison.h"
#include "ui/bridge/run_async.h"

#include <QObject>

#include <vector>

namespace dailies::ui {

/// Compares two clips frame by frame on a worker and tells what it knows as it goes. GUI thread only.
class QualityMeter : public QObject {
    Q_OBJECT

public:
    explicit QualityMeter(QObject* parent = nullptr);

    /// Drops what was under way. Empty files: nothing to compare.
    void compare(const quality::ComparedFile& reference, const quality::ComparedFile& clip);

    const std::vector<quality::FrameComparison>& frames() const { return m_frames; }
    const QString& problem() const { return m_problem; }  ///< why there is nothing
    bool isSettled() const { return !m_running; }

signals:
    void changed();

private:
    quality::ComparedFile m_reference, m_clip;
    std::vector<quality::FrameComparison> m_frames;
    QString m_problem;
    AsyncTask m_task;
    bool m_running = false;
    int m_comparison = 0;  ///< counts them: what an earlier one still brings is dropped
};

}  // namespace dailies::ui
