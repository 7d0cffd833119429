#include "ui/sampling/sample_dialog.h"

#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/tracking/sampled_run.h"
#include "core/tracking/store.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace dailies::ui {
namespace {

using testing::HasSubstr;

class SampleForm : public testing::Test {
protected:
    SampleForm() {
        tracking::Store store(demo.file);
        for (const auto& id : demo.runIds) store.setTag(id, tracking::tag::kFolder, "/scratch/runs/" + id);
    }

    /// The form is shown, filled and has planned.
    SampleDialog& open(std::optional<SampleDialog::Clip> clip = {}) {
        dialog = new SampleDialog(worker, clip ? std::vector{demo.runIds[0]} : demo.runIds, clip);
        dialog->open();
        EXPECT_TRUE(waitUntil([&] { return dialog->isSettled(); }));
        return *dialog;
    }
    template <class Widget>
    Widget* field(const QString& accessibleName) const {
        for (auto* widget : dialog->findChildren<Widget*>())
            if (widget->accessibleName() == accessibleName) return widget;
        ADD_FAILURE() << "no field " << accessibleName.toStdString();
        return nullptr;
    }
    void type(const QString& accessibleName, const QString& text) {
        field<QLineEdit>(accessibleName)->setText(text);
        ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }));
    }
    ~SampleForm() override { delete dialog; }

    TemporaryFolder folder;
    test::DemoStore demo = test::makeDemoStore(folder.path(), {.runs = 4, .prompts = 3, .samples = 2});
    ClusterWorker worker{demo.file};
    SampleDialog* dialog = nullptr;
};

TEST_F(SampleForm, BeginsWithTheRunsOwnPromptsAndCountsWhatItComesTo) {
    auto& form = open();
    EXPECT_EQ(field<QPlainTextEdit>(QStringLiteral("Prompts"))->toPlainText().count(QLatin1Char('\n')), 2);
    EXPECT_EQ(form.summary(), QStringLiteral("48 clips in 4 jobs, 2 at once"));
    EXPECT_THAT(form.script().toStdString(), HasSubstr("\"$program\" sample --config"));
    EXPECT_EQ(form.problem(), QString());
}

TEST_F(SampleForm, AsksWhomToAnimateWhereARunsModelDoes) {
    const auto shown = [&](const char* name) {
        return field<QLineEdit>(QLatin1String(name))->isVisibleTo(dialog);
    };
    open();
    EXPECT_FALSE(shown("Reference")) << "transformers";
    EXPECT_FALSE(shown("Poses"));
    delete std::exchange(dialog, nullptr);
    tracking::Store store(demo.file);
    auto run = *store.run(demo.runIds[0]);
    run.id = newId();
    run.params["model.family"] = "animate";
    store.createRun(run);
    store.setTag(run.id, tracking::tag::kFolder, "/scratch/runs/animated");
    store.ingest(run.id, {{1, 1, 0, events::Checkpoint{100, "checkpoints/step-000000100", 1000}}}, 1);
    demo.runIds = {run.id};
    open();
    EXPECT_TRUE(shown("Reference"));
    EXPECT_TRUE(shown("Poses"));
    EXPECT_FALSE(shown("Reference pose")) << "which Animate Anyone does not read";
    auto* align = field<QCheckBox>(QStringLiteral("Align poses"));
    EXPECT_TRUE(align->isVisibleTo(dialog));
    align->setChecked(true);
    EXPECT_TRUE(shown("Reference pose")) << "from which the build is measured";
    field<QPlainTextEdit>(QStringLiteral("Prompts"))->setPlainText(QStringLiteral("anna"));
    ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }));
    EXPECT_THAT(dialog->problem().toStdString(),
                HasSubstr("Poses cannot be aligned to a reference whose pose nobody names"));
    const auto openOn = [&](const std::map<std::string, std::string>& params) {
        delete std::exchange(dialog, nullptr);
        run.id = newId();
        for (const auto& [key, value] : params) run.params[key] = value;
        store.createRun(run);
        store.setTag(run.id, tracking::tag::kFolder, "/scratch/runs/" + run.id);
        demo.runIds = {run.id};
        open();
    };
    openOn({{"model.family", "unianimate"}, {"model.conditioning", "image"}});
    EXPECT_TRUE(shown("Reference pose"));
    EXPECT_FALSE(shown("Start from")) << "its clips begin with the reference";
    openOn({{"model.family", "wan"}, {"model.conditioning", "first_last"}});
    EXPECT_TRUE(shown("Start from"));
    EXPECT_TRUE(shown("End with"));
    openOn({{"model.conditioning", "image"}});
    EXPECT_FALSE(shown("End with"));
}

