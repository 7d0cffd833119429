#include "core/base/files.h"
#include "tests/ui/wait_until.h"
#include "ui/cluster/profile_list.h"
#include "ui/launch/argument_list.h"
#include "ui/launch/code_editor.h"
#include "ui/launch/command_view.h"
#include "ui/launch/form_panel.h"
#include "ui/launch/launch_page.h"
#include "ui/launch/launch_preview.h"
#include "ui/launch/presets.h"
#include "ui/launch/program_form.h"
#include "ui/launch/yaml_editor.h"
#include "ui/link/cluster_worker.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QUrl>
#include <QWheelEvent>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

// A sweep of the user's own program on the Launch page: W&B's sweep files, as they are.

namespace dailies::ui {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kSweep = R"(program: train.py
command: [python3, -u, "${program}", --name, "${envvar:USER}", "${args}"]
project: animate
method: random
run_cap: 6
seed: 7
metric: {name: loss, goal: minimize}
parameters:
  lr: {values: [1e-4, 5e-5], probabilities: [0.75, 0.25]}
  steps: {value: 1.0}
  caption: {value: "a, b: c"}
  resume: {value: null}
  flags: {values: [true, "true", [1, 2.0], {k: v}]}
  optimizer:
    parameters:
      beta: {distribution: beta, a: 2, b: 3}
      decay: {distribution: log_uniform_values, min: 1e-6, max: 1e-2}
  width: {distribution: q_uniform, min: 64, max: 512, q: 64}
  optimizer.name: {value: adam}
code: {cluster: ~/src/trainer}
nested: dotted
)";

std::string shown(const QString& text) {
    return text.toStdString();
}

class OwnProgramPage : public testing::Test {
protected:
    void SetUp() override {
        Theme::instance().apply(ThemeMode::Dark);
        open();
    }

    void open() {
        m_page = std::make_unique<LaunchPage>(m_profiles, m_worker);
        m_page->resize(1240, 900);
        QObject::connect(m_page.get(), &LaunchPage::notificationPosted,
                         [this](const QString& text) { m_notice = text; });
        m_page->show();
        QApplication::setActiveWindow(m_page.get());
        settle();
    }
    void settle() {
        ASSERT_TRUE(waitUntil([&] { return m_page->isSettled(); }));
    }
    fs::path write(const std::string& name, const std::string& text) const {
        writeFileAtomically(m_folder.path() / name, text);
        return m_folder.path() / name;
    }
    void openSweep(const std::string& yaml = kSweep) {
        m_page->open(write("sweep.yaml", yaml));
        settle();
        ASSERT_TRUE(form().hasOwnProgram());
    }
    SweepForm& form() { return m_page->form(); }
    LaunchPreview& preview() { return m_page->preview(); }
    ArgumentRow& row(const std::string& name) {
        for (auto* row : form().arguments().rows())
            if (row->name() == name) return *row;
        throw InputError("There is no row " + name + ".");
    }
    template <class Widget>
    Widget& named(const QString& name) {
        for (auto* widget : m_page->findChildren<Widget*>())
            if (widget->accessibleName() == name) return *widget;
        throw InputError("There is not a field " + name.toStdString() + ".");
    }
    bool shows(const QString& text) {
        for (const auto* label : m_page->findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(text)) return true;
        return false;
    }
    QStringList sections() {
        QStringList titles;
        const auto& rail = m_page->panel().rail();
        for (int i = 0; i < rail.count(); ++i)
            if (!rail.item(i)->isHidden()) titles << rail.item(i)->text();
        return titles;
    }
    QStringList tabs() {
        QStringList titles;
        const auto* tabs = preview().findChild<QTabWidget*>();
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->isTabVisible(i)) titles << tabs->tabText(i);
        return titles;
    }
    std::string yaml() { return sweep::toYaml(form().sweep()); }

    TemporaryFolder m_folder;
    ProfileList m_profiles{m_folder.path() / "clusters.json"};
    ClusterWorker m_worker{m_folder.path() / "dailies.db"};
    QString m_notice;
    std::unique_ptr<LaunchPage> m_page;
};

