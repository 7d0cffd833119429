#pragma once

#include "core/tracking/store.h"

#include <QtGlobal>

#include <functional>

class QWidget;

namespace dailies::ui {

/// Asks of which step the clips are to be shown; `chosen` gets the answer.
void openBatchDialog(const tracking::Run& run, QWidget* parent, std::function<void(qint64 step)> chosen);

}  // namespace dailies::ui
