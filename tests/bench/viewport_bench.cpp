// How fast two clips of 1920×1080 are laid over one another. The rivals: QPainter's own composition of a
// difference, and the 16.7 ms of one core in which a screen that is painted 60 times a second must be done.
#include "core/quality/similarity.h"
#include "tests/bench/peer.h"
#include "ui/theme/theme.h"
#include "ui/viewport/clip_viewport.h"
#include "ui/viewport/compose.h"
#include "ui/viewport/picture_view.h"

#include <QApplication>
#include <QPainter>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

using namespace dailies;

constexpr QSize kSize(1920, 1080);
constexpr int kRounds = 30;
constexpr double kFrameMs = 1000.0 / 60;

QImage pattern(int shift) {
    QImage image(kSize, QImage::Format_RGB32);
    for (int y = 0; y < kSize.height(); ++y)
        for (int x = 0; x < kSize.width(); ++x)
            image.setPixel(x, y, qRgb((x + shift) & 255, (y * 3 + shift) & 255, (x * y / 64) & 255));
    return image;
}

/// Of CPU time, all threads together: what does not depend on who else uses the machine. The median over the
/// rounds.
template <typename Work>
double milliseconds(Work work) {
    std::vector<double> times;
    for (int i = 0; i < kRounds; ++i) {
        const double before = test::cpuSeconds();
        work(i);
        times.push_back(1000 * (test::cpuSeconds() - before));
    }
    std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
    return times[kRounds / 2];
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    ui::Theme::instance().apply(ui::ThemeMode::Dark);
    const QImage a = pattern(0), b = pattern(5);

    const double ours =
        milliseconds([&](int) { ui::difference(a, b, a.rect(), ui::DifferenceKind::Absolute, 8); });
    const double painter = milliseconds([&](int) {
        QImage out = a;
        QPainter paint(&out);
        paint.setCompositionMode(QPainter::CompositionMode_Difference);
        paint.drawImage(0, 0, b);
    });
    std::printf("difference  1080p, amplified: %.1f ms; QPainter, not amplified: %.1f ms; ratio %.1f\n", ours,
                painter, painter / ours);

    ui::ClipViewport viewport;
    viewport.resize(kSize);
    viewport.show();
    const auto render = [&](const char* name) {
        const double whole = milliseconds([&](int i) {
            viewport.setFrames({i % 2 ? a : b, i % 2 ? b : a, {b, b}, {a, a}});
            while (!viewport.isSettled()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        });
        QImage screen(kSize, QImage::Format_RGB32);
        const double paint = milliseconds([&](int) { viewport.render(&screen); });
        std::printf(
            "%-11s 1080p from frames to screen: %.1f ms (a 60th of a second is %.1f: ratio %.1f), of which "
            "the "
            "GUI thread paints %.1f ms\n",
            name, whole, kFrameMs, kFrameMs / whole, paint);
    };
    const char* const names[] = {"wipe", "flip", "difference", "overlay", "onion skin"};
    for (int mode = 0; mode < ui::kViewModes; ++mode) {
        viewport.setMode(static_cast<ui::ViewMode>(mode));
        render(names[mode]);
    }
    const double similar = milliseconds([&](int) {
        quality::psnr(ui::toPictureView(a), ui::toPictureView(b));
        quality::ssim(quality::lumaOf(ui::toPictureView(a)), quality::lumaOf(ui::toPictureView(b)));
    });
    std::printf("similarity  PSNR and SSIM of a 1080p frame: %.1f ms\n", similar);
}