// -- files

TEST_F(OwnProgramPage, AnOpenedSweepFileIsTheSweepOfTheForm) {
    openSweep();
    const auto read = sweep::parseSweep(kSweep, "sweep.yaml");
    EXPECT_EQ(yaml(), sweep::toYaml(read));
    const auto again = form().sweep();
    EXPECT_EQ(again.program, read.program);
    ASSERT_EQ(again.parameters.size(), read.parameters.size());
    for (std::size_t i = 0; i < read.parameters.size(); ++i) {
        EXPECT_EQ(again.parameters[i].key, read.parameters[i].key) << "in the order of the file";
        EXPECT_EQ(again.parameters[i].groups, read.parameters[i].groups);
        EXPECT_EQ(again.parameters[i].values, read.parameters[i].values);
        EXPECT_EQ(again.parameters[i].spellings, read.parameters[i].spellings);
    }
    EXPECT_TRUE(form().problems().isEmpty()) << shown(form().problems().join("; "));
    EXPECT_TRUE(preview().valid()) << shown(preview().problemText());
    EXPECT_EQ(preview().runCount(), 6);
}

TEST_F(OwnProgramPage, HowAProgramStartsAndResumesStaysWhileItsOtherRowsAreEdited) {
    const std::string lines =
        "start: tasks\nresume: diffusers\nsources: {clips: '{step}.mp4'}\n"
        "sample_checkpoints: {command: [generate.sh, '${checkpoint}']}\n";
    openSweep(kSweep + lines);
    const auto read = sweep::parseSweep(kSweep + lines, "sweep.yaml");
    EXPECT_EQ(form().sweep().program, read.program);
    form().findChild<ProgramForm*>()->findChild<QLineEdit*>()->setText(QStringLiteral("other.py"));
    settle();
    const auto edited = form().sweep().program;
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->file, "other.py");
    EXPECT_EQ(edited->start, sweep::Start::Tasks);
    EXPECT_EQ(edited->resume, read.program->resume);
    EXPECT_EQ(edited->sources, read.program->sources);
    EXPECT_EQ(form().sweep().sampleCheckpoints, read.sampleCheckpoints);
    openSweep();
    EXPECT_EQ(form().sweep().program->start, sweep::Start::Process) << "another file says nothing of it";
    EXPECT_FALSE(form().sweep().program->resume);
}

TEST_F(OwnProgramPage, HowItStartsAndResumesIsChosenAmongWhatIsKnown) {
    openSweep();
    const auto box = [&](const char* label) { return &named<QComboBox>(label); };
    const auto choose = [&](QComboBox* combo, const char* text) {
        const int index = combo->findText(QString::fromUtf8(text));
        ASSERT_GE(index, 0) << text;
        combo->setCurrentIndex(index);
        settle();
    };
    choose(box("Start"), "torchrun on each node");
    choose(box("Resume"), "As diffusion-pipe does");
    const auto program = form().sweep().program;
    EXPECT_EQ(program->start, sweep::Start::Torchrun);
    ASSERT_TRUE(program->resume);
    EXPECT_EQ(program->resume->stop.what, "output/*/save_quit");
    EXPECT_THAT(yaml(), AllOf(HasSubstr("start: torchrun"), HasSubstr("diffusion-pipe")));
    choose(box("Resume"), "Start from the beginning");
    EXPECT_FALSE(form().sweep().program->resume);
    EXPECT_EQ(box("Resume")->findText("As the sweep file says"), -1);

    openSweep(kSweep + std::string("resume: {arguments: [--again], checkpoints: 'last-*'}\n"));
    EXPECT_EQ(shown(box("Resume")->currentText()), "As the sweep file says");
    choose(box("Resume"), "As diffusers does");
    choose(box("Resume"), "As the sweep file says");
    EXPECT_EQ(form().sweep().program->resume->checkpoints, "last-*") << "it is not lost by looking";
}