TEST_F(SampleForm, OffersStrengthsOfAnAdapterAsRunsOfTheirOwn) {
    const auto isShown = [&] {
        return field<QLineEdit>(QStringLiteral("Adapter strength"))->isVisibleTo(dialog);
    };
    open();
    EXPECT_FALSE(isShown());
    delete std::exchange(dialog, nullptr);
    tracking::Store store(demo.file);
    auto run = *store.run(demo.runIds[0]);
    run.id = newId();
    run.params["lora.rank"] = "16";
    store.createRun(run);
    store.setTag(run.id, tracking::tag::kFolder, "/scratch/runs/adapter");
    store.ingest(run.id, {{1, 1, 0, events::Checkpoint{100, "checkpoints/step-000000100", 1000}}}, 1);
    demo.runIds = {run.id};
    auto& form = open();
    EXPECT_TRUE(isShown());
    field<QPlainTextEdit>(QStringLiteral("Prompts"))->setPlainText(QStringLiteral("a red ball"));
    type(QStringLiteral("Adapter strength"), QStringLiteral("0, 0.5, 1"));
    EXPECT_EQ(form.problem(), QString()) << form.problem().toStdString();
    EXPECT_THAT(form.summary().toStdString(), HasSubstr("in 3 jobs"));
    type(QStringLiteral("Adapter strength"), QStringLiteral("11"));
    EXPECT_THAT(form.problem().toStdString(), HasSubstr("strength: found 11"));
}

TEST_F(SampleForm, BeginsWithTheClipThatIsToBeSampledAgain) {
    const auto newest = tracking::Store(demo.file).checkpoints(demo.runIds[0]).back().step;
    auto& form = open(SampleDialog::Clip{newest, "a red ball", 7});
    EXPECT_EQ(field<QPlainTextEdit>(QStringLiteral("Prompts"))->toPlainText(), QStringLiteral("a red ball"));
    EXPECT_EQ(field<QLineEdit>(QStringLiteral("Seeds"))->text(), QStringLiteral("7"));
    EXPECT_EQ(field<QComboBox>(QStringLiteral("Checkpoints"))->currentText(), QString::number(newest));
    EXPECT_EQ(form.summary(), QStringLiteral("1 clip in 1 job"));
    delete dialog;
    open(SampleDialog::Clip{newest + 1, "a red ball", 7});
    EXPECT_EQ(field<QComboBox>(QStringLiteral("Checkpoints"))->currentText(), QStringLiteral("last"))
        << "none was kept there";
}

TEST_F(SampleForm, MeansTheRunWhoseCheckpointsARunSamples) {
    tracking::Store(demo.file).setTag(demo.runIds[1], tracking::tag::kSampledRun, demo.runIds[0]);
    open();
    EXPECT_EQ(field<QListWidget>(QStringLiteral("Runs whose checkpoints are sampled"))->count(), 3);
}

