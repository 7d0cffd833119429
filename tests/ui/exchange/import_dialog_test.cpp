#include "ui/exchange/import_dialog.h"

#include "core/base/files.h"
#include "core/tracking/store.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/link/cluster_worker.h"
#include "ui/runs/runs_page.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QSignalSpy>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::HasSubstr;

class ImportForm : public testing::Test {
protected:
    ImportForm() {
        writeFileAtomically(folder.path() / "work/csv/baseline.csv", "step,loss\n1,0.5\n2,0.25\n");
        writeFileAtomically(folder.path() / "work/csv/index.csv", "clip,seconds\n1,2.5\n");
        tracking::Store other(folder.path() / "work/mlflow.db");
        tracking::Run run;
        run.id = std::string(32, 'b');
        run.name = "database run";
        run.experiment = "shapes";
        other.importRun(run, {{"loss", {{1, 10, 0.5}}}});
        dialog = new ImportDialog(store, {});
        dialog->open();
    }
    ~ImportForm() override { delete dialog; }

    void look(const char* at) {
        dialog->setSource(QString::fromStdString((folder.path() / at).string()));
        ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }, 20'000));
    }
    QPushButton* button(const QString& text) const {
        for (auto* each : dialog->findChildren<QPushButton*>())
            if (each->text() == text) return each;
        ADD_FAILURE() << "no button " << text.toStdString();
        return nullptr;
    }
    std::string said() const {
        QStringList texts;
        for (const auto* label : dialog->findChildren<QLabel*>())
            if (label->isVisibleTo(dialog)) texts << label->text();
        for (const auto* choice : dialog->findChildren<QCheckBox*>()) texts << choice->text();
        return texts.join(QLatin1Char('\n')).toStdString();
    }

    TemporaryFolder folder;
    std::filesystem::path store = folder.path() / "dailies.db";
    ImportDialog* dialog = nullptr;
};

TEST_F(ImportForm, SaysWhatIsThereOfEachTrackerAndImportsIt) {
    EXPECT_FALSE(button(QStringLiteral("Import"))->isEnabled());
    look("work");
    EXPECT_THAT(said(),
                testing::AllOf(HasSubstr("MLflow"), HasSubstr("1 database"), HasSubstr("CSV"),
                               HasSubstr("1 file"), HasSubstr("Left out: CSV files without a step column")));
    EXPECT_FALSE(std::filesystem::exists(store)) << "looking changes nothing";
    QSignalSpy imported(dialog, &ImportDialog::imported);
    button(QStringLiteral("Import"))->click();
    ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }, 20'000));
    EXPECT_EQ(imported.size(), 1);
    EXPECT_THAT(said(), HasSubstr("Imported: 2 runs added, 3 points"));
    EXPECT_EQ(tracking::Store(store).runs().size(), 2u);
    EXPECT_TRUE(button(QStringLiteral("Close"))->isEnabled());
}

TEST_F(ImportForm, TakesOnlyWhatIsTicked) {
    look("work");
    for (auto* choice : dialog->findChildren<QCheckBox*>())
        if (choice->text() == QStringLiteral("CSV")) choice->setChecked(false);
    button(QStringLiteral("Import"))->click();
    ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }, 20'000));
    const auto runs = tracking::Store(store).runs();
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].name, "database run");
}

TEST_F(ImportForm, EnterPressesTheButtonThatHasTheFocus) {
    look("work");
    auto* cancel = button(QStringLiteral("Cancel"));
    cancel->setFocus(Qt::TabFocusReason);
    QTest::keyClick(cancel, Qt::Key_Return);
    EXPECT_FALSE(dialog->isVisible());
    EXPECT_FALSE(std::filesystem::exists(store)) << "nothing was imported";
}

TEST_F(ImportForm, TabGoesAsOneReads) {
    look("work");
    QStringList names;
    const auto nameOf = [](const QWidget* widget) {
        const auto* named = qobject_cast<const QAbstractButton*>(widget);
        return named ? named->text() : widget->accessibleName();
    };
    const auto* first = dialog->findChild<QLineEdit*>();
    for (auto* at = first->nextInFocusChain(); at != first; at = at->nextInFocusChain())
        if (at->isVisible() && at->isEnabled() && at->focusPolicy() & Qt::TabFocus) names << nameOf(at);
    EXPECT_EQ(names.join(QLatin1Char(' ')).toStdString(),
              "File… Folder… MLflow CSV Experiment Cancel Import");
}

