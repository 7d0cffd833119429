#pragma once

#include "core/tracking/store.h"

#include <QObject>

#include <cstdint>
#include <string>

class QMenu;
class QWidget;

namespace dailies::ui {

/// What can be done to a run from one of its clips. The page offers it; the window, which knows the cluster
/// and the other pages, does it. What nobody is connected to is not offered. GUI thread only.
class ClipActions : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// The menu for a clip of `run`, made with that of `prompt` and `seed` at `step`. Belongs to `parent`.
    QMenu* makeMenu(const tracking::Run& run, std::int64_t step, const std::string& prompt, std::int64_t seed,
                    QWidget* parent);

signals:
    void openRunRequested(const std::string& runId);
    void cancelRequested(const std::string& runId);
    void archiveRequested(const std::string& runId);
    void extendRequested(const std::string& runId, qint64 steps);  ///< train on, to that many steps
    void forkRequested(const std::string& runId);                  ///< a new run with changed params
    void sampleRequested(const std::string& runId, qint64 step, const std::string& prompt, qint64 seed);
    void exportRequested(const std::string& runId, qint64 step);  ///< the weights that made the clip
    void checkpointsRequested(const std::string& runId);
};

}  // namespace dailies::ui
