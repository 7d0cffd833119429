#include "ui/files/file_browser.h"

#include "core/base/files.h"
#include "tests/ui/wait_until.h"
#include "ui/files/remote_items_model.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QAbstractButton>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using remote::RemoteItem;
using Kind = RemoteItem::Kind;

class Browsing : public testing::Test {
protected:
    Browsing() {
        browser = new FileBrowser(worker, FileBrowser::Wanted::FolderOrShard, {});
        browser->show();
        QObject::connect(browser, &FileBrowser::chosen, &worker,
                         [this](const QString& path) { chosen = path; });
        EXPECT_TRUE(waitUntil([&] { return browser->isSettled(); })) << "without a cluster it says so";
        browser->display(
            {.path = "/scratch/ana/data",
             .items = {{"panda-70m", Kind::Folder, 0, 1'700'000'000, "24 WebDataset shards, 31 GB"},
                       {"raw & cut", Kind::Folder, 0, 1'690'000'000, "2310 videos, 12 GB; 2310 captions"},
                       {".cache", Kind::Folder, 0, 1'690'000'000, ""},
                       {"000000.tar", Kind::File, 1'300'000'000, 1'700'000'000, ""},
                       {"notes\x1b[31m\u202e.txt", Kind::File, 840, 1'700'000'000, ""}},
             .hint = "1 WebDataset shard, 1.3 GB; with latents: .latents.npy .mp4 .txt"});
    }
    ~Browsing() override { delete browser; }

    QStringList shownNames() const {
        QStringList names;
        const auto* model = browser->findChild<RemoteItemsModel*>();
        for (int row = 0; row < model->rowCount(); ++row) names << model->index(row, 0).data().toString();
        return names;
    }
    QTableView& table() const { return *browser->findChild<QTableView*>(); }
    QPushButton& takeButton() const {
        for (auto* button : browser->findChildren<QPushButton*>())
            if (button->text().startsWith(QLatin1String("Choose"))) return *button;
        throw std::runtime_error("no button");
    }

    TemporaryFolder home;
    ClusterWorker worker{home.path() / "dailies.db"};
    QPointer<FileBrowser> browser;
    QString chosen;
};

TEST_F(Browsing, ShowsFoldersFirstHidesDotsAndMakesHostileNamesHarmless) {
    const auto names = shownNames();
    ASSERT_EQ(names.size(), 4);
    EXPECT_EQ(names[0], QStringLiteral("panda-70m"));
    EXPECT_FALSE(names.join(QString()).contains(QChar(0x1b)));
    EXPECT_FALSE(names.join(QString()).contains(QChar(0x202e)));
    for (const auto* label : browser->findChildren<QLabel*>()) EXPECT_NE(label->textFormat(), Qt::RichText);
}

TEST_F(Browsing, TheFolderThatIsShownCanBeTakenAndSoCanOneInItOrAShard) {
    EXPECT_EQ(takeButton().text(), QStringLiteral("Choose data"));
    table().selectRow(1);
    EXPECT_EQ(takeButton().text(), QStringLiteral("Choose raw && cut"))
        << "no letter is taken for a mnemonic";
    table().selectRow(2);
    QTest::keyClick(browser, Qt::Key_Return, Qt::ControlModifier);
    EXPECT_EQ(chosen, QStringLiteral("/scratch/ana/data/000000.tar"));
}

TEST_F(Browsing, AFileThatIsNoShardIsNotData) {
    table().selectRow(3);
    takeButton().click();
    EXPECT_EQ(chosen, QStringLiteral("/scratch/ana/data"));
}

TEST_F(Browsing, LettersFilterAndEscapeBringsAllBack) {
    table().setFocus();
    QTest::keyClicks(&table(), QStringLiteral("p"));
    EXPECT_EQ(shownNames(), QStringList{QStringLiteral("panda-70m")});
    auto* filter = browser->findChildren<QLineEdit*>().back();
    for (auto* edit : browser->findChildren<QLineEdit*>())
        if (edit->accessibleName() == QLatin1String("Filter by name")) filter = edit;
    QTest::keyClick(filter, Qt::Key_Escape);
    EXPECT_EQ(shownNames().size(), 4);
    EXPECT_TRUE(browser->isVisible()) << "the first Escape is the filter's";
    filter->setText(QStringLiteral(".c"));
    EXPECT_EQ(shownNames(), QStringList{QStringLiteral(".cache")});
}

TEST_F(Browsing, EveryControlHasANameForScreenReaders) {
    for (const auto* widget : browser->findChildren<QAbstractButton*>())
        EXPECT_FALSE(widget->text().isEmpty() && widget->accessibleName().isEmpty());
    EXPECT_FALSE(table().accessibleName().isEmpty());
}

/// Every state that a person meets, in both modes. `DAILIES_PICTURES=folder` keeps the pictures.
TEST_F(Browsing, IsWholeInBothModesWideNarrowFullAndEmpty) {
    std::vector<RemoteItem> many;
    for (int i = 0; i < 3000; ++i)
        many.push_back({QStringLiteral("clip-%1.mp4").arg(i, 6, 10, QLatin1Char('0')).toStdString(),
                        Kind::File, 1'000'000u + static_cast<std::uint64_t>(i), 1'700'000'000 + i, ""});
    const remote::RemoteFolder full{
        .path = "/gpfs/projects/video/ana.maria.de-la-torre/datasets/2026/panda-70m",
        .items = many,
        .hint = "3000 videos, 3.0 GB"};
    const remote::RemoteFolder mixed{
        .path = "/scratch/ana/data",
        .items = {{"panda-70m", Kind::Folder, 0, 1'700'000'000,
                   "24 WebDataset shards, 31 GB; with latents: .latents.npy .mp4 .txt"},
                  {"raw & cut", Kind::Folder, 0, 1'690'000'000, "2310 videos, 12 GB; 2310 captions"},
                  {"000000.tar", Kind::File, 1'300'000'000, 1'700'000'000, ""},
                  {"a-broken-link", Kind::Other, 0, 1'700'000'000, ""},
                  {"notes\x1b[31m\u202e.txt", Kind::File, 840, 1'700'000'000, ""},
                  {"two\nlines", Kind::File, 12, 1'700'000'000, ""}},
        .hint = "1 WebDataset shard, 1.3 GB; with latents: .latents.npy .mp4 .txt"};
    const remote::RemoteFolder empty{.path = "/scratch/ana/empty", .items = {}};
    const QString kept = qEnvironmentVariable("DAILIES_PICTURES");
    for (const auto mode : {ThemeMode::Dark, ThemeMode::Light}) {
        Theme::instance().apply(mode);
        for (const auto& [name, folder] : {std::pair{QStringLiteral("mixed"), &mixed},
                                           {QStringLiteral("full"), &full},
                                           {QStringLiteral("empty"), &empty}})
            for (const QSize size : {QSize(860, 560), QSize(560, 360)}) {
                browser->display(*folder);
                if (folder == &mixed) table().selectRow(0);
                browser->resize(size);
                QCoreApplication::processEvents();
                const QPixmap picture = browser->grab();
                EXPECT_LE(picture.width() / picture.devicePixelRatio(), std::max(size.width(), 600));
                for (const auto* button : browser->findChildren<QAbstractButton*>()) {
                    if (!button->isVisible()) continue;
                    const QRect place(button->mapTo(browser.data(), QPoint(0, 0)), button->size());
                    EXPECT_TRUE(browser->rect().contains(place))
                        << button->text().toStdString() << button->accessibleName().toStdString();
                }
                if (!kept.isEmpty())
                    picture.save(QStringLiteral("%1/%2-%3-%4.png")
                                     .arg(kept, name, mode == ThemeMode::Dark ? "dark" : "light")
                                     .arg(size.width()));
            }
    }
}

}  // namespace
}  // namespace dailies::ui