TEST_F(OwnProgramPage, ARepositoryIsNamedWithItsCommit) {
    openSweep(
        "program: train.py\ncode: {git: 'https://h/o/n', ref: v1, folder: src}\n"
        "parameters: {lr: {value: 1e-4}}\n");
    EXPECT_EQ(shown(named<QLineEdit>("Folder of the code").text()), "https://h/o/n@v1#subdirectory=src");
    EXPECT_EQ(shown(named<QComboBox>("Where the code is").currentText()), "Git repository");
    EXPECT_TRUE(preview().valid()) << shown(preview().problemText());
    named<QLineEdit>("Folder of the code").setText("git+https://h/o/n@v2");
    settle();
    EXPECT_EQ(form().sweep().program->code,
              (sweep::Code{sweep::Code::Place::Git, "", "v2", "https://h/o/n"}));
    named<QLineEdit>("Folder of the code").setText("https://token@h/o/n");
    settle();
    EXPECT_TRUE(shows("an address with a password or token"));
}

TEST_F(OwnProgramPage, TheCodeOfAnOpenedFileIsFoundBesideIt) {
    write("train.py", "print()\n");
    openSweep("program: train.py\nparameters: {lr: {value: 1e-4}}\n");
    const auto code = form().sweep().program->code;
    EXPECT_EQ(code.place, sweep::Code::Place::Local);
    EXPECT_EQ(code.folder, fs::canonical(m_folder.path()).string());
    EXPECT_EQ(shown(named<QLineEdit>("Folder of the code").text()), code.folder);
    EXPECT_TRUE(preview().valid()) << shown(preview().problemText());
}

TEST_F(OwnProgramPage, WhatAFileSaysThatMeansNothingHereIsSaid) {
    openSweep(
        "program: train.py\nmethod: bayes\nmetric: {name: loss}\ncode: gone\nentity: me\n"
        "command: [python, train.py, \"--all=${args}\"]\nparameters: {lr: {min: 0, max: 1.0}}\n");
    EXPECT_THAT(shown(m_notice), HasSubstr("entity has no effect"));
    EXPECT_THAT(shown(m_notice), HasSubstr("run_cap is 20"));
    EXPECT_THAT(shown(m_notice), HasSubstr("there is no folder")) << "another one can be chosen";
    EXPECT_TRUE(shows("--all=${args} is passed as it is")) << "beside the command";
    EXPECT_TRUE(shows("code: found gone, expected a folder of this computer that begins with /."));
}

TEST_F(OwnProgramPage, ASweepFileThatIsDroppedIsOpened) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(write("dropped.yaml", kSweep).string()))});
    QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_page.get(), &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_page.get(), &drop);
    settle();
    EXPECT_EQ(yaml(), sweep::toYaml(sweep::parseSweep(kSweep, "dropped.yaml")));
}

// -- the form

TEST_F(OwnProgramPage, TheProgramAndItsParametersStandInThePlaceOfTheTrainersKeys) {
    EXPECT_THAT(shown(sections().join(' ')), HasSubstr("Optimizer"));
    openSweep();
    EXPECT_EQ(sections(), QStringList({"Sweep", "Program", "Parameters", "Resources", "Environment"}));
    EXPECT_EQ(tabs(), QStringList({"Runs", "Command", "Script", "YAML"}));
    EXPECT_FALSE(shows("After training"));
    EXPECT_TRUE(shows("How much memory train.py needs is not known."));
    EXPECT_TRUE(shows("How long a run of train.py takes is not known."));
    m_page->choosePreset("shapes-lr");
    settle();
    EXPECT_THAT(shown(sections().join(' ')), HasSubstr("Optimizer"));
    EXPECT_FALSE(sections().contains("Program"));
    EXPECT_TRUE(tabs().contains("Layouts"));
    EXPECT_FALSE(tabs().contains("Command"));
    EXPECT_FALSE(form().sweep().program);
    EXPECT_TRUE(preview().valid());
}

