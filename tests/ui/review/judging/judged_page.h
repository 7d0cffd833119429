#pragma once

#include "core/base/files.h"
#include "core/judging/judgement_records.h"
#include "core/tracking/store.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/ui/wall/numbered_store.h"
#include "ui/review/arena/arena_view.h"
#include "ui/review/judging/drawing_bar.h"
#include "ui/review/judging/note_markers.h"
#include "ui/review/judging/note_panel.h"
#include "ui/review/judging/review_controller.h"
#include "ui/review/judging/stroke_layer.h"
#include "ui/review/morning/morning_view.h"
#include "ui/review/review_page.h"
#include "ui/theme/theme.h"
#include "ui/wall/clip_stage.h"
#include "ui/wall/wall_view.h"

#include <QApplication>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {

/// The Review page on a store of numbered clips, judged by keys.
class JudgedPage : public testing::Test {
protected:
    JudgedPage() {
        qputenv("USER", "ana");
        qputenv("XDG_CONFIG_HOME", (m_folder.path() / "config").c_str());
    }

    void open(ThemeMode theme = ThemeMode::Dark) {
        if (m_store.runIds.empty()) m_store = makeNumberedStore(m_folder.path());
        Theme::instance().apply(theme);
        m_page = std::make_unique<ReviewPage>(m_store.file);
        m_page->resize(1280, 720);
        m_page->show();
        settle();
    }

    void settle() {
        ASSERT_TRUE(QTest::qWaitFor(
            [&] {
                return m_page->isSettled() && !m_page->reviewController().reviewModel().isWriting() &&
                       m_page->morning().isSettled();
            },
            10'000));
    }

    WallView* wall() { return m_page->findChild<WallView*>(); }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(wall(), key, modifiers);
        settle();
    }

    judging::ClipKey key(int run, int prompt, int step) const {
        return {m_store.runIds[static_cast<std::size_t>(run)],
                "clips/step-" + std::to_string(step) + "/" + std::to_string(prompt) + ".mp4"};
    }
    judging::ClipReview stored(const judging::ClipKey& clip) const {
        const auto all = judging::readReviews(openStore(), m_store.runIds);
        const auto found = all.find(clip);
        return found == all.end() ? judging::ClipReview() : found->second;
    }
    tracking::Store openStore() const {
        return tracking::Store(m_store.file, tracking::Store::Mode::ReadOnly);
    }

    /// The number on a picture of that size within a widget, as painted.
    static int numberAt(QWidget& widget, const QRect& room) {
        QRect rect({}, displaySize({64, 64}, room.size()));
        rect.moveCenter(room.center());
        const QImage picture = widget.grab(rect).toImage().convertToFormat(QImage::Format_RGB32);
        video::Frame frame{picture.width(), picture.height(), {}};
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x) {
                const QRgb pixel = picture.pixel(x, y);
                for (const int channel : {qRed(pixel), qGreen(pixel), qBlue(pixel)})
                    frame.rgb.push_back(static_cast<std::uint8_t>(channel));
            }
        return video::shownNumber(frame);
    }

    TemporaryFolder m_folder;
    NumberedStore m_store;
    std::unique_ptr<ReviewPage> m_page;
};

}  // namespace dailies::ui
