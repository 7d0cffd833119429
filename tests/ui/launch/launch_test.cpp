#include "core/base/error.h"
#include "core/config/schema.h"
#include "core/sweep/sweep.h"
#include "tests/ui/launch/planned_preview.h"
#include "tests/ui/wait_until.h"
#include "ui/launch/field_editor.h"
#include "ui/launch/launch_preview.h"
#include "ui/launch/layout_chart.h"
#include "ui/launch/layout_panel.h"
#include "ui/launch/presets.h"
#include "ui/launch/resources_form.h"
#include "ui/launch/script_editor.h"
#include "ui/launch/sweep_form.h"
#include "ui/launch/then_sample_form.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>
#include <QTextDocument>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

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

TEST(SweepForm, GivesBackListsWhoseTextsHoldCommas) {
    const Json prompts = {"a dog, running", "a cat"};
    SweepForm form;
    sweep::Sweep sweep;
    config::setByKey(sweep.config, "sampling.prompts", prompts);
    form.setSweep(sweep);
    EXPECT_EQ(form.sweep().config["sampling"]["prompts"], prompts);
    auto* lines = form.editor("sampling.prompts")->findChild<QPlainTextEdit*>();
    ASSERT_NE(lines, nullptr);
    EXPECT_EQ(lines->toPlainText(), "a dog, running\na cat") << "one a line";
    const int two = lines->height();
    lines->setPlainText("a dog, running\na cat\na horse");
    EXPECT_GT(lines->height(), two) << "and as high as they are";
    EXPECT_EQ(form.sweep().config["sampling"]["prompts"].size(), 3U);
}