TEST_F(SampleForm, AHundredPromptsFromFourCheckpointsAreOneForm) {
    auto& form = open();
    QStringList prompts;
    for (int i = 0; i < 100; ++i) prompts << QStringLiteral("prompt %1").arg(i);
    field<QPlainTextEdit>(QStringLiteral("Prompts"))->setPlainText(prompts.join(QLatin1Char('\n')));
    type(QStringLiteral("Seeds"), QStringLiteral("7"));
    EXPECT_EQ(form.summary(), QStringLiteral("400 clips in 4 jobs, 2 at once"));
    type(QStringLiteral("Guidance"), QStringLiteral("1,3,5"));
    EXPECT_EQ(form.summary(), QStringLiteral("1200 clips in 12 jobs, 2 at once"));
    field<QSpinBox>(QStringLiteral("Jobs at once"))->setValue(6);
    ASSERT_TRUE(waitUntil([&] { return form.isSettled(); }));
    EXPECT_THAT(form.script().toStdString(), HasSubstr("--array=0-11%6"));
    field<QListWidget>(QStringLiteral("Runs whose checkpoints are sampled"))
        ->item(0)
        ->setCheckState(Qt::Unchecked);
    ASSERT_TRUE(waitUntil([&] { return form.isSettled(); }));
    EXPECT_EQ(form.summary(), QStringLiteral("900 clips in 9 jobs, 6 at once"));
}

TEST_F(SampleForm, ClipsMayBeginWithAFile) {
    auto& form = open();
    const auto image = folder.path() / "first frame.png";
    writeFileAtomically(image, "pixels");
    type(QStringLiteral("Start from"), QString::fromStdString(image.string()));
    EXPECT_EQ(form.problem(), QString());
    EXPECT_EQ(form.summary(), QStringLiteral("48 clips in 4 jobs, 2 at once"));
    type(QStringLiteral("Start from"), QString::fromStdString(image.string() + "; " + image.string()));
    EXPECT_THAT(form.problem().toStdString(), HasSubstr("2 for 3 prompts"));
    type(QStringLiteral("Start from"), QStringLiteral("gone.png"));
    EXPECT_THAT(form.problem().toStdString(), HasSubstr("There is no file gone.png"));
}

TEST_F(SampleForm, SaysWhatIsWrongWhereItIsTyped) {
    auto& form = open();
    const auto validationError = [&](const QString& name, const QString& text) {
        const auto before = field<QLineEdit>(name)->text();
        type(name, text);
        const auto problem = form.problem().toStdString();
        EXPECT_EQ(form.summary(), QStringLiteral("Not ready"));
        type(name, before);
        EXPECT_EQ(form.problem(), QString());
        return problem;
    };
    EXPECT_THAT(validationError(QStringLiteral("Seeds"), QStringLiteral("3..1")),
                HasSubstr("Seeds: found \"3..1\""));
    EXPECT_THAT(validationError(QStringLiteral("Guidance"), QStringLiteral("strong")),
                HasSubstr("Guidance: found"));
    EXPECT_THAT(validationError(QStringLiteral("Time limit"), QStringLiteral("soon")),
                HasSubstr("time_limit"));
    field<QComboBox>(QStringLiteral("Checkpoints"))->setCurrentText(QStringLiteral("77"));
    ASSERT_TRUE(waitUntil([&] { return form.isSettled(); }));
    EXPECT_THAT(form.problem().toStdString(), HasSubstr("It has those of steps"));
}

TEST_F(SampleForm, OffersTheConnectionWhileThereIsNone) {
    auto& form = open();
    bool asked = false;
    QObject::connect(&form, &SampleDialog::connectRequested, &form, [&] { asked = true; });
    for (auto* button : form.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Connect…")) button->click();
    EXPECT_TRUE(asked);
    EXPECT_FALSE(form.isHidden()) << "what was typed is kept";
}

TEST_F(SampleForm, EveryFieldHasANameAndIsReachedByTab) {
    auto& form = open();
    for (auto* widget : form.findChildren<QWidget*>()) {
        const bool isField = qobject_cast<QLineEdit*>(widget) || qobject_cast<QPlainTextEdit*>(widget) ||
                             qobject_cast<QSpinBox*>(widget) || qobject_cast<QComboBox*>(widget);
        const bool isPart =
            qobject_cast<QSpinBox*>(widget->parent()) || qobject_cast<QComboBox*>(widget->parent());
        if (!isField || isPart) continue;
        EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->metaObject()->className();
        EXPECT_TRUE(widget->focusPolicy() & Qt::TabFocus) << widget->accessibleName().toStdString();
    }
}

}  // namespace
}  // namespace dailies::ui
