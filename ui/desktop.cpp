#include "ui/desktop.h"

#include "core/base/heap.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/settings.h"
#include "ui/theme/theme.h"

#include <QApplication>

namespace dailies::ui {

int runDesktop(int argc, char** argv, const Options& options) {
    shareHeaps();
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("Dailies"));
    Theme::instance().apply(loadSettings().theme);
    MainWindow window(options);
    window.show();
    return QApplication::exec();
}

}  // namespace dailies::ui