TEST(SweepForm, GivesBackListsThatVary) {
    SweepForm form;
    sweep::Sweep sweep;
    sweep::Parameter parameter;
    parameter.key = "sampling.prompts";
    parameter.kind = sweep::Parameter::Kind::Values;
    parameter.values = {Json{"a dog, running", "a cat"}, Json{"a horse"}};
    sweep.parameters = {parameter};
    form.setSweep(sweep);
    ASSERT_TRUE(form.problems().isEmpty()) << form.problems().join("; ").toStdString();
    const auto given = form.sweep();
    ASSERT_EQ(given.parameters.size(), 1U);
    EXPECT_EQ(given.parameters[0].values, parameter.values);
    form.editor("sampling.prompts")->setText("1, 2");
    ASSERT_EQ(form.problems().size(), 1);
    EXPECT_THAT(form.problems()[0].toStdString(), testing::HasSubstr("expected lists of texts"));
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

remote::slurm::ClusterFacts gpuCluster() {
    remote::slurm::ClusterFacts facts;
    facts.partitions = {{.name = "main", .isDefault = true, .timeLimit = "infinite"},
                        {.name = "gpu", .timeLimit = "1-00:00:00", .gres = "gpu:h100:8"}};
    facts.partitions[0].kinds = {{.nodes = 2, .cpus = 8, .memory = 16000}};
    facts.partitions[1].kinds = {
        {.nodes = 4, .cpus = 96, .memory = 1'000'000, .gres = "gpu:h100:8", .features = {"ib", "nvme"}}};
    facts.associations = {{.account = "vid", .qos = {"high", "normal"}}};
    return facts;
}

TEST(SweepForm, OffersWhatTheConnectedClusterHasAndTakesWhatIsTyped) {
    SweepForm form;
    sweep::Sweep sweep;
    sweep.resources.partition = "gpu";
    sweep.resources.gpusPerNode = 8;
    sweep.resources.gpuType = "b200";
    form.setSweep(sweep);
    EXPECT_TRUE(form.resources().choices("Partition").isEmpty()) << "no cluster is connected";
    form.setCluster(someCluster(), gpuCluster());
    EXPECT_EQ(form.resources().choices("Partition"), (QStringList{"main", "gpu"}));
    EXPECT_EQ(form.resources().choices("GPU type"), QStringList{"h100"});
    EXPECT_EQ(form.resources().choices("Constraint"), (QStringList{"ib", "nvme"}));
    EXPECT_EQ(form.resources().choices("Account"), QStringList{"vid"});
    EXPECT_EQ(form.resources().choices("QOS"), (QStringList{"high", "normal"}));
    EXPECT_EQ(form.sweep().resources.gpuType, "b200")
        << "what was typed stays, and is refused in the preview";
    LaunchPreview preview;
    plan(preview, form, gpuCluster());
    EXPECT_FALSE(preview.valid());
    EXPECT_TRUE(preview.problemText().contains("no GPUs of type b200"))
        << preview.problemText().toStdString();
    EXPECT_TRUE(preview.problemText().contains("h100"));
}

TEST(SweepForm, GivesBackEnvironmentChainAndNodesAsTheyWereRead) {
    const auto sweep = sweep::parseSweep(
        "config: {steps: 10}\n"
        "resources: {partition: gpu, qos: high, gpus_per_node: 'h100:8', constraint: 'ib&nvme', exclude: "
        "'n[1-2]',\n"
        "  exclusive: true, reservation: paper, nodelist: n7, nodes: 2, preflight: false}\n"
        "environment: {modules: [gcc/12, cuda/12.4], venv: ~/v, fabric: roce, variables: {NCCL_DEBUG: "
        "INFO},\n"
        "  container: {image: /a.sif, runtime: pyxis, mounts: [/data]}}\n"
        "after: {sweep: stage-1, when: ended, from_checkpoint: true}\n",
        "s.yaml");
    SweepForm form;
    form.setSweep(sweep);
    EXPECT_TRUE(form.problems().isEmpty()) << form.problems().join("; ").toStdString();
    EXPECT_EQ(sweep::toYaml(form.sweep()), sweep::toYaml(sweep));

    const auto second =
        sweep::parseSweep("config: {steps: 10}\nafter: {sweep: stage-1, init_from: best}\n", "s.yaml");
    form.setSweep(second);
    EXPECT_TRUE(form.problems().isEmpty()) << form.problems().join("; ").toStdString();
    EXPECT_TRUE(form.sweep().after->initFromBest);
    EXPECT_EQ(sweep::toYaml(form.sweep()), sweep::toYaml(second));
}

sweep::Sweep cosmos() {
    for (const auto& preset : presets())
        if (preset.title == "cosmos-7b") return preset.sweep;
    throw InputError("The preset cosmos-7b is gone.");
}

TEST(LayoutPanel, ListsLayoutsBestFirstAndHandsOutTheKeysOfTheChosenOne) {
    LayoutPanel panel;
    panel.resize(700, 700);
    panel.show();
    auto config = sweep::expand(cosmos()).front().config;
    sweep::Resources resources;
    resources.nodes = 2;
    resources.ranksPerNode = 4;
    resources.gpusPerNode = 4;
    panel.ask(config, resources, {}, {});
    ASSERT_TRUE(waitUntil([&] { return panel.isSettled(); }));
    EXPECT_TRUE(panel.adviceText().contains("No speed data for these ranks"));
    EXPECT_FALSE(panel.table().isVisible());

    resources.gpuType = "h100";
    panel.ask(config, resources, {}, {});
    ASSERT_TRUE(waitUntil([&] { return panel.isSettled(); }));
    EXPECT_TRUE(panel.adviceText().contains("The fastest that fits")) << panel.adviceText().toStdString();
    const auto& shown = panel.choices().shown;
    ASSERT_EQ(panel.table().rowCount(), static_cast<int>(shown.size()));
    ASSERT_GT(shown.size(), 3u);

    std::vector<std::pair<std::string, Json>> taken;
    QObject::connect(&panel, &LayoutPanel::layoutAccepted, [&](const auto& settings) { taken = settings; });
    const auto dot = panel.chart().pointOf(1).toPoint();
    QTest::mouseClick(panel.chart().viewport(), Qt::LeftButton, {}, dot);
    EXPECT_TRUE(taken.empty()) << "a click chooses";
    EXPECT_EQ(panel.table().currentRow(), 1) << "in the table too";
    QTest::mouseDClick(panel.chart().viewport(), Qt::LeftButton, {}, dot);
    EXPECT_EQ(taken, shown[1].layout.settings());
}

TEST(LaunchPreview, WarnsOfVariablesThatNothingReads) {
    SweepForm form;
    form.setSweep(
        sweep::parseSweep("config: {steps: 100}\nresources: {gpus_per_node: 1}\n"
                          "environment: {variables: {NCCL_BLOCKING_WAIT: 1}}\n",
                          "s.yaml"));
    LaunchPreview preview;
    plan(preview, form);
    EXPECT_TRUE(preview.valid()) << preview.problemText().toStdString();
    EXPECT_TRUE(preview.warningText().contains("set TORCH_NCCL_BLOCKING_WAIT instead"))
        << preview.warningText().toStdString();
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

TEST(LaunchPreview, SaysWhatMemoryIsNeededAndRefusesWhatCannotFit) {
    SweepForm form;
    LaunchPreview preview;
    plan(preview, form);
    EXPECT_TRUE(preview.memoryText().startsWith("Each rank needs about"))
        << preview.memoryText().toStdString();
    remote::slurm::ClusterFacts facts;
    facts.memoryCounted = true;
    facts.partitions = {
        {.name = "main", .isDefault = true, .memoryPerNode = 32 << 10, .defaultMemoryPerCpu = 2 << 10}};
    plan(preview, form, facts);
    EXPECT_TRUE(preview.valid()) << preview.problemText().toStdString();
    EXPECT_TRUE(preview.memoryText().contains("partition main by default (1 CPU) gives 2.0 GiB"))
        << preview.memoryText().toStdString();
    form.editor("data.batch_size")->setText("4096");
    plan(preview, form, facts);
    EXPECT_FALSE(preview.valid());
    EXPECT_TRUE(preview.problemText().contains("does not fit")) << preview.problemText().toStdString();
    EXPECT_TRUE(preview.problemText().contains("optimizer.accumulate"))
        << preview.problemText().toStdString();
}

TEST(SweepForm, GivesBackEveryMethodEarlyStopAndDistributionAsItWasRead) {
    for (const char* yaml :
         {"method: bayes\nrun_cap: 30\nseed: 5\nmetric: {name: loss, goal: minimize}\n"
          "early_terminate: {type: asha, min_iter: 100, eta: 3}\n"
          "parameters: {optimizer.lr: {distribution: log_uniform_values, min: 0.001, max: 0.1}}\n",
          "method: sobol\nrun_cap: 7\nmetric: {name: loss, goal: maximize}\n"
          "early_terminate: {type: hyperband, max_iter: 900, s: 2, eta: 2.5, strict: true}\n"
          "parameters: {sampling.seed: {distribution: q_log_uniform_values, min: 10, max: 1000, q: 10}}\n",
          "method: random\nrun_cap: 9\nparameters: {model.depth: {values: [1, 2, 3], probabilities: [0.1, "
          "0.2, "
          "0.7]}}\n",
          "method: random\nrun_cap: 9\nparameters: {diffusion.caption_drop: {distribution: q_beta, a: 2, b: "
          "5, "
          "q: 0.01}}\n",
          "method: random\nrun_cap: 9\nparameters: {optimizer.grad_clip: {distribution: q_log_normal, mu: 1, "
          "sigma: 0.5, q: 0.25}}\n",
          "method: grid\nrun_cap: 2\nparameters: {model.depth: {values: [1, 2, 3]}}\n"}) {
        const auto sweep = sweep::parseSweep(yaml, "s.yaml");
        SweepForm form;
        form.setSweep(sweep);
        EXPECT_TRUE(form.problems().isEmpty()) << form.problems().join(' ').toStdString();
        const auto runs = sweep::expand(sweep), given = sweep::expand(form.sweep());
        ASSERT_EQ(given.size(), runs.size());
        for (std::size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(given[i].drawn, runs[i].drawn) << yaml;
        EXPECT_EQ(form.sweep().earlyStop, sweep.earlyStop);
        EXPECT_EQ(form.sweep().method, sweep.method);
        EXPECT_EQ(form.sweep().seed, sweep.seed);
        EXPECT_EQ(form.sweep().runCap, sweep.runCap);
    }
}

/// The fields of "After training", by their accessible names.
template <class Field>
Field* fieldOf(const SweepForm& form, const QString& name) {
    const auto* rows = form.findChild<ThenSampleForm*>();
    for (auto* field : rows->findChildren<Field*>())
        if (field->accessibleName() == name) return field;
    return nullptr;
}

TEST(ThenSampleForm, AsksForClipsOfEachRunOnceItIsTrained) {
    SweepForm form;
    EXPECT_FALSE(form.thenSample()) << "nothing unless it is asked for";
    fieldOf<QCheckBox>(form, "After training")->setChecked(true);
    fieldOf<QPlainTextEdit>(form, "Prompts")->setPlainText("red square left\nblue circle up\n");
    fieldOf<QLineEdit>(form, "Seeds")->setText("0..2");
    fieldOf<QLineEdit>(form, "Guidance")->setText("1,3");
    ASSERT_TRUE(form.problems().isEmpty()) << form.problems().join("; ").toStdString();
    const auto sampling = form.thenSample();
    ASSERT_TRUE(sampling);
    EXPECT_EQ(sampling->job.prompts, (std::vector<std::string>{"red square left", "blue circle up"}));
    EXPECT_EQ(sampling->job.seeds, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(sampling->job.guidance, (std::vector<double>{1, 3}));
    EXPECT_TRUE(sampling->job.steps.empty()) << "as the run sampled";
    bool says = false;
    for (const auto* label : form.findChild<ThenSampleForm*>()->findChildren<QLabel*>())
        says = says || label->text() == "12 clips of each run";
    EXPECT_TRUE(says);

    form.setSweep({});
    EXPECT_FALSE(form.thenSample()) << "of another sweep it is asked for anew";
}

TEST(ThenSampleForm, BeginsWithThePromptsThatTheRunsSampleAnyway) {
    SweepForm form;
    sweep::Sweep sweep;
    config::setByKey(sweep.config, "sampling.prompts", {"a dog runs", "a cat sleeps"});
    form.setSweep(sweep);
    auto* prompts = fieldOf<QPlainTextEdit>(form, "Prompts");
    fieldOf<QCheckBox>(form, "After training")->setChecked(true);
    EXPECT_EQ(prompts->toPlainText(), "a dog runs\na cat sleeps");
    prompts->setPlainText("a horse jumps");
    form.editor("sampling.prompts")->setValue({"a bird sings"});
    EXPECT_EQ(prompts->toPlainText(), "a horse jumps") << "what was typed stays";
}

TEST(ThenSampleForm, SaysWhatIsWrongAndKeepsTheSweepFromBeingSent) {
    SweepForm form;
    fieldOf<QCheckBox>(form, "After training")->setChecked(true);
    const auto onlyProblem = [&] {
        const auto problems = form.problems();
        return problems.size() == 1 ? problems[0].toStdString() : problems.join("; ").toStdString();
    };
    EXPECT_THAT(onlyProblem(), testing::HasSubstr("found no prompt"));
    fieldOf<QPlainTextEdit>(form, "Prompts")->setPlainText("red square left");
    EXPECT_EQ(onlyProblem(), "");
    fieldOf<QLineEdit>(form, "Seeds")->setText("some");
    EXPECT_THAT(onlyProblem(), testing::StartsWith("Seeds: found \"some\""));
    fieldOf<QLineEdit>(form, "Seeds")->setText("1");

    sweep::Sweep adaptive = form.sweep();
    adaptive.method = "bayes";
    adaptive.metric = "loss";
    form.setSweep(adaptive);
    fieldOf<QCheckBox>(form, "After training")->setChecked(true);
    fieldOf<QPlainTextEdit>(form, "Prompts")->setPlainText("red square left");
    EXPECT_THAT(onlyProblem(), testing::HasSubstr("chooses its runs adaptively"));
}

TEST(SweepForm, SaysAtTheFieldThatAMethodNeedsAMetric) {
    SweepForm form;
    auto sweep =
        sweep::parseSweep("method: bayes\nrun_cap: 3\nparameters: {seed: {values: [1, 2]}}\n", "s.yaml");
    form.setSweep(sweep);
    ASSERT_EQ(form.problems().size(), 1);
    EXPECT_TRUE(form.problems().front().startsWith("metric:")) << form.problems().front().toStdString();
}

TEST(LaunchPreview, SaysHowManyRunsFollowFromResultsAndThatTheCostIsNotKnown) {
    SweepForm form;
    form.setSweep(
        sweep::parseSweep("method: bayes\nrun_cap: 30\nmetric: {name: loss}\n"
                          "parameters: {optimizer.lr: {min: 0.001, max: 0.1}}\n",
                          "s.yaml"));
    LaunchPreview preview;
    plan(preview, form);
    EXPECT_EQ(preview.runCount(), 30);
    EXPECT_EQ(preview.runNames().size(), 10);
    EXPECT_TRUE(preview.summaryText().contains("20 follow from results"))
        << preview.summaryText().toStdString();
    EXPECT_TRUE(preview.costText().contains("No earlier run")) << preview.costText().toStdString();
}

TEST(LaunchPreview, SaysInOneLineWhatVaries) {
    SweepForm form;
    form.setSweep(
        sweep::parseSweep("method: random\nrun_cap: 6\n"
                          "parameters: {optimizer.lr: {values: [1.0e-3, 1.0e-2, 5.0e-2]},\n"
                          "  optimizer.weight_decay: {min: 0.1, max: 0.5}, seed: {value: 3}}\n",
                          "s.yaml"));
    LaunchPreview preview;
    plan(preview, form);
    EXPECT_EQ(preview.variesText(), QStringLiteral("lr × 3, weight_decay 0.1 … 0.5 → 6 runs"));
    form.setSweep(
        sweep::parseSweep("method: random\nrun_cap: 6\nparameters: {diffusion.caption_drop: {distribution: "
                          "beta, a: 2, b: 5}}\n",
                          "s.yaml"));
    plan(preview, form);
    EXPECT_EQ(preview.variesText(), QStringLiteral("caption_drop beta(2, 5) → 6 runs"));
}

TEST(LaunchPreview, SpeaksOfEarlyStoppingWhereItCanEndARun) {
    const auto basis = [](const std::string& firstRung) {
        SweepForm form;
        form.setSweep(
            sweep::parseSweep("metric: {name: loss}\nconfig: {steps: 1000}\n"
                              "parameters: {optimizer.lr: {values: [0.001, 0.01]}}\n"
                              "early_terminate: {type: asha, min_iter: " +
                                  firstRung + "}\n",
                              "s.yaml"));
        LaunchPreview preview;
        plan(preview, form);
        return preview.costText().toStdString();
    };
    EXPECT_NE(basis("100").find("picks new runs only while connected"), std::string::npos) << basis("100");
    EXPECT_EQ(basis("2000").find("picks new runs only while connected"), std::string::npos) << basis("2000");
    EXPECT_NE(basis("2000").find("Early stopping has no effect"), std::string::npos) << basis("2000");
}

TEST(LaunchPreview, HoldsTenThousandRuns) {
    SweepForm form;
    form.setSweep(
        sweep::parseSweep("method: random\nrun_cap: 10000\n"
                          "parameters: {optimizer.lr: {min: 0.001, max: 0.1}}\n",
                          "s.yaml"));
    LaunchPreview preview;
    preview.display(form.sweep(), someCluster(), someCluster().workspace, {}, form.problems());
    ASSERT_TRUE(waitUntil([&] { return preview.isSettled(); }, 60000));
    EXPECT_EQ(preview.runNames().size(), 10000);
}

/// Types over the first place where the script says `was`.
void type(ScriptEditor& editor, const QString& was, const QString& now) {
    auto* code = editor.findChild<QPlainTextEdit*>();
    auto place = code->document()->find(was);
    ASSERT_FALSE(place.isNull()) << was.toStdString();
    ASSERT_FALSE(code->isReadOnly());
    place.insertText(now);
}

QPushButton* button(const QWidget& widget, const QString& text) {
    for (auto* found : widget.findChildren<QPushButton*>()) {
        if (found->text() == text && !found->isHidden()) {
            return found;
        }
    }
    return nullptr;
}

class EditingTheScript : public testing::Test {
protected:
    void SetUp() override {
        m_form.editor("optimizer.lr")->setSwept(true);
        m_form.editor("optimizer.lr")->setText("0.001, 0.01, 0.1");
        plan(m_preview, m_form);
        ASSERT_TRUE(m_preview.valid()) << m_preview.problemText().toStdString();
    }
    ScriptEditor& editor() { return m_preview.scriptEditor(); }
    void edit(const QString& was, const QString& now) {
        if (auto* begin = button(editor(), "Edit")) {
            begin->click();
        }
        type(editor(), was, now);
    }

    SweepForm m_form;
    LaunchPreview m_preview;
};

TEST_F(EditingTheScript, WhatIsTypedIsWhatWouldBeSent) {
    EXPECT_TRUE(editor().findChild<QPlainTextEdit*>()->isReadOnly()) << "until a person says so";
    EXPECT_FALSE(m_preview.edit()) << "nothing was changed";
    edit("#SBATCH --nodes=1", "#SBATCH --nodes=1\n#SBATCH --licenses=video:1");
    ASSERT_TRUE(m_preview.edit());
    EXPECT_NE(m_preview.edit()->text.find("#SBATCH --licenses=video:1\n"), std::string::npos);
    EXPECT_EQ(m_preview.edit()->from.find("--licenses"), std::string::npos);
    EXPECT_TRUE(m_preview.valid()) << m_preview.problemText().toStdString();
}

TEST_F(EditingTheScript, ABrokenLineIsNamedAndKeepsTheSweepFromBeingSent) {
    edit("#SBATCH --array=0-2%2", "#SBATCH --array=0-9%2");
    EXPECT_FALSE(m_preview.valid());
    EXPECT_TRUE(m_preview.problemText().contains("Line 5 of the script"))
        << m_preview.problemText().toStdString();
    EXPECT_EQ(editor().note(), editor().problem()) << "said beside the script, too";
    type(editor(), "#SBATCH --array=0-9%2", "#SBATCH --array=0-2%1");
    EXPECT_TRUE(m_preview.valid()) << m_preview.problemText().toStdString();
}

TEST_F(EditingTheScript, AnEditStaysWhileTheRestFollowsTheForm) {
    edit("#SBATCH --nodes=1", "#SBATCH --nodes=1\n#SBATCH --nice=7");
    m_form.editor("optimizer.lr")->setText("0.001, 0.01, 0.1, 0.2, 0.3");
    plan(m_preview, m_form);
    EXPECT_TRUE(m_preview.script().contains("#SBATCH --array=0-4%2\n"));
    EXPECT_TRUE(m_preview.script().contains("#SBATCH --nodes=1\n#SBATCH --nice=7\n"));
    EXPECT_TRUE(m_preview.valid()) << m_preview.problemText().toStdString();
    m_form.editor("model.depth")->setText("many");
    plan(m_preview, m_form);
    EXPECT_TRUE(m_preview.script().contains("#SBATCH --nice=7")) << "a slip in the form costs no edit";
    m_form.editor("model.depth")->setText("2");
    plan(m_preview, m_form);
    EXPECT_TRUE(m_preview.valid()) << m_preview.problemText().toStdString();
    EXPECT_TRUE(m_preview.edit());
}

TEST_F(EditingTheScript, TheFormSaysWhereItWouldNowHaveTheLineOtherwise) {
    edit("--time=", "--time=9-");
    auto sweep = m_form.sweep();
    sweep.resources.timeLimit = "0:40:00";
    m_form.setSweep(sweep);
    plan(m_preview, m_form);
    EXPECT_TRUE(m_preview.script().contains("--time=9-"));
    EXPECT_TRUE(editor().note().contains("stays as you wrote it")) << editor().note().toStdString();
}

TEST_F(EditingTheScript, ResetIsTheGeneratedScriptAndTheEditCanBeBroughtBack) {
    const QString generated = m_preview.script();
    edit("#SBATCH --nodes=1", "#SBATCH --nodes=1\n#SBATCH --nice=7");
    button(editor(), "Reset")->click();
    EXPECT_EQ(m_preview.script(), generated);
    EXPECT_FALSE(m_preview.edit());
    ASSERT_NE(button(editor(), "Restore my edits"), nullptr);
    button(editor(), "Restore my edits")->click();
    EXPECT_TRUE(m_preview.script().contains("#SBATCH --nice=7"));
    EXPECT_TRUE(m_preview.edit());
    EXPECT_EQ(button(editor(), "Restore my edits"), nullptr);
}

}  // namespace
}  // namespace dailies::ui