TEST_F(OwnProgramPage, AParameterIsWrittenAsInASweepFile) {
    openSweep("program: train.py\ncode: {cluster: ~/t}\nparameters: {lr: {value: 1e-4}}\n");
    named<QComboBox>("How lr varies").setCurrentText("Values");
    named<QLineEdit>("Values of lr").setText("1e-4, 5e-5, \"x, y\"");
    const auto parameter = form().sweep().parameters.at(0);
    EXPECT_EQ(parameter.kind, sweep::Parameter::Kind::Values);
    EXPECT_EQ(parameter.values, (std::vector<Json>{1e-4, 5e-5, "x, y"}));
    EXPECT_EQ(parameter.spellings, (std::vector<std::string>{"1e-4", "5e-5"}));
    settle();
    EXPECT_EQ(preview().runCount(), 3);
}

TEST_F(OwnProgramPage, ParametersComeAndGo) {
    openSweep("program: train.py\ncode: {cluster: ~/t}\nparameters: {lr: {value: 1e-4}}\n");
    for (auto* button : m_page->findChildren<QPushButton*>())
        if (button->text() == "Add parameter") button->click();
    ASSERT_EQ(form().arguments().rows().size(), 2U);
    EXPECT_TRUE(form().problems().isEmpty()) << "as long as nothing was typed";
    EXPECT_EQ(form().sweep().parameters.size(), 1U);
    auto* focused = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    ASSERT_TRUE(focused);
    QTest::keyClicks(focused, "lr");
    EXPECT_TRUE(form().arguments().rows()[1]->problem().contains("expected a value"));
    QTest::keyClick(focused, Qt::Key_Tab);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QTest::keyClicks(QApplication::focusWidget(), "2");
    EXPECT_EQ(form().problems(), QStringList("lr: found twice, expected once."));
    form().arguments().rows()[1]->findChild<QLineEdit*>()->setText("batch");
    EXPECT_TRUE(form().problems().isEmpty()) << shown(form().problems().join("; "));
    EXPECT_EQ(form().sweep().parameters.at(1).values, (std::vector<Json>{2}));
    named<QToolButton>("Remove lr").click();
    EXPECT_EQ(form().sweep().parameters.size(), 1U);
    EXPECT_EQ(form().sweep().parameters.at(0).key, "batch");
    EXPECT_TRUE(waitUntil([&] { return m_page->isSettled() && preview().valid(); }));
}

TEST_F(OwnProgramPage, ANestedParameterStaysInItsGroupWhenItIsRenamed) {
    openSweep();
    EXPECT_TRUE(named<QComboBox>("Nested").isVisible());
    row("optimizer.decay").findChild<QLineEdit*>()->setText("optimizer.weight_decay");
    EXPECT_THAT(yaml(), HasSubstr("    parameters:\n      beta"));
    EXPECT_THAT(yaml(), HasSubstr("      weight_decay: {"));
    openSweep("program: train.py\ncode: {cluster: ~/t}\nparameters: {lr: {value: 1e-4}}\n");
    EXPECT_FALSE(named<QComboBox>("Nested").isVisible()) << "nothing is nested";
}

TEST_F(OwnProgramPage, WhatCannotBeLaunchedIsSaidBesideItsRow) {
    openSweep();
    auto& file = named<QLineEdit>("Program");
    auto& command = named<QPlainTextEdit>("Command");
    command.setPlainText("python\n${programm}\n${args}");
    EXPECT_TRUE(shows("did you mean ${program}?"));
    EXPECT_EQ(form().problems().size(), 1);
    EXPECT_EQ(form().sweep().program->command.size(), 6U) << "until it makes sense: as it was";
    command.clear();
    EXPECT_TRUE(form().problems().isEmpty());
    EXPECT_TRUE(form().sweep().program->command.empty()) << "the default one";
    file.clear();
    EXPECT_TRUE(shows("program: found nothing, expected the file that the runs start, such as train.py."));
    file.setText("train.py");
    named<QLineEdit>("Folder of the code").clear();
    EXPECT_TRUE(shows("code: found nothing, expected the folder in which train.py is started."));
    named<QLineEdit>("Folder of the code").setText("/data/code");
    named<QLineEdit>("min").setText("none");
    EXPECT_THAT(shown(form().problems().join(' ')), HasSubstr("found 'none' as min, expected a number."));
    settle();
    EXPECT_FALSE(preview().valid());
    EXPECT_THAT(shown(preview().problemText()), HasSubstr("found 'none' as min"));
    form().focusFirstProblem();
    EXPECT_EQ(QApplication::focusWidget(), &named<QLineEdit>("min"));
}

