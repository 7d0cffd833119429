#pragma once

#include "core/exchange/progress.h"

#include <QTimer>
#include <QWidget>

#include <memory>

class QProgressBar;

namespace dailies::ui {

class ElidedLabel;

/// How far an import or export has come: a bar, and what is being read or written. Hidden while nothing goes
/// on.
class ProgressView : public QWidget {
    Q_OBJECT

public:
    /// `done`: "read" or "written", said of runs and points.
    explicit ProgressView(QString done, QWidget* parent = nullptr);

    /// Shows itself; the work, on whichever thread, tells the handler.
    exchange::ProgressHandler start();
    void stop();

private:
    struct Shared;
    void refresh();

    QString m_done;
    std::shared_ptr<Shared> m_shared;
    QTimer m_timer;
    QProgressBar* m_bar;
    ElidedLabel* m_text;
};

/// "1 run", "2,345 runs": counted as the person's language does it.
QString runCountText(std::int64_t count);
QString pointCountText(std::int64_t count);

/// "12 images: only numbers are imported"
QString skippedText(const exchange::SkippedItem& entry);

}  // namespace dailies::ui
