// Messages leave the pages' controls free.
#include "core/base/files.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/toasts.h"
#include "ui/playback/transport_bar.h"
#include "ui/review/arena/arena_view.h"
#include "ui/review/review_page.h"
#include "ui/theme/theme.h"
#include "ui/wall/clip_stage.h"

#include <QAbstractButton>
#include <QFrame>
#include <QLabel>
#include <QSlider>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

class ToastsInPages : public testing::Test {
protected:
    ToastsInPages() {
        Theme::instance().apply(ThemeMode::Dark);
        const auto demo = test::makeDemoStore(m_folder.path(), {.mixedStates = true});
        std::filesystem::rename(demo.file, m_folder.path() / "dailies.db");
        m_window = std::make_unique<MainWindow>(
            Options{m_folder.path() / "dailies.db", m_folder.path() / "clusters.json", {}, Page::Review});
        m_window->show();
        EXPECT_TRUE(waitUntil([&] { return m_window->isSettled(); }));
    }

    void tellThree() {
        auto& toasts = *m_window->findChild<Toasts*>();
        toasts.showFailure(Error("The clip could not be read", "It is fetched again when it is opened."));
        toasts.showFailure(Error("The connection to the cluster was lost and is being made again"));
        toasts.showNotification("Saved");
        QCoreApplication::processEvents();
    }

    QRect placeOf(const QWidget& widget) {
        return {widget.mapTo(m_window.get(), QPoint(0, 0)), widget.size()};
    }

    std::vector<QString> covered() {
        std::vector<QString> names;
        std::vector<QRect> cards;
        for (auto* card : m_window->findChildren<QFrame*>("toast"))
            if (card->isVisible()) cards.push_back(placeOf(*card));
        EXPECT_GE(cards.size(), 1u);
        for (auto* widget : m_window->findChildren<QWidget*>()) {
            const bool control = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QSlider*>(widget);
            const auto* bar = m_window->findChild<TransportBar*>();
            const bool readout = qobject_cast<QLabel*>(widget) && bar && bar->isAncestorOf(widget);
            const bool pictures = qobject_cast<ClipStage*>(widget);
            if (!widget->isVisible() || (!control && !readout && !pictures)) continue;
            if (m_window->findChild<Toasts*>()->isAncestorOf(widget)) continue;
            for (const QRect& card : cards)
                if (card.intersects(placeOf(*widget)))
                    names.push_back(widget->metaObject()->className() + QStringLiteral(" ") +
                                    widget->accessibleName());
        }
        return names;
    }

    void expectControlsFree(const QSize& smallest = {960, 508}) {
        const QString kept = qEnvironmentVariable("DAILIES_PICTURES");
        const QString name = testing::UnitTest::GetInstance()->current_test_info()->name();
        m_window->setMinimumSize(1, 1);  // the screen's affair
        for (const QSize size : {QSize(1440, 900), QSize(960, 600), smallest}) {
            m_window->resize(size);
            QCoreApplication::processEvents();
            for (const QString& control : covered()) ADD_FAILURE() << size.width() << control.toStdString();
            if (kept.isEmpty()) continue;
            for (const auto mode : {ThemeMode::Dark, ThemeMode::Light}) {
                Theme::instance().apply(mode);
                QCoreApplication::processEvents();
                m_window->grab().save(QStringLiteral("%1/%2-%3-%4.png")
                                          .arg(kept, name)
                                          .arg(size.width())
                                          .arg(static_cast<int>(mode)));
            }
        }
    }

    TemporaryFolder m_folder;
    std::unique_ptr<MainWindow> m_window;
};

TEST_F(ToastsInPages, TheArenasPicturesAnswersAndTheWayOutStayFree) {
    m_window->reviewPage().enterArena();
    ASSERT_TRUE(waitUntil([&] { return m_window->reviewPage().arena().isSettled(); }, 20'000));
    tellThree();
    expectControlsFree({640, 360});
    emit m_window->reviewPage().arena().left();
    tellThree();
    expectControlsFree();
}

TEST_F(ToastsInPages, WordsHaveTheCardsWidthAlsoAfterTheArenasStrip) {
    m_window->reviewPage().enterArena();
    ASSERT_TRUE(waitUntil([&] { return m_window->reviewPage().arena().isSettled(); }, 20'000));
    tellThree();
    emit m_window->reviewPage().arena().left();
    ASSERT_TRUE(waitUntil([&] { return m_window->findChild<Toasts*>()->height() > 100; }));
    QCoreApplication::processEvents();
    for (auto* card : m_window->findChildren<QFrame*>("toast"))
        for (const auto* label : card->findChildren<QLabel*>())
            if (label->isVisible() && label->wordWrap()) {
                EXPECT_GT(label->width(), card->width() / 2) << label->text().toStdString();
            }
}

TEST_F(ToastsInPages, TheTransportBarAndItsStepStayFree) {
    tellThree();
    expectControlsFree();
}

TEST_F(ToastsInPages, TheyMakeRoomWhereAPageIsGoneTo) {
    m_window->showPage(Page::Runs);
    tellThree();
    m_window->reviewPage().enterArena();
    m_window->showPage(Page::Review);
    EXPECT_TRUE(waitUntil([&] { return covered().empty(); }));
    expectControlsFree();
}

}  // namespace
}  // namespace dailies::ui
