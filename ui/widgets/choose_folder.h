#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace dailies::ui {

/// Asks for a folder of this machine, and calls `chosen` with it unless the question is dismissed or `parent`
/// is gone. Returns at once. `from`: where the question begins; empty: the working folder.
void chooseFolder(QWidget& parent, const QString& title, const std::function<void(const QString&)>& chosen,
                  const QString& from = {});

}  // namespace dailies::ui
