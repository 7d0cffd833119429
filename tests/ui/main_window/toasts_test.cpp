#include "ui/main_window/toasts.h"

#include "tests/ui/wait_until.h"

#include <QDesktopServices>
#include <QDialog>
#include <QEnterEvent>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QUrl>
#include <gtest/gtest.h>

#include <algorithm>

namespace dailies::ui {
namespace {

/// What would be opened by the desktop.
class Opened : public QObject {
    Q_OBJECT

public:
    Opened() { QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "open"); }
    ~Opened() override { QDesktopServices::unsetUrlHandler(QStringLiteral("file")); }
    QStringList files;

public slots:
    void open(const QUrl& url) { files << url.toLocalFile(); }
};

QPushButton* buttonCalled(QWidget& window, const QString& text) {
    for (auto* button : window.findChildren<QPushButton*>())
        if (button->text() == text && button->isVisible()) return button;
    return nullptr;
}

TEST(Toasts, ASavedFileIsOpenedOrShownInItsFolderFromTheMessage) {
    QWidget window;
    window.resize(800, 600);
    Toasts toasts(&window);
    window.show();
    Opened opened;
    toasts.showSaved("/tmp/sheets/clips.png");
    ASSERT_NE(buttonCalled(window, "Open"), nullptr);
    QTest::mouseClick(buttonCalled(window, "Open"), Qt::LeftButton);
    EXPECT_EQ(opened.files, QStringList{"/tmp/sheets/clips.png"});
    ASSERT_TRUE(waitUntil([&] { return !buttonCalled(window, "Open"); })) << "it has been answered";

    toasts.showSaved("/tmp/sheets/clips.png");
    ASSERT_NE(buttonCalled(window, "Show in folder"), nullptr);
    QTest::mouseClick(buttonCalled(window, "Show in folder"), Qt::LeftButton);
    EXPECT_EQ(opened.files.last(), "/tmp/sheets");
}

TEST(Toasts, AButtonDoesWhatItSaysOnce) {
    QWidget window;
    window.resize(800, 600);
    Toasts toasts(&window);
    window.show();
    int undone = 0;
    toasts.showNotification("Removed tartu", {{"Undo", [&] { ++undone; }}});
    QTest::mouseClick(buttonCalled(window, "Undo"), Qt::LeftButton);
    EXPECT_EQ(undone, 1);
    EXPECT_TRUE(waitUntil([&] { return !buttonCalled(window, "Undo"); }));
}

/// The picture that leads the newest message.
QImage toPictureView(const QWidget& window) {
    const auto cards = window.findChildren<QFrame*>(QStringLiteral("toast"));
    if (cards.isEmpty()) return {};
    for (const auto* label : cards.last()->findChildren<QLabel*>())
        if (!label->pixmap().isNull()) return label->pixmap().toImage();
    return {};
}

TEST(Toasts, AnAlertHasTheToneOfWhatItSays) {
    QWidget window;
    window.resize(800, 600);
    Toasts toasts(&window);
    window.show();
    toasts.showNotification("Saved");
    const QImage tick = toPictureView(window);
    toasts.showFailure(Error("The disk is full"));
    const QImage failure = toPictureView(window);
    ASSERT_NE(tick, failure);
    const auto told = [&](alerts::Kind kind) {
        alerts::Alert alert;
        alert.kind = kind;
        alert.title = std::string(alerts::toText(kind));
        alert.text = "Its memory ran out.";
        toasts.showAlert(alert);
        return toPictureView(window);
    };
    EXPECT_EQ(told(alerts::Kind::Finished), tick);
    for (const auto kind : {alerts::Kind::Failed, alerts::Kind::Diverged}) EXPECT_EQ(told(kind), failure);
    for (const auto kind : {alerts::Kind::Stuck, alerts::Kind::Disk, alerts::Kind::Idle}) {
        EXPECT_NE(told(kind), tick);
        EXPECT_NE(told(kind), failure);
    }
    const auto labels = window.findChildren<QLabel*>();
    EXPECT_TRUE(std::ranges::any_of(
        labels, [](const QLabel* label) { return label->text() == "Its memory ran out."; }));
}

// -- how they stand

class ToastStack : public testing::Test {
protected:
    ToastStack() : m_toasts(&m_window) {
        m_window.resize(1000, 700);
        m_window.show();
    }

    void fail(const QString& what, const QString& remedy = {}) {
        m_toasts.showFailure(Error(what.toStdString(), remedy.toStdString()));
        QCoreApplication::processEvents();
    }

    std::vector<QFrame*> cards() {
        std::vector<QFrame*> visible;
        for (auto* card : m_window.findChildren<QFrame*>(QStringLiteral("toast")))
            if (card->isVisible()) visible.push_back(card);
        return visible;
    }

    bool says(const QString& text) {
        for (const auto* label : m_window.findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(text)) return true;
        for (const auto* button : m_window.findChildren<QPushButton*>())
            if (button->isVisible() && button->text().contains(text)) return true;
        return false;
    }

    QRect placeOf(const QWidget& widget) { return {widget.mapTo(&m_window, QPoint(0, 0)), widget.size()}; }

