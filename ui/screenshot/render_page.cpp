#include "ui/screenshot/render_page.h"

#include "core/base/error.h"
#include "ui/cluster/connect_dialog.h"
#include "ui/main_window/main_window.h"
#include "ui/run_page/run_page.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QPainter>
#include <QThread>

#include <memory>

namespace dailies::ui {

namespace {

constexpr int kLongestMs = 20'000;
constexpr int kCalmTurns =
    12;  ///< turns of the event loop without work before the picture is taken: layouts, timers of 0 ms

template <typename Settled>
void waitUntilCalm(Settled settled) {
    QElapsedTimer time;
    time.start();
    for (int calm = 0; calm < kCalmTurns && time.elapsed() < kLongestMs;) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(8);
        calm = settled() ? calm + 1 : 0;
    }
}

QImage grab(QWidget& widget, const QSize& size, double scale) {
    QImage image(size * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    image.fill(colors().window);
    widget.render(&image);
    return image;
}

}  // namespace

// Qt reads platform and scale only when the application is made.
std::unique_ptr<QApplication> makeOffscreenApplication(double scale) {
    if (QApplication::instance()) {
        return nullptr;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", QByteArray::number(scale));
    static int argc = 1;
    static char name[] = "dailies";
    static char* argv[] = {name, nullptr};
    return std::make_unique<QApplication>(argc, argv);
}

QImage renderPage(const Picture& picture) {
    const bool dialog = picture.page == "connect";
    const auto page = dialog ? std::optional(Page::Cluster) : pageFromName(picture.page);
    if (!page) {
        throw InputError("there is no page '" + picture.page + "'",
                         "Choose one of: runs, review, launch, cluster, compare, run, connect.");
    }
    const auto application = makeOffscreenApplication(picture.scale);
    Theme::instance().apply(picture.theme);

    MainWindow window({picture.storeFile, picture.profilesFile, {}, *page, picture.runIds});
    window.resize(picture.size);
    window.setAttribute(Qt::WA_DontShowOnScreen);
    window.show();
    QWidget* shown = &window;
    if (dialog) {
        shown = &window.openConnectDialog();
    }
    waitUntilCalm([&] { return window.settled(); });
    if (!picture.tab.empty()) {
        window.runPage().showTab(picture.tab);
        waitUntilCalm([&] { return window.settled(); });
    }
    return grab(*shown, dialog ? shown->size() : picture.size, picture.scale);
}

}  // namespace dailies::ui
