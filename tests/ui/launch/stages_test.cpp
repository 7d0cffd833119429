#include "core/sweep/sweep.h"
#include "tests/ui/launch/planned_preview.h"
#include "ui/launch/field_editor.h"
#include "ui/launch/script_editor.h"
#include "ui/launch/stage_list.h"
#include "ui/launch/stages_form.h"

#include <QPushButton>
#include <gmock/gmock.h>

namespace dailies::ui {
namespace {

constexpr const char* kTwoStages =
    "name: s\nconfig: {steps: 100, model.positions: none}\nparameters: {seed: {values: [1, 2]}}\nstages:\n"
    "  - {name: small, config: {data: {height: 16, width: 16}}}\n"
    "  - {name: large, config: {steps: 150, data: {height: 32, width: 32}}, resources: {nodes: 2}}\n";

QPushButton* buttonOf(const QWidget& widget, const char* text) {
    for (auto* button : widget.findChildren<QPushButton*>())
        if (button->text() == text) return button;
    return nullptr;
}

TEST(SweepForm, HasARowForEachStage) {
    const auto sweep = sweep::parseSweep(kTwoStages, "s");
    SweepForm form;
    form.setSweep(sweep);
    EXPECT_EQ(form.sweep().stages, sweep.stages);
    EXPECT_TRUE(form.problems().isEmpty()) << form.problems().join("; ").toStdString();
    auto input = form.stages().input();
    EXPECT_EQ(input.at(1),
              (StagesForm::Row{"large", "steps: 150, data.height: 32, data.width: 32, nodes: 2"}));

    input[1].changes = "stops: 150";
    form.stages().setInput(input);
    ASSERT_EQ(form.problems().size(), 1);
    EXPECT_THAT(form.problems()[0].toStdString(),
                testing::HasSubstr("stages.large: config.stops: no such key; did you mean steps?"));
    const auto kept = form.input();
    form.setSweep({});
    EXPECT_TRUE(form.stages().input().empty());
    form.setInput(kept);
    EXPECT_EQ(form.stages().input(), input) << "what makes no sense stands there again, too";

    input[1].changes = "steps: 50";
    form.stages().setInput(input);
    ASSERT_EQ(form.problems().size(), 1);
    EXPECT_THAT(form.problems()[0].toStdString(), testing::HasSubstr("expected more than the 100 steps"));
}

TEST(SweepForm, AddsAStageThatEndsLaterThanTheLast) {
    SweepForm form;
    form.editor("steps")->setText("300");
    auto* add = buttonOf(form, "Add stage");
    ASSERT_NE(add, nullptr);
    add->click();
    EXPECT_EQ(form.stages().input(), (StagesForm::Input{{"stage-1", ""}, {"stage-2", "steps: 600"}}));
    add->click();
    EXPECT_EQ(form.stages().input().back(), (StagesForm::Row{"stage-3", "steps: 900"}));
    EXPECT_TRUE(form.problems().isEmpty()) << form.problems().join("; ").toStdString();
    EXPECT_EQ(form.sweep().stages.size(), 3U);
}

TEST(LaunchPreview, ShowsWhatEachStageTrainsAndCosts) {
    SweepForm form;
    form.setSweep(sweep::parseSweep(kTwoStages, "s"));
    LaunchPreview preview;
    preview.resize(700, 700);
    preview.show();
    plan(preview, form);
    ASSERT_TRUE(preview.valid()) << preview.problemText().toStdString();
    EXPECT_EQ(preview.summaryText().toStdString(), "2 runs, 2 at once, in 2 stages");
    auto& stages = preview.stages();
    ASSERT_TRUE(stages.isVisible());
    const auto* rows = stages.model();
    ASSERT_EQ(rows->rowCount(), 2);
    const auto shown = rows->index(1, 0).data().toString().replace(QChar(QChar::Nbsp), QLatin1Char(' '));
    EXPECT_EQ(shown.toStdString(), "large\nsteps 100 → 150 · 8 × 32 × 32 · batch 16 · 2 nodes × 1 process");
    EXPECT_THAT(preview.script().toStdString(), testing::Not(testing::HasSubstr("--nodes=2")));
    stages.setCurrentIndex(rows->index(1, 0));
    EXPECT_THAT(preview.script().toStdString(), testing::HasSubstr("--nodes=2"));
    EXPECT_FALSE(buttonOf(preview.scriptEditor(), "Edit")->isVisibleTo(&preview.scriptEditor()))
        << "each stage has a script of its own";

    plan(preview, form);
    EXPECT_EQ(stages.currentIndex().row(), 1) << "what is looked at stays";
    form.setSweep(sweep::parseSweep("config: {steps: 100}\n", "one"));
    plan(preview, form);
    EXPECT_FALSE(stages.isVisible());
    EXPECT_TRUE(preview.valid());
}

}  // namespace
}  // namespace dailies::ui