    /// Every card says all that it has to say, inside the window and clear of the others.
    void expectReadable() {
        const auto shown = cards();
        for (std::size_t i = 0; i < shown.size(); ++i) {
            const QRect place = placeOf(*shown[i]);
            EXPECT_TRUE(m_window.rect().contains(place)) << i;
            EXPECT_LE(place.width(), 420);
            for (std::size_t other = 0; other < i; ++other)
                EXPECT_FALSE(place.intersects(placeOf(*shown[other]))) << i << " and " << other;
            for (const auto* label : shown[i]->findChildren<QLabel*>()) {
                if (!label->isVisible()) continue;  // of its other form, flat or not
                EXPECT_TRUE(place.contains(placeOf(*label)));
                if (label->text().isEmpty()) continue;
                EXPECT_GE(label->height(), label->heightForWidth(label->width()))
                    << label->text().toStdString();
                EXPECT_GE(label->width(), label->minimumSizeHint().width()) << label->text().toStdString();
            }
        }
    }

    QWidget m_window;
    Toasts m_toasts;
};

constexpr const char* kLong =
    "The cluster answered that the account may not submit to this partition, because its limit of jobs that "
    "wait or run is reached, and nothing of the sweep was submitted.";

TEST_F(ToastStack, SeveralAreReadableWithTheNewestNearestTheCorner) {
    fail("The disk is full");
    fail(kLong, "Wait until some have ended, or choose another partition in the Launch form.");
    fail(
        "The log could not be read: /scratch/projects/video/very_long_folder_name/attempts/0001/slurm-1.out");
    ASSERT_EQ(cards().size(), 3u);
    expectReadable();
    EXPECT_LT(placeOf(*cards()[0]).bottom(), placeOf(*cards()[1]).top());
    EXPECT_LT(placeOf(*cards()[1]).bottom(), placeOf(*cards()[2]).top());
}

TEST_F(ToastStack, ThreeAreShownAndEarlierOnesCounted) {
    for (int i = 1; i <= 5; ++i) fail(QStringLiteral("Failure %1").arg(i));
    ASSERT_EQ(cards().size(), 3u);
    expectReadable();
    EXPECT_TRUE(says("Failure 5"));
    EXPECT_FALSE(says("Failure 2"));
    EXPECT_TRUE(says("2 more"));
    QTest::mouseClick(cards().back(), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return !says("Failure 5") && says("Failure 2"); })) << "it comes back";
    EXPECT_TRUE(says("1 more"));
}

TEST_F(ToastStack, EachIsDismissedByAClickOrItsCross) {
    fail("The disk is full", "Make room");
    QTest::mouseClick(cards().front(), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return cards().empty(); }));
    fail("The disk is full", "Make room");
    QTest::mouseClick(cards().front()->findChild<QToolButton*>(), Qt::LeftButton);
    EXPECT_TRUE(waitUntil([&] { return cards().empty(); }));
}

TEST_F(ToastStack, FailuresLeaveByThemselvesLaterThanNewsButNotUnderThePointer) {
    m_toasts.setStay({.newsMs = 150, .longNewsMs = 300, .failureMs = 900});
    fail("The disk is full");
    m_toasts.showNotification("Saved");
    ASSERT_TRUE(waitUntil([&] { return !says("Saved"); }));
    ASSERT_TRUE(says("The disk is full"));
    QEnterEvent enter({5, 5}, {5, 5}, {5, 5});
    QCoreApplication::sendEvent(&m_toasts, &enter);
    EXPECT_FALSE(waitUntil([&] { return !says("The disk is full"); }, 1500)) << "somebody reads it";
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&m_toasts, &leave);
    EXPECT_TRUE(waitUntil([&] { return !says("The disk is full"); }));
}

TEST_F(ToastStack, WhatHasLeftIsKeptInMessages) {
    m_toasts.setStay({.newsMs = 50, .longNewsMs = 50, .failureMs = 50});
    int unread = 0;
    QObject::connect(&m_toasts, &Toasts::unreadChanged, &m_window, [&](int failures) { unread = failures; });
    fail("The disk is full", "Make room");
    m_toasts.showNotification("Saved");
    ASSERT_TRUE(waitUntil([&] { return cards().empty(); }));
    EXPECT_EQ(unread, 1);
    m_toasts.openMessages();
    auto* messages = m_window.findChild<QDialog*>();
    ASSERT_NE(messages, nullptr);
    EXPECT_TRUE(messages->isVisible());
    EXPECT_TRUE(says("The disk is full"));
    EXPECT_TRUE(says("Make room"));
    EXPECT_TRUE(says("Saved"));
    EXPECT_EQ(unread, 0) << "it has been read";
    if (const QString kept = qEnvironmentVariable("DAILIES_PICTURES"); !kept.isEmpty())
        messages->grab().save(kept + QStringLiteral("/messages.png"));
}

TEST_F(ToastStack, StandClearOfTheControlsBelowThem) {
    QPushButton reveal("Reveal", &m_window);
    reveal.setGeometry(700, 650, 120, 32);
    reveal.show();
    fail("The disk is full");
    fail(kLong);
    for (auto* card : cards()) EXPECT_FALSE(placeOf(*card).intersects(reveal.geometry()));
    // One that appears later moves them.
    QPushButton late("Leave", &m_window);
    late.setGeometry(placeOf(*cards().front()));
    late.show();
    EXPECT_TRUE(waitUntil([&] {
        return std::ranges::none_of(
            cards(), [&](const QFrame* card) { return placeOf(*card).intersects(late.geometry()); });
    }));
    expectReadable();
}

}  // namespace
}  // namespace dailies::ui

#include "toasts_test.moc"