TEST_F(ImportForm, NoTextIsCutWhateverItsSize) {
    for (int i = 0; i < 12; ++i) {
        const auto name = "work/notes " + std::to_string(i) + "/a table without any column that counts.csv";
        writeFileAtomically(folder.path() / name, "clip,seconds\n1,2.5\n");
    }
    for (const double scale : {1.0, 1.5}) {
        look("work");
        for (auto* widget : dialog->findChildren<QWidget*>()) {
            QFont font = widget->font();
            font.pixelSize() > 0 ? font.setPixelSize(qRound(scale * font.pixelSize()))
                                 : font.setPointSizeF(scale * font.pointSizeF());
            widget->setFont(font);
        }
        QTest::qWait(50);
        EXPECT_LE(dialog->height(), dialog->screen()->availableGeometry().height());
        for (const auto* label : dialog->findChildren<QLabel*>()) {
            if (!label->isVisible()) continue;
            EXPECT_GE(label->width(), label->minimumSizeHint().width()) << label->text().toStdString();
            const int wanted =
                label->wordWrap() ? label->heightForWidth(label->width()) : label->sizeHint().height();
            EXPECT_GE(label->height(), wanted) << scale << ": " << label->text().toStdString();
        }
        for (const char* text : {"Cancel", "Import"}) {
            const auto* shown = button(QLatin1String(text));
            EXPECT_TRUE(dialog->rect().contains(QRect(shown->mapTo(dialog, QPoint()), shown->size())))
                << text;
        }
    }
}

TEST_F(ImportForm, SaysWhatIsWrongWithAPlace) {
    look("nowhere");
    EXPECT_THAT(said(), HasSubstr("There is nothing at"));
    EXPECT_FALSE(button(QStringLiteral("Import"))->isEnabled());
    std::filesystem::create_directory(folder.path() / "empty");
    look("empty");
    EXPECT_THAT(said(), HasSubstr("No importable runs found"));
}

TEST_F(ImportForm, StopLeavesWholeRunsAndSaysSo) {
    std::string text = "step,a,b,c\n";
    for (int step = 0; step < 300'000; ++step) text += std::to_string(step) + ",1,2,3\n";
    writeFileAtomically(folder.path() / "large/run.csv", text);
    look("large");
    button(QStringLiteral("Import"))->click();
    ASSERT_FALSE(dialog->isSettled());
    button(QStringLiteral("Stop"))->click();
    ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }, 20'000));
    EXPECT_THAT(said(), HasSubstr("Import stopped"));
    EXPECT_TRUE(tracking::Store(store).runs().empty());
    EXPECT_TRUE(dialog->isVisible());
}

TEST(ImportFromTheRunsPage, TheRunsAreInTheTableAtOnce) {
    TemporaryFolder folder;
    const auto demo = test::makeDemoStore(folder.path(), {.runs = 2, .samples = 0});
    writeFileAtomically(folder.path() / "work/baseline.csv", "step,loss\n1,0.5\n");
    ClusterWorker worker(demo.file);
    RunsPage page(demo.file, worker);
    page.resize(1280, 720);
    page.show();
    ASSERT_TRUE(waitUntil([&] { return page.isSettled(); }, 20'000));
    page.importRuns();
    auto* dialog = page.findChild<ImportDialog*>();
    ASSERT_TRUE(dialog);
    dialog->setSource(QString::fromStdString((folder.path() / "work").string()));
    ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }, 20'000));
    for (auto* each : dialog->findChildren<QPushButton*>())
        if (each->text() == QStringLiteral("Import")) each->click();
    ASSERT_TRUE(waitUntil(
        [&] { return dialog->isSettled() && page.isSettled() && page.model().runs().size() == 3; }, 20'000));
    dialog->close();
}

TEST(ImportFormReadOnly, SaysWhyNothingCanBeImported) {
    TemporaryFolder folder;
    writeFileAtomically(folder.path() / "a.csv", "step,loss\n1,0.5\n");
    auto* dialog =
        new ImportDialog(folder.path() / "dailies.db", QStringLiteral("Read-only: another Dailies"));
    dialog->open();
    dialog->setSource(QString::fromStdString((folder.path() / "a.csv").string()));
    ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }, 20'000));
    for (auto* each : dialog->findChildren<QPushButton*>()) {
        if (each->text() == QStringLiteral("Import")) {
            EXPECT_FALSE(each->isEnabled());
        }
    }
    delete dialog;
}

}  // namespace
}  // namespace dailies::ui
