#include "ui/exchange/export_dialog.h"

#include "core/base/files.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace dailies::ui {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ExportForm : public testing::Test {
protected:
    ExportForm() {
        dialog = new ExportDialog(demo.file, {.selected = {demo.runIds[1]},
                                              .shown = {demo.runIds[2], demo.runIds[0]},
                                              .all = demo.runIds.size()});
        dialog->open();
    }
    ~ExportForm() override { delete dialog; }

    template <class Widget>
    Widget* field(const char* name) const {
        for (auto* each : dialog->findChildren<Widget*>())
            if (each->accessibleName() == QLatin1String(name)) return each;
        ADD_FAILURE() << "no field " << name;
        return nullptr;
    }
    void press(const char* text) {
        for (auto* each : dialog->findChildren<QPushButton*>())
            if (each->text() == QLatin1String(text)) {
                each->click();
                EXPECT_TRUE(waitUntil([&] { return dialog->isSettled(); }));
                return;
            }
        ADD_FAILURE() << "no button " << text;
    }
    std::string said() const {
        QStringList texts;
        for (const auto* label : dialog->findChildren<QLabel*>())
            if (label->isVisibleTo(dialog)) texts << label->text();
        return texts.join(QLatin1Char('\n')).toStdString();
    }
    void choose(const char* name, const QString& beginning) {
        auto* box = field<QComboBox>(name);
        for (int i = 0; i < box->count(); ++i)
            if (box->itemText(i).startsWith(beginning)) return box->setCurrentIndex(i);
        ADD_FAILURE() << "no choice " << beginning.toStdString();
    }
    void writeTo(const std::filesystem::path& file) {
        field<QLineEdit>("File")->setText(QString::fromStdString(file.string()));
    }

    TemporaryFolder folder;
    test::DemoStore demo = test::makeDemoStore(folder.path(), {.runs = 4, .prompts = 1, .samples = 1});
    ExportDialog* dialog = nullptr;
};

TEST_F(ExportForm, EnterPressesTheButtonThatHasTheFocus) {
    const auto file = folder.path() / "kept.csv";
    writeFileAtomically(file, "kept");
    writeTo(file);
    for (auto* each : dialog->findChildren<QPushButton*>()) {
        if (each->text() == QStringLiteral("Cancel")) {
            each->setFocus(Qt::TabFocusReason);
            QTest::keyClick(each, Qt::Key_Return);
        }
    }
    EXPECT_FALSE(dialog->isVisible());
    EXPECT_EQ(readFile(file), "kept");
}

TEST_F(ExportForm, WritesTheRunsOfTheChosenScope) {
    const auto file = folder.path() / "mine.csv";
    writeTo(file);
    press("Export");
    EXPECT_THAT(said(), HasSubstr("Saved 1 run to " + file.string()));
    EXPECT_THAT(readFile(file),
                testing::AllOf(HasSubstr(demo.runIds[1]), testing::Not(HasSubstr(demo.runIds[0]))));

    choose("Runs", QStringLiteral("Shown in the table (2)"));
    writeTo(folder.path() / "shown.csv");
    press("Export");
    const auto shown = readFile(folder.path() / "shown.csv");
    EXPECT_LT(shown.find(demo.runIds[2]), shown.find(demo.runIds[0])) << "in the table's order";

    choose("Runs", QStringLiteral("All in the database (4)"));
    writeTo(folder.path() / "all.csv");
    press("Export");
    for (const auto& id : demo.runIds) EXPECT_THAT(readFile(folder.path() / "all.csv"), HasSubstr(id));
}

TEST_F(ExportForm, AFileThatIsThereIsReplacedOnlyWhenAskedAgain) {
    const auto file = folder.path() / "mine.csv";
    writeFileAtomically(file, "before");
    writeTo(file);
    press("Export");
    EXPECT_THAT(said(), HasSubstr("There is a file of that name already."));
    EXPECT_EQ(readFile(file), "before");
    press("Replace");
    EXPECT_THAT(readFile(file), StartsWith("run_id,"));
}

TEST_F(ExportForm, AFolderThatIsMissingIsCreatedOnlyWhenAskedAgain) {
    const auto file = folder.path() / "papers" / "2026" / "mine.csv";
    writeTo(file);
    press("Export");
    EXPECT_THAT(said(), HasSubstr("The folder " + file.parent_path().string() + " does not exist."));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "papers"));
    writeTo(folder.path() / "other" / "mine.csv");
    EXPECT_THAT(said(), testing::Not(HasSubstr("does not exist"))) << "another name takes the question back";
    press("Export");
    press("Create and export");
    EXPECT_THAT(readFile(folder.path() / "other" / "mine.csv"), StartsWith("run_id,"));
}

TEST_F(ExportForm, PointsAndJsonAndShortNamesAreChoices) {
    choose("Contents", QStringLiteral("Points"));
    EXPECT_TRUE(field<QLineEdit>("File")->text().endsWith(QStringLiteral("metrics.csv")))
        << "a name nobody chose follows";
    EXPECT_FALSE(field<QComboBox>("Column names")->isEnabled());
    writeTo(folder.path() / "points.csv");
    press("Export");
    EXPECT_THAT(readFile(folder.path() / "points.csv"),
                StartsWith("run_id,run_name,key,step,timestamp,value\r\n"));

    choose("Contents", QStringLiteral("Runs"));
    choose("Column names", QStringLiteral("Short"));
    writeTo(folder.path() / "short.csv");
    press("Export");
    EXPECT_THAT(readFile(folder.path() / "short.csv"),
                testing::AllOf(HasSubstr(",seed,"), HasSubstr(",params.optimizer.lr,")))
        << "short where one column alone has that name";

    choose("Format", QStringLiteral("JSON"));
    writeTo(folder.path() / "runs.json");
    press("Export");
    EXPECT_EQ(Json::parse(readFile(folder.path() / "runs.json")).size(), 1u);
}

TEST_F(ExportForm, SaysWhatIsWrongWithAPlace) {
    writeTo("/proc/nowhere/out.csv");
    press("Export");
    press("Create and export");
    EXPECT_THAT(said(), HasSubstr("/proc/nowhere/out.csv"));
}

}  // namespace
}  // namespace dailies::ui