TEST_F(OwnProgramPage, WordsOfACommandStandOneALine) {
    const std::vector<std::string> words = {"bash",       "-c", "a\nb",        " padded",
                                            "\"quoted\"", "",   "it's ${args}"};
    EXPECT_EQ(wordsFromLines(wordLines(words)), words);
    EXPECT_EQ(wordLines({"python", "${args}"}), "python\n${args}");
    EXPECT_EQ(wordsFromLines("python\n\n  train.py \n"), (std::vector<std::string>{"python", "train.py"}));
}

TEST_F(OwnProgramPage, ARowWithoutANameIsSaidToHaveNone) {
    openSweep();
    row("lr").findChild<QLineEdit*>()->clear();
    EXPECT_TRUE(shows("parameters: found no name, expected one, such as lr."));
}

TEST_F(OwnProgramPage, ScrollingOverAParameterLeavesItAsItIs) {
    openSweep();
    auto& kind = named<QComboBox>("How lr varies");
    const QString before = kind.currentText();
    kind.clearFocus();
    QWheelEvent wheel({5, 5}, kind.mapToGlobal(QPoint(5, 5)), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&kind, &wheel);
    EXPECT_EQ(kind.currentText(), before);
}

TEST_F(OwnProgramPage, TheSearchFindsParametersByName) {
    openSweep();
    m_page->panel().search().setText("width");
    EXPECT_EQ(sections(), QStringList({"Parameters"}));
    m_page->panel().search().setText("nothing at all");
    EXPECT_EQ(sections(), QStringList());
    EXPECT_TRUE(shows("No setting matches."));
    m_page->panel().search().clear();
    EXPECT_EQ(sections().size(), 5);
}

// -- beginning, undoing, keeping

TEST_F(OwnProgramPage, OneIsBegunFromTheListOfPresets) {
    ASSERT_GE(m_page->origin().findText("Your own program"), 0);
    m_page->choosePreset("Your own program");
    settle();
    EXPECT_EQ(form().sweep().program->file, "train.py");
    EXPECT_EQ(form().sweep().parameters.size(), 1U);
    EXPECT_FALSE(preview().valid()) << "where its code is, nobody said";
    EXPECT_TRUE(shows("code: found nothing"));
    named<QComboBox>("Where the code is").setCurrentIndex(1);
    named<QLineEdit>("Folder of the code").setText("~/src");
    settle();
    EXPECT_TRUE(preview().valid()) << shown(preview().problemText());
    EXPECT_EQ(preview().runCount(), 2);
}

TEST_F(OwnProgramPage, UndoBringsBackWhatMadeNoSense) {
    openSweep();
    named<QLineEdit>("Program").setText("");
    named<QLineEdit>("Values of lr").setText("1e-4, [");
    m_page->choosePreset("shapes-lr");
    settle();
    QTest::keySequence(m_page.get(), QKeySequence::Undo);
    settle();
    ASSERT_TRUE(form().hasOwnProgram());
    EXPECT_EQ(named<QLineEdit>("Program").text(), "");
    EXPECT_EQ(named<QLineEdit>("Values of lr").text(), "1e-4, [");
    EXPECT_EQ(form().problems().size(), 2) << shown(form().problems().join("; "));
}

