#pragma once

#include "core/tracking/store.h"

#include <QtGlobal>

#include <functional>
#include <vector>

class QWidget;

namespace dailies::ui {

/// Asks up to which step the runs (at least one) are to train on; `chosen` gets the answer.
void openExtendDialog(const std::vector<tracking::Run>& runs, QWidget* parent,
                      std::function<void(qint64 steps)> chosen);

}  // namespace dailies::ui
