#include "ui/scoring/score_dialog.h"

#include "core/base/files.h"
#include "core/tracking/store.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::HasSubstr;

class ScoreForm : public testing::Test {
protected:
    ScoreForm() {
        tracking::Store store(demo.file);
        for (const auto& id : demo.runIds) store.setTag(id, tracking::tag::kFolder, "/scratch/runs/" + id);
        writeFileAtomically(folder.path() / "aesthetic v2.pt", "PK weights");
        writeFileAtomically(folder.path() / "weights.bin", "no module");
        dialog = new ScoreDialog(worker, demo.runIds);
        dialog->open();
        EXPECT_TRUE(waitUntil([&] { return dialog->isSettled(); }));
    }
    ~ScoreForm() override { delete dialog; }

    QLineEdit* field(const QString& accessibleName) const {
        for (auto* edit : dialog->findChildren<QLineEdit*>())
            if (edit->accessibleName() == accessibleName) return edit;
        ADD_FAILURE() << "no field " << accessibleName.toStdString();
        return nullptr;
    }
    void type(const QString& name, const QString& text) {
        field(name)->setText(text);
        ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }));
    }
    QString file(const char* name) const { return QString::fromStdString((folder.path() / name).string()); }

    TemporaryFolder folder;
    test::DemoStore demo = test::makeDemoStore(folder.path(), {.runs = 4, .prompts = 3, .samples = 2});
    ClusterWorker worker{demo.file};
    ScoreDialog* dialog = nullptr;
};

TEST_F(ScoreForm, AsksForAFileAndSaysWhatItComesTo) {
    EXPECT_EQ(dialog->summary(), QString());
    EXPECT_EQ(dialog->problem(), QString()) << "nothing is wrong with a form that is not filled yet";
    type(QStringLiteral("Scorer"), file("aesthetic v2.pt"));
    EXPECT_EQ(dialog->problem(), QString());
    EXPECT_EQ(dialog->summary(), QStringLiteral("24 clips in 4 jobs, 2 at once"));
    EXPECT_EQ(field(QStringLiteral("Name"))->placeholderText(), QStringLiteral("aesthetic-v2"))
        << "the name of the metric unless another is typed";
}

TEST_F(ScoreForm, SaysWhatIsWrongWhereItIsTyped) {
    type(QStringLiteral("Scorer"), file("weights.bin"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("is not a TorchScript module"));
    EXPECT_EQ(dialog->summary(), QString());
    type(QStringLiteral("Scorer"), file("nowhere.pt"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("There is no file"));
    type(QStringLiteral("Scorer"), file("aesthetic v2.pt"));
    type(QStringLiteral("Name"), QStringLiteral("a/b"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("letters, digits"));
    type(QStringLiteral("Name"), QStringLiteral("beauty"));
    type(QStringLiteral("Time limit"), QStringLiteral("soon"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("time_limit"));
}

TEST_F(ScoreForm, NamesNoClusterWhereTheRunsHaveNone) {
    ScoreDialog nothing(worker, {});
    nothing.open();
    ASSERT_TRUE(waitUntil([&] { return nothing.isSettled(); }));
    QStringList said;
    for (const auto* label : nothing.findChildren<QLabel*>()) said << label->text();
    EXPECT_THAT(said.join(u'\n').toStdString(), testing::Not(HasSubstr("clips are on")));
    EXPECT_TRUE(said.contains(QStringLiteral("No cluster is connected.")));
}

TEST_F(ScoreForm, AsksForAConnectionWhereThereIsNone) {
    type(QStringLiteral("Scorer"), file("aesthetic v2.pt"));
    bool asked = false;
    QObject::connect(dialog, &ScoreDialog::connectRequested, dialog, [&] { asked = true; });
    for (auto* button : dialog->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Connect…")) button->click();
    EXPECT_TRUE(asked);
}

}  // namespace
}  // namespace dailies::ui
