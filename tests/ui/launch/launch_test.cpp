#include "core/base/error.h"
#include "core/config/schema.h"
#include "core/sweep/sweep.h"
#include "tests/ui/wait_until.h"
#include "ui/launch/field_editor.h"
#include "ui/launch/launch_preview.h"
#include "ui/launch/presets.h"
#include "ui/launch/sweep_form.h"

#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

remote::ClusterProfile someCluster() {
    remote::ClusterProfile profile;
    profile.name = "sandbox";
    profile.host = "127.0.0.1";
    profile.workspace = "/scratch/dailies";
    return profile;
}

void plan(LaunchPreview& preview, const SweepForm& form) {
    preview.show(form.sweep(), someCluster(), someCluster().workspace, form.problems());
    ASSERT_TRUE(waitUntil([&] { return preview.settled(); }));
}

TEST(SweepForm, HasARowForEveryKeyOfTheSchema) {
    const SweepForm form;
    for (const auto& field : config::trainSchema()) {
        EXPECT_NE(form.editor(field.key), nullptr) << field.key;
    }
}

TEST(SweepForm, RefusesABadValueInTheSchemasWords) {
    SweepForm form;
    auto* editor = form.editor("model.depth");
    editor->setText("many");
    ASSERT_EQ(form.problems().size(), 1);
    const auto& problem = editor->problem().toStdString();
    EXPECT_NE(problem.find("model.depth"), std::string::npos) << problem;
    EXPECT_NE(problem.find("many"), std::string::npos) << problem;
    EXPECT_NE(problem.find("1 to 256"), std::string::npos) << problem;
    editor->setText("4");
    EXPECT_TRUE(form.problems().isEmpty());
    EXPECT_EQ(form.sweep().config["model"]["depth"], 4);
}

TEST(SweepForm, AnEmptyRowTakesTheDefaultAndIsNotWritten) {
    SweepForm form;
    EXPECT_TRUE(form.sweep().config.empty());
}

TEST(SweepForm, AnyFieldCanBeSwept) {
    SweepForm form;
    auto* editor = form.editor("optimizer.schedule");
    editor->setSwept(true);
    editor->setText("linear, cosine");
    const auto sweep = form.sweep();
    ASSERT_EQ(sweep.parameters.size(), 1u);
    EXPECT_EQ(sweep.parameters[0].values, (std::vector<Json>{"linear", "cosine"}));
    editor->setText("linear, sometimes");
    EXPECT_EQ(form.problems().size(), 1);
}

TEST(SweepForm, GivesBackEveryPresetAsItWasRead) {
    const auto all = presets();
    ASSERT_FALSE(all.empty());
    for (const auto& preset : all) {
        SweepForm form;
        form.setSweep(preset.sweep);
        EXPECT_TRUE(form.problems().isEmpty()) << preset.title.toStdString();
        const auto wanted = sweep::expand(preset.sweep);
        const auto got = sweep::expand(form.sweep());
        ASSERT_EQ(got.size(), wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_EQ(got[i].config, wanted[i].config) << preset.title.toStdString();
        }
        EXPECT_EQ(form.sweep().resources.timeLimit, preset.sweep.resources.timeLimit);
        EXPECT_EQ(form.sweep().metric, preset.sweep.metric);
    }
}

TEST(LaunchPreview, ShowsTheRunsTheScriptAndTheYaml) {
    SweepForm form;
    auto* editor = form.editor("optimizer.lr");
    editor->setSwept(true);
    editor->setText("0.001, 0.01, 0.1");
    LaunchPreview preview;
    plan(preview, form);
    EXPECT_TRUE(preview.valid()) << preview.problemText().toStdString();
    EXPECT_EQ(preview.runNames(), (QStringList{"lr=0.001", "lr=0.01", "lr=0.1"}));
    EXPECT_TRUE(preview.script().startsWith("#!"));
    EXPECT_TRUE(preview.script().contains("#SBATCH"));
    EXPECT_EQ(sweep::expand(sweep::parseSweep(preview.yaml().toStdString(), "preview")).size(), 3u);
}

TEST(LaunchPreview, SaysWhichCombinationIsImpossible) {
    SweepForm form;
    form.editor("model.width")->setText("65");
    form.editor("model.heads")->setText("4");
    LaunchPreview preview;
    plan(preview, form);
    EXPECT_FALSE(preview.valid());
    EXPECT_TRUE(preview.problemText().contains("model.width")) << preview.problemText().toStdString();
}

}  // namespace
}  // namespace dailies::ui
