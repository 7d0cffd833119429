#pragma once

#include "core/tracking/store.h"

#include <QtGlobal>

#include <functional>
#include <vector>

class QWidget;

namespace dailies::ui {

// Ask for a step of runs; `chosen` gets the answer unless the question is dismissed.

/// Asks up to which step the runs (at least one) are to train on.
void openExtendDialog(const std::vector<tracking::Run>& runs, QWidget* parent,
                      std::function<void(qint64 steps)> chosen);

/// Asks of which step of the run the clips are to be shown.
void openBatchDialog(const tracking::Run& run, QWidget* parent, std::function<void(qint64 step)> chosen);

}  // namespace dailies::ui
