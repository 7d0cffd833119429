#include "ui/review/outputs/clip_export_dialog.h"

#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "tests/ui/wait_until.h"
#include "tests/ui/wall/numbered_store.h"
#include "ui/review/contact_sheet.h"
#include "ui/review/outputs/clip_exporter.h"
#include "ui/review/review_page.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_view.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QImage>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

/// Exports from the page as a person does.
class ClipExportForm : public testing::Test {
protected:
    ClipExportForm() {
        qputenv("XDG_CONFIG_HOME", (folder.path() / "config").c_str());
        Theme::instance().apply(ThemeMode::Dark);
        page = std::make_unique<ReviewPage>(store.file);
        page->resize(1280, 720);
        page->show();
        EXPECT_TRUE(waitUntil([&] { return page->isSettled(); }));
        QObject::connect(page.get(), &ReviewPage::saved, page.get(),
                         [this](const QString& name) { told = name.toStdString(); });
    }

    void open(const char* action) {
        for (QAction* each : page->actions())
            if (each->text() == QString::fromUtf8(action)) each->trigger();
        dialog = page->findChild<ClipExportDialog*>();
        ASSERT_TRUE(dialog) << action;
    }
    template <class Widget>
    Widget* field(const char* name) const {
        for (auto* each : dialog->findChildren<Widget*>())
            if (each->accessibleName() == QLatin1String(name)) return each;
        ADD_FAILURE() << "no field " << name;
        return nullptr;
    }
    void choose(const char* name, const char* entry) {
        auto* box = field<QComboBox>(name);
        const int index = box->findText(QString::fromUtf8(entry));
        ASSERT_GE(index, 0) << entry;
        box->setCurrentIndex(index);
        emit box->activated(index);
    }
    void press(const char* text) {
        for (auto* each : dialog->findChildren<QPushButton*>())
            if (each->text() == QLatin1String(text)) {
                each->click();
                EXPECT_TRUE(waitUntil([&] { return !dialog || dialog->isSettled(); }));
                EXPECT_TRUE(waitUntil([&] { return !page->clipExporter().busy(); }, 20'000));
                return;
            }
        ADD_FAILURE() << "no button " << text;
    }
    void keepPicture() {
        const QString kept = qEnvironmentVariable("DAILIES_PICTURES");
        if (kept.isEmpty()) return;
        for (const auto mode : {ThemeMode::Light, ThemeMode::Dark}) {
            Theme::instance().apply(mode);
            QCoreApplication::processEvents();
            dialog->grab().save(
                QStringLiteral("%1/export-clips-%2.png").arg(kept).arg(static_cast<int>(mode)));
        }
    }
    fs::path exportTo(const char* name) {
        const fs::path file = folder.path() / name;
        field<QLineEdit>("File")->setText(QString::fromStdString(file.string()));
        press("Export");
        EXPECT_EQ(told, file.string()) << page->clipExporter().text().toStdString();
        return file;
    }

    TemporaryFolder folder;
    NumberedStore store = makeNumberedStore(folder.path() / "store");
    std::unique_ptr<ReviewPage> page;
    QPointer<ClipExportDialog> dialog;
    std::string told;
};

TEST_F(ClipExportForm, OffersEachPartOfTheWallOnceWithItsClips) {
    open("Export…");
    QStringList offered;
    for (int i = 0; i < field<QComboBox>("Clips")->count(); ++i)
        offered << field<QComboBox>("Clips")->itemText(i);
    keepPicture();
    EXPECT_EQ(offered, (QStringList{"All on the wall (4)", "Row of the selected clip (2)",
                                    "Column of the selected clip (2)", "Selected clip (1)"}))
        << "all of it is in view";
}

TEST_F(ClipExportForm, PutsOutTheChosenPartInTheChosenSize) {
    page->findChild<WallView*>()->select(1, 1);
    open("Export a page with the clips in it…");
    choose("Clips", "Selected clip (1)");
    choose("Picture size", "Large: 512 pixels wide");
    const auto one = readFile(exportTo("one.html"));
    EXPECT_THAT(one, HasSubstr("1 clip "));
    EXPECT_THAT(one, HasSubstr("width: 512px"));
    EXPECT_THAT(one, HasSubstr("step 300"));

    open("Export a contact sheet…");
    choose("Clips", "Row of the selected clip (2)");
    const QImage sheet(QString::fromStdString(exportTo("row.png").string()));
    open("Export a contact sheet…");
    const QImage all(QString::fromStdString(exportTo("all.png").string()));
    EXPECT_EQ(sheet.width(), all.width());
    EXPECT_LT(sheet.height(), all.height());
}

TEST_F(ClipExportForm, WithoutLabelsNothingIsLeftButThePictures) {
    open("Export a page with the clips in it…");
    field<QCheckBox>("")->setChecked(false);
    const auto bare = readFile(exportTo("bare.html"));
    EXPECT_THAT(bare, HasSubstr("<video"));
    for (const char* word : {"<th", "<figcaption>", "<blockquote>"}) EXPECT_THAT(bare, Not(HasSubstr(word)));

    open("Export a reel of the clips side by side…");
    field<QCheckBox>("")->setChecked(false);
    video::ClipReader reel(exportTo("bare.mp4").string());
    EXPECT_EQ(reel.info().width, 16 + 64 + 12 + 64 + 16) << "clips are 64 pixels wide";
    EXPECT_EQ(reel.info().height, 16 + 64 + 12 + 64 + 16);

    open("Export a contact sheet…");
    field<QCheckBox>("")->setChecked(false);
    const QImage bareSheet(QString::fromStdString(exportTo("bare.png").string()));
    EXPECT_LT(bareSheet.height(), 32 + 96 + 16 + 96 + 32 + 1);
}

TEST_F(ClipExportForm, FormatNameAndUsualSizeFollowOneAnotherUntilASizeIsChosen) {
    open("Export…");
    EXPECT_EQ(field<QComboBox>("Picture size")->currentText(), "Small: 96 pixels wide");
    choose("Format", "MP4: a reel, the clips side by side");
    EXPECT_TRUE(field<QLineEdit>("File")->text().endsWith("clips.mp4"));
    EXPECT_EQ(field<QComboBox>("Picture size")->currentText(), "As the clips are");
    field<QLineEdit>("File")->setText("/tmp/mine.html");
    EXPECT_EQ(field<QComboBox>("Format")->currentText(), "HTML: a page with the clips in it");
    choose("Picture size", "Large: 512 pixels wide");
    choose("Format", "PDF: a contact sheet to print");
    EXPECT_EQ(field<QComboBox>("Picture size")->currentText(), "Large: 512 pixels wide");
}

TEST_F(ClipExportForm, AFileThatIsThereIsReplacedOnlyWhenAskedAgain) {
    const auto file = folder.path() / "mine.png";
    writeFileAtomically(file, "before");
    open("Export…");
    field<QLineEdit>("File")->setText(QString::fromStdString(file.string()));
    press("Export");
    EXPECT_EQ(readFile(file), "before");
    press("Replace");
    EXPECT_FALSE(QImage(QString::fromStdString(file.string())).isNull());
}

TEST_F(ClipExportForm, ASheetThatWouldBeTooLargeSaysSo) {
    const auto shown =
        sheetContent(tracking::Store(store.file, tracking::Store::Mode::ReadOnly), store.runIds);
    EXPECT_THROW(contactSheet(shown.scene, shown.title, {.frameWidth = 8000}), Error);
}

}  // namespace
}  // namespace dailies::ui
