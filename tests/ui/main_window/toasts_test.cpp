#include "ui/main_window/toasts.h"

#include "tests/ui/wait_until.h"

#include <QDesktopServices>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QTest>
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

}  // namespace
}  // namespace dailies::ui

#include "toasts_test.moc"