TEST_F(OwnProgramPage, TheDraftSurvivesARestart) {
    const auto file = m_folder.path() / "draft" / "launch.yaml";
    m_page->setDraftFile(file);
    settle();
    openSweep();
    named<QLineEdit>("Values of lr").setText("1e-4, 3e-5");
    named<QPlainTextEdit>("Command").setPlainText("${unknown}");  // not yet a command
    const std::string kept = yaml();
    m_page.reset();
    ASSERT_TRUE(
        waitUntil([&] { return fs::exists(file) && readFile(file).find("3e-5") != std::string::npos; }));
    open();
    m_page->setDraftFile(file);
    settle();
    ASSERT_TRUE(form().hasOwnProgram());
    EXPECT_EQ(yaml(), kept);
}

// -- the preview

TEST_F(OwnProgramPage, TheCommandsOfTheFirstAndTheLastRunAreShown) {
    openSweep(
        "program: train.py\ncode: {cluster: ~/t}\ncommand: [\"${env}\", python, \"${program}\", "
        "--user, \"${envvar:USER}\", \"${args}\"]\n"
        "parameters: {lr: {values: [1e-4, 5e-5]}, note: {value: it is}}\n");
    EXPECT_EQ(shown(preview().commandText()),
              "First run: lr=0.0001\n"
              "/usr/bin/env python train.py \\\n"
              "    --user '${envvar:USER}' \\\n"
              "    --lr=1e-4 \\\n"
              "    '--note=it is'\n"
              "Last run: lr=5e-05\n"
              "/usr/bin/env python train.py \\\n"
              "    --user '${envvar:USER}' \\\n"
              "    --lr=5e-5 \\\n"
              "    '--note=it is'");
    named<QLineEdit>("Program").clear();
    settle();
    EXPECT_EQ(preview().commandText(), "");
}

TEST_F(OwnProgramPage, TheCommandThatSamplesEachCheckpointIsShown) {
    openSweep(
        "program: train.py\ncode: {cluster: ~/t}\nparameters: {lr: {values: [1e-4, 5e-5]}}\n"
        "sample_checkpoints: {command: [python, generate.py, '--lora=${checkpoint}', '--out=${clips}'], "
        "checkpoints: 'checkpoint-*'}\n");
    EXPECT_THAT(shown(preview().commandText()), testing::EndsWith("Each checkpoint: checkpoint-*\n"
                                                                  "python generate.py \\\n"
                                                                  "    '--lora=${checkpoint}' \\\n"
                                                                  "    '--out=${clips}'"));
    openSweep();
    EXPECT_THAT(shown(preview().commandText()), testing::Not(testing::HasSubstr("Each checkpoint")));
}

TEST_F(OwnProgramPage, TheYamlAndTheFormAreTheSameSweep) {
    openSweep();
    preview().chooseTab("YAML");
    auto& code = preview().yamlEditor().code();
    EXPECT_EQ(sweep::toYaml(sweep::parseSweep(shown(preview().yaml()), "YAML")), yaml());
    code.setFocus();
    code.setPlainText(
        "# mine\nname: n\nprogram: other.py\ncode: {cluster: ~/t}\nmethod: grid\n"
        "entity: me\nparameters:\n  a.b: {values: [01, two]}\n  g: {parameters: {x: {value: 3}}}\n");
    settle();
    EXPECT_TRUE(preview().valid()) << shown(preview().problemText());
    EXPECT_TRUE(shows("entity has no effect"));
    EXPECT_EQ(named<QLineEdit>("Program").text(), "other.py");
    EXPECT_EQ(named<QLineEdit>("Values of a.b").text(), "01, two");
    EXPECT_TRUE(preview().yaml().startsWith("# mine")) << "it stays as it was written";
    EXPECT_EQ(form().sweep().parameters.at(1).groups, std::vector<std::string>{"g"});
    named<QLineEdit>("Values of a.b").setText("01, two, 3.50");
    EXPECT_THAT(shown(preview().yaml()), HasSubstr("a.b: {values: [01, two, 3.50]}"));
    code.setPlainText("method: grid\nparameters:\n  optimizer.lr: {values: [0.1, 0.2]}\n");
    settle();
    EXPECT_FALSE(form().hasOwnProgram()) << "the trainer's again";
    EXPECT_EQ(form().sweep().parameters.at(0).key, "optimizer.lr");
}

}  // namespace
}  // namespace dailies::ui
