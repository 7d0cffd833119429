#include "ui/desktop.h"

#include "core/base/malloc_arenas.h"
#include "core/log/log.h"
#include "core/tracking/artifact_root.h"
#include "core/video/proxy_folder.h"
#include "remote/follow/mirror_budget.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/settings.h"
#include "ui/playback/frame_service.h"
#include "ui/theme/theme.h"

#include <QApplication>

namespace dailies::ui {

int runDesktop(int argc, char** argv, const Options& options) {
    limitMallocArenas();
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("Dailies"));
    const Settings settings = loadSettings();
    if (settings.detailedLog && !options.logLevelChosen) log::setLevel(log::Level::Debug);
    Theme::instance().apply(settings.theme);
    const auto frames = FrameService::shared();
    frames->setLimitMiB(settings.frameCacheMiB);
    const auto limits = remote::loadMirrorLimits();
    const auto proxies = video::ProxyFolder::below(tracking::artifactRoot(options.storeFile));
    frames->setProxyFolder({proxies, remote::proxyBytes(limits), limits.minFreeBytes});
    MainWindow window(options, settings.window);
    window.show();
    const std::stop_callback quit(options.stop, [&application] {
        QMetaObject::invokeMethod(&application, &QApplication::closeAllWindows, Qt::QueuedConnection);
    });
    return QApplication::exec();
}

}  // namespace dailies::ui
