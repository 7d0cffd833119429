#pragma once

#include "core/tracking/store.h"

#include <QtGlobal>

#include <functional>

class QWidget;

namespace dailies::ui {

/// Asks up to which step the run is to train on; `chosen` gets the answer.
void askHowFar(const tracking::Run& run, QWidget* parent, std::function<void(qint64 steps)> chosen);

}  // namespace dailies::ui
