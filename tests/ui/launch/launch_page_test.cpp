#include "ui/launch/launch_page.h"

#include "core/base/files.h"
#include "core/config/schema.h"
#include "tests/ui/wait_until.h"
#include "ui/cluster/finding_list.h"
#include "ui/cluster/profile_list.h"
#include "ui/launch/code_editor.h"
#include "ui/launch/field_editor.h"
#include "ui/launch/form_panel.h"
#include "ui/launch/launch_preview.h"
#include "ui/launch/resources_form.h"
#include "ui/launch/script_editor.h"
#include "ui/launch/sweep_form.h"
#include "ui/launch/swept_card.h"
#include "ui/launch/then_sample_form.h"
#include "ui/launch/yaml_editor.h"
#include "ui/link/cluster_worker.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabWidget>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

class LaunchPageTest : public testing::Test {
protected:
    void SetUp() override {
        Theme::instance().apply(ThemeMode::Dark);
        open();
    }

    void open() {
        m_page = std::make_unique<LaunchPage>(m_profiles, m_worker);
        m_page->resize(1240, 900);
        m_page->show();
        QApplication::setActiveWindow(m_page.get());
        settle();
    }
    /// Layouts have their turn with the events that follow.
    void resizeTo(int width) {
        m_page->resize(width, 600);
        waitUntil([&] { return false; }, 50);
        settle();
    }
    void settle() {
        ASSERT_TRUE(waitUntil([&] { return m_page->isSettled(); }));
    }
    SweepForm& form() { return m_page->form(); }
    LaunchPreview& preview() { return m_page->preview(); }
    QLineEdit* line(const std::string& key) { return form().editor(key)->findChild<QLineEdit*>(); }
    template <class Widget>
    Widget* named(const QString& name) {
        for (auto* widget : m_page->findChildren<Widget*>())
            if (widget->accessibleName() == name) return widget;
        return nullptr;
    }
    QCheckBox* checkBox(const QString& text) {
        for (auto* box : m_page->findChildren<QCheckBox*>())
            if (box->text() == text) return box;
        return nullptr;
    }
    bool shows(const QString& text) {
        for (const auto* label : m_page->findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(text)) return true;
        return false;
    }
    int timesShown(const QString& text) {
        int times = 0;
        for (const auto* label : m_page->findChildren<QLabel*>())
            times += label->isVisible() && label->text().contains(text);
        return times;
    }
    QStringList tabs() {
        QStringList titles;
        const auto* tabs = preview().findChild<QTabWidget*>();
        for (int i = 0; i < tabs->count(); ++i) titles << tabs->tabText(i);
        return titles;
    }
    static remote::LaunchCheck goodCheck() {
        return {{{"Room", remote::Verdict::Good, "16 checkpoints fit", ""}}, 0};
    }
    sweep::Sweep yaml() { return sweep::parseSweep(preview().yaml().toStdString(), "YAML"); }

    TemporaryFolder m_folder;
    ProfileList m_profiles{m_folder.path() / "clusters.json"};
    ClusterWorker m_worker{m_folder.path() / "dailies.db"};
    std::unique_ptr<LaunchPage> m_page;
};

// -- the sweep as YAML

TEST_F(LaunchPageTest, TheYamlIsThatOfTheFormAlsoWhereTheFormCannotBeLaunched) {
    m_page->choosePreset("shapes-lr");
    settle();
    sweep::Sweep impossible;
    impossible.name = "impossible";
    config::setByKey(impossible.config, "model.width", 65);
    m_page->startFrom(impossible);
    EXPECT_EQ(yaml().name, "impossible") << "at once, and not that of the sweep before";
    settle();
    EXPECT_FALSE(preview().valid());
    EXPECT_EQ(yaml().config, impossible.config);
    line("model.depth")->setText("many");
    EXPECT_FALSE(preview().yaml().contains("many"));
    preview().chooseTab("YAML");
    EXPECT_TRUE(shows("1 marked item of the form is left out.")) << "and it says so";
}

TEST_F(LaunchPageTest, APresetBringsItsStages) {
    m_page->choosePreset("shapes-progressive");
    settle();
    ASSERT_TRUE(preview().valid()) << preview().problemText().toStdString();
    EXPECT_THAT(preview().summaryText().toStdString(), testing::EndsWith(", in 2 stages"));
    EXPECT_EQ(form().stages().input().size(), 2U);
    const auto yaml = sweep::parseSweep(preview().yaml().toStdString(), "yaml");
    EXPECT_EQ(yaml.stages, form().sweep().stages);
}

TEST_F(LaunchPageTest, WhatIsWrittenInTheYamlGoesIntoTheForm) {
    m_page->choosePreset("shapes-lr");
    settle();
    preview().chooseTab("YAML");
    auto& code = preview().yamlEditor().code();
    code.setFocus();
    code.setPlainText(
        "# mine\nname: written\nmethod: grid\nparameters:\n  optimizer.lr: {values: [0.1, 0.2]}\n"
        "config: {steps: 77}\n");
    settle();
    EXPECT_TRUE(preview().valid()) << preview().problemText().toStdString();
    EXPECT_EQ(preview().runCount(), 2);
    EXPECT_EQ(form().sweep().name, "written");
    EXPECT_EQ(line("steps")->text(), "77");
    EXPECT_TRUE(preview().yaml().startsWith("# mine")) << "it stays as it was written";
    line("steps")->setText("78");
    EXPECT_EQ(yaml().config["steps"], 78) << "until the form says something else";
    code.undo();
    settle();
    EXPECT_EQ(line("steps")->text(), "77");
}

TEST_F(LaunchPageTest, AMistakeInTheYamlIsSaidAndNothingElseIsLaunched) {
    settle();
    preview().chooseTab("YAML");
    preview().yamlEditor().code().setPlainText("name: written\nmetod: grid\n");
    settle();
    EXPECT_FALSE(preview().valid());
    EXPECT_THAT(preview().problemText().toStdString(), testing::HasSubstr("line 2"));
    EXPECT_THAT(preview().problemText().toStdString(), testing::HasSubstr("metod"));
    EXPECT_EQ(timesShown("metod"), 1) << "once";
    preview().chooseTab("Runs");
    EXPECT_EQ(timesShown("metod"), 1) << "also where the YAML is not looked at";
}

TEST_F(LaunchPageTest, BrokenYamlIsNotLostToTheForm) {
    m_page->choosePreset("shapes-lr");
    settle();
    preview().chooseTab("YAML");
    const QString steps = line("steps")->text(), broken = "name: written\nmetod: grid\n";
    auto& code = preview().yamlEditor().code();
    code.setPlainText(broken);
    settle();
    EXPECT_TRUE(shows("Fix the YAML to edit the form."));
    EXPECT_FALSE(line("steps")->isEnabled()) << "nothing is typed that would not be sent";
    m_page->form().resources().setResources({});
    EXPECT_EQ(preview().yaml(), broken) << "whatever changes the form";

    code.setPlainText("name: written\nparameters: {model.depth: {values: [1, 2]}}\n");
    settle();
    EXPECT_FALSE(shows("Fix the YAML to edit the form."));
    EXPECT_TRUE(line("steps")->isEnabled());
    EXPECT_EQ(form().sweep().name, "written");

    m_page->choosePreset("shapes-lr");
    code.setPlainText(broken);
    settle();
    QPushButton* discard = nullptr;
    for (auto* button : m_page->findChildren<QPushButton*>())
        if (button->text() == "Discard YAML edits") discard = button;
    ASSERT_NE(discard, nullptr);
    QTest::mouseClick(discard, Qt::LeftButton);
    settle();
    EXPECT_TRUE(preview().valid()) << "the form is the sweep again";
    EXPECT_EQ(line("steps")->text(), steps);
    EXPECT_EQ(yaml().name, "shapes-lr");
    code.undo();
    EXPECT_EQ(preview().yaml(), broken) << "even that can be taken back";

    settle();
    m_page->choosePreset("shapes-lr");
    settle();
    EXPECT_TRUE(preview().valid()) << "who starts from a preset has it";
}

// -- starting from something else

TEST_F(LaunchPageTest, WhatWasReplacedComesBackWhole) {
    m_page->choosePreset("shapes-lr");
    settle();
    QStringList replaced;
    std::function<void()> undo;
    QObject::connect(m_page.get(), &LaunchPage::draftReplaced, m_page.get(),
                     [&](const QString& origin, const std::function<void()>& bringBack) {
                         replaced << origin;
                         undo = bringBack;
                     });
    m_page->choosePreset(m_page->origin().itemText(0));
    m_page->choosePreset("shapes-lr");
    EXPECT_EQ(replaced, QStringList()) << "nobody's work is lost by looking through the presets";

    form().editor("optimizer.lr")->setSwept(true);
    form().editor("optimizer.lr")->setText("0.1, 0.2, 0.3");
    auto* sampled = checkBox("sample the newest checkpoint of each run");
    ASSERT_NE(sampled, nullptr);
    sampled->setChecked(true);
    for (auto* seeds : form().findChild<ThenSampleForm*>()->findChildren<QLineEdit*>())
        if (seeds->text() == "0..3") seeds->setText("5,7");
    form().findChild<ThenSampleForm*>()->findChild<QPlainTextEdit*>()->setPlainText("a dog, running");
    ASSERT_TRUE(form().thenSample());
    line("model.depth")->setText("many");  // which is no sweep, and still theirs
    settle();
    sweep::Sweep other;
    other.name = "another";
    m_page->startFrom(other, "run 12");
    settle();
    EXPECT_EQ(replaced, QStringList{"run 12"});
    EXPECT_EQ(form().sweep().name, "another");
    EXPECT_FALSE(form().editor("optimizer.lr")->swept());
    EXPECT_FALSE(form().thenSample());
    undo();
    settle();
    EXPECT_EQ(form().sweep().name, "shapes-lr");
    EXPECT_EQ(form().sweep().parameters.size(), 1u);
    EXPECT_EQ(line("model.depth")->text(), "many");
    line("model.depth")->setText("2");
    ASSERT_TRUE(form().thenSample());
    EXPECT_EQ(form().thenSample()->job.seeds, (std::vector<std::int64_t>{5, 7}));
    EXPECT_EQ(m_page->origin().currentText(), "shapes-lr");
}

TEST_F(LaunchPageTest, StartFromIsUndoneAndRedoneByKeys) {
    m_page->choosePreset("shapes-lr");
    line("steps")->setText("78");
    m_page->choosePreset(m_page->origin().itemText(0));
    line("steps")->setText("79");
    m_page->origin().setFocus();
    QTest::keyClick(&m_page->origin(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(line("steps")->text(), "78");
    EXPECT_EQ(m_page->origin().currentText(), "shapes-lr");
    QTest::keySequence(&m_page->origin(), QKeySequence::Redo);
    EXPECT_EQ(line("steps")->text(), "79") << "nor is what was typed since then lost";
    line("steps")->setFocus();
    line("steps")->clear();
    QTest::keyClicks(line("steps"), "80");
    QTest::keyClick(line("steps"), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(m_page->origin().currentIndex(), 0) << "the field that is typed in has an undo of its own";
}

TEST_F(LaunchPageTest, AnEditedScriptAndAPersonsYamlComeBack) {
    m_page->choosePreset("shapes-lr");
    settle();
    preview().scriptEditor().startEditing();
    auto* code = preview().scriptEditor().findChild<CodeEditor*>();
    code->setPlainText(code->toPlainText() + "# mine\n");
    const QString yaml = "# my own words\n" + preview().yaml();
    preview().yamlEditor().code().setPlainText(yaml);
    settle();
    ASSERT_TRUE(preview().edit());
    const QString script = preview().script();
    ASSERT_TRUE(script.contains("# mine"));
    m_page->choosePreset(m_page->origin().itemText(0));
    settle();
    ASSERT_FALSE(preview().edit());
    ASSERT_FALSE(preview().yaml().contains("my own words"));
    m_page->origin().setFocus();
    QTest::keyClick(&m_page->origin(), Qt::Key_Z, Qt::ControlModifier);
    settle();
    const auto withoutId = [](QString text) {  // each plan has an id of its own
        return text.remove(QRegularExpression("[0-9a-f]{32}")).toStdString();
    };
    EXPECT_EQ(withoutId(preview().script()), withoutId(script));
    EXPECT_TRUE(preview().edit());
    EXPECT_EQ(preview().yaml(), yaml);
}

TEST_F(LaunchPageTest, ADraftOfTheLastSessionSurvivesAForkMadeBeforeItWasRead) {
    const auto file = m_folder.path() / "draft.yaml";
    writeFileAtomically(file, "name: of yesterday\nconfig: {steps: 77}\n");
    m_page->setDraftFile(file);
    sweep::Sweep fork;
    fork.name = "fork";
    m_page->startFrom(fork, "run 12");
    settle();
    EXPECT_EQ(form().sweep().name, "fork");
    m_page->origin().setFocus();
    QTest::keyClick(&m_page->origin(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_NE(form().sweep().name, "fork");
    QTest::keyClick(&m_page->origin(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(form().sweep().name, "of yesterday");
}

// -- the check

TEST_F(LaunchPageTest, TheChecksSentenceIsReadWholeHoweverNarrowThePreview) {
    m_page->choosePreset("shapes-lr");
    resizeTo(900);
    preview().beginCheck();
    emit m_worker.launchChecked(
        {{{"Room", remote::Verdict::Warn,
           "/scratch/somebody/with/a/very/long/path/that/no/column/has/the/room/for/at/all", ""}},
         0});
    settle();
    int found = 0;
    for (auto* label : m_page->findChildren<QLabel*>()) {
        if (!label->isVisible() || !label->text().startsWith("The cluster can run this sweep")) continue;
        ++found;
        const auto* viewport = preview().findChild<FindingList*>()->viewport();
        const QRect place(label->mapTo(viewport, QPoint(0, 0)), label->size());
        EXPECT_LE(place.right(), viewport->width());
        EXPECT_GE(label->height(), label->heightForWidth(label->width())) << "on as many lines as it takes";
    }
    EXPECT_EQ(found, 1);
}

TEST_F(LaunchPageTest, ACheckIsSaidToBeOutOfDateAsSoonAsSomethingElseWouldBeSent) {
    m_page->choosePreset("shapes-lr");
    settle();
    preview().beginCheck();
    preview().showCheck(goodCheck());
    ASSERT_TRUE(shows("The cluster can run this sweep."));
    EXPECT_THAT(tabs(), testing::Contains("Check"));

    const QString before = line("steps")->text();
    line("steps")->setText("900");
    EXPECT_FALSE(shows("The cluster can run this sweep.")) << "at once";
    EXPECT_TRUE(shows("Out of date"));
    EXPECT_THAT(tabs(), testing::Contains("Check, out of date"));
    line("steps")->setText(before);
    settle();
    EXPECT_TRUE(shows("The cluster can run this sweep.")) << "it is about this sweep again";

    line("model.depth")->setText("many");
    EXPECT_FALSE(shows("The cluster can run this sweep.")) << "green beside Not ready";
    line("model.depth")->setText("");
    settle();

    preview().beginCheck();
    line("steps")->setText("901");
    settle();
    preview().showCheck(goodCheck());
    EXPECT_FALSE(preview().checkIsCurrent()) << "the form changed while the cluster was asked";
    EXPECT_TRUE(shows("Out of date"));
}

// -- room

TEST_F(LaunchPageTest, NothingCoversAFieldInASmallWindow) {
    for (const int width : {776, 879, 880, 1096, 1256}) {
        resizeTo(width);
        for (const auto* field : form().findChildren<QWidget*>()) {
            if (!field->isVisible() || !field->accessibleName().size()) continue;
            const QRect place(field->mapTo(m_page.get(), QPoint(0, 0)), field->size());
            auto* scroll = m_page->panel().findChild<QScrollArea*>();
            const QRect view(scroll->viewport()->mapTo(m_page.get(), QPoint(0, 0)),
                             scroll->viewport()->size());
            EXPECT_GE(place.left(), view.left()) << width << " " << field->accessibleName().toStdString();
            EXPECT_LE(place.right(), view.right()) << width << " " << field->accessibleName().toStdString();
        }
        EXPECT_LE(m_page->minimumSizeHint().width(), 776) << "of a window of 960";
    }
    resizeTo(776);
    EXPECT_FALSE(preview().isVisible());
    EXPECT_TRUE(shows("4 runs, 2 at once")) << "what would be launched is said beside the button";
    auto* other = [&]() -> QPushButton* {
        for (auto* button : m_page->findChildren<QPushButton*>())
            if (button->text() == "Preview" && button->isVisible()) return button;
        return nullptr;
    }();
    ASSERT_NE(other, nullptr);
    QTest::mouseClick(other, Qt::LeftButton);
    EXPECT_TRUE(preview().isVisible());
    EXPECT_FALSE(form().isVisible());
}

// -- the form

TEST_F(LaunchPageTest, SweepingAFieldPinsItToTheTopAndTypingGoesIntoItsValues) {
    m_page->startFrom({});
    settle();
    for (const char* key : {"model.depth", "optimizer.schedule", "sampling.prompts", "data.folder"}) {
        auto* editor = form().editor(key);
        // what has an effect with the defaults is there to be swept
        if (!editor->isVisible()) continue;
        auto* button = editor->findChild<QPushButton*>();
        ASSERT_NE(button, nullptr);
        EXPECT_EQ(button->text(), "Sweep");
        m_page->panel().findChild<QScrollArea*>()->ensureWidgetVisible(button);
        QTest::mouseClick(button, Qt::LeftButton);
        auto* focused = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        ASSERT_NE(focused, nullptr) << key;
        EXPECT_TRUE(editor->isAncestorOf(focused)) << key;
        EXPECT_TRUE(form().findChild<SweptCard*>()->isAncestorOf(editor)) << key;
        auto* scroll = m_page->panel().findChild<QScrollArea*>();
        EXPECT_TRUE(waitUntil([&] {
            return scroll->viewport()->rect().contains(
                focused->mapTo(scroll->viewport(), focused->rect().center()));
        })) << key
            << " is in view";
        QTest::mouseClick(button, Qt::LeftButton);
        EXPECT_FALSE(form().findChild<SweptCard*>()->isAncestorOf(editor)) << key << " is back";
        EXPECT_TRUE(editor->isAncestorOf(QApplication::focusWidget())) << key;
    }
    auto* editor = form().editor("model.depth");
    QTest::mouseClick(editor->findChild<QPushButton*>(), Qt::LeftButton);
    QTest::keyClicks(QApplication::focusWidget(), "1, 2, 3");
    ASSERT_EQ(form().sweep().parameters.size(), 1U);
    EXPECT_EQ(form().sweep().parameters[0].values, (std::vector<Json>{1, 2, 3}));
}

/// Whether the widget's edge has the colour of the focus.
bool looksFocused(QWidget& widget) {
    const QImage image = widget.grab().toImage();
    const QColor edge = image.pixelColor(image.width() / 2, 0);
    const QColor focus = colors().accent;
    return std::abs(edge.red() - focus.red()) + std::abs(edge.green() - focus.green()) +
               std::abs(edge.blue() - focus.blue()) <
           60;
}

TEST_F(LaunchPageTest, AFieldThatTakesWhatIsTypedLooksSo) {
    m_page->startFrom({});
    settle();
    const auto isSeen = [&](QWidget* field, const char* what) {
        field->setFocus(Qt::TabFocusReason);
        QCoreApplication::processEvents();
        ASSERT_TRUE(field->hasFocus()) << what;
        EXPECT_TRUE(looksFocused(*field)) << what;
    };
    auto* width = form().editor("model.width");
    width->setSwept(true);
    isSeen(line("steps"), "a text");
    isSeen(form().editor("optimizer.schedule")->findChild<QComboBox*>(), "a choice");
    isSeen(width->findChild<QComboBox*>(), "how it varies");
    width->focusField();
    isSeen(QApplication::focusWidget(), "the values");
    width->findChild<QComboBox*>()->setCurrentText(QStringLiteral("Uniform"));
    width->focusField();
    // an empty one has the colour of a mistake
    QTest::keyClicks(QApplication::focusWidget(), "64");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QTest::keyClicks(QApplication::focusWidget(), "128");
    width->focusField();
    isSeen(QApplication::focusWidget(), "the least");
    isSeen(named<QSpinBox>("Ranks per node"), "a number");
}

TEST_F(LaunchPageTest, KeysThatHaveNoEffectAreHiddenUntilTheyHave) {
    m_page->startFrom({});
    settle();
    const auto isThere = [&](const char* key) { return !form().editor(key)->isHidden(); };
    EXPECT_FALSE(isThere("diffusion.sigma_max"));
    EXPECT_TRUE(isThere("diffusion.timestep_mean"));
    form().editor("diffusion.objective")->setText("edm");
    EXPECT_TRUE(isThere("diffusion.sigma_max"));
    EXPECT_FALSE(isThere("diffusion.timestep_mean"));
    line("diffusion.sigma_max")->setText("70");
    form().editor("diffusion.objective")->setText("rectified_flow");
    EXPECT_TRUE(isThere("diffusion.sigma_max")) << "what was set is not hidden";
    EXPECT_TRUE(shows("No effect unless Objective is edm."));
    form().editor("diffusion.objective")->setSwept(true);
    form().editor("diffusion.objective")->setText("rectified_flow, edm");
    EXPECT_TRUE(isThere("diffusion.sigma_min")) << "one of the runs has it";
}

TEST_F(LaunchPageTest, SettingsAreFoundByTypingAndChangedOnesAlone) {
    m_page->startFrom(sweep::parseSweep("config: {steps: 10, optimizer.lr: 0.5}", "s.yaml"));
    settle();
    auto& panel = m_page->panel();
    form().setFocus();
    QTest::keyClick(m_page.get(), Qt::Key_F, Qt::ControlModifier);
    ASSERT_TRUE(panel.search().hasFocus());
    QTest::keyClicks(&panel.search(), "warm");
    EXPECT_TRUE(form().editor("optimizer.warmup_steps")->isVisible());
    EXPECT_FALSE(form().editor("optimizer.lr")->isVisible());
    EXPECT_FALSE(form().editor("steps")->isVisible());
    QTest::keyClick(&panel.search(), Qt::Key_Return);
    EXPECT_EQ(QApplication::focusWidget(), line("optimizer.warmup_steps"));
    panel.focusSearch();
    QTest::keyClicks(&panel.search(), "nothing like this");
    EXPECT_TRUE(shows("No setting matches."));
    QTest::keyClick(&panel.search(), Qt::Key_Escape);
    EXPECT_TRUE(form().editor("optimizer.lr")->isVisible());
    panel.changedOnly().click();
    EXPECT_TRUE(form().editor("optimizer.lr")->isVisible());
    EXPECT_FALSE(form().editor("optimizer.warmup_steps")->isVisible());
}

TEST_F(LaunchPageTest, ChangedOnlyLeavesOfEveryCardWhatDiffersFromTheDefaults) {
    m_page->startFrom(
        sweep::parseSweep("name: mine\nresources: {nodes: 2}\nconfig: {steps: 10}\n", "s.yaml"));
    settle();
    const auto isThere = [&](const char* name) {
        const auto* field = named<QWidget>(name);
        return field && field->isVisible();
    };
    const std::vector<const char*> usual{"Method",         "Early stopping", "Start after", "Partition",
                                         "Ranks per node", "Time limit",     "Conda"};
    m_page->panel().changedOnly().click();
    for (const char* name : {"Name", "Nodes"}) EXPECT_TRUE(isThere(name)) << name;
    for (const char* name : usual) EXPECT_FALSE(isThere(name)) << name;
    EXPECT_FALSE(isThere("GPU type"));
    const auto& environment = m_page->form().sections()[2];
    EXPECT_FALSE(environment.card->isVisible()) << "nothing of it was changed";
    auto changed = form().sweep();
    changed.resources.ranksPerNode = 4;
    changed.environment.conda = "video";
    m_page->startFrom(changed);
    EXPECT_TRUE(isThere("Ranks per node"));
    EXPECT_TRUE(isThere("Conda"));
    m_page->panel().changedOnly().click();
    for (const char* name : usual) EXPECT_TRUE(isThere(name)) << name;
    EXPECT_FALSE(isThere("GPU type")) << "what does not apply is not there either";
}

TEST_F(LaunchPageTest, TabGoesThroughTheFormFromTopToBottomAlsoWhereRowsArePinned) {
    m_page->startFrom(sweep::parseSweep("parameters: {model.depth: {values: [1, 2]}}\n", "s.yaml"));
    settle();
    auto* button = form().editor("optimizer.lr")->findChild<QPushButton*>();
    button->setFocus(Qt::TabFocusReason);
    QTest::keyClick(button, Qt::Key_Space);
    QTest::keyClicks(QApplication::focusWidget(), "0.1, 0.2");
    ASSERT_TRUE(form().editor("optimizer.lr")->isAncestorOf(QApplication::focusWidget()));
    EXPECT_TRUE(looksFocused(*QApplication::focusWidget())) << "after Sweep one sees where one types";
    settle();  // the row has its place

    m_page->panel().search().setFocus();
    const auto inForm = [&] { return form().isAncestorOf(QApplication::focusWidget()); };
    int tabs = 0;
    for (; !inForm() && tabs < 20; ++tabs) QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    ASSERT_TRUE(inForm());
    EXPECT_TRUE(form().editor("model.depth")->isAncestorOf(QApplication::focusWidget()))
        << "the first row of the form is one that varies";
    // within the form, whatever is scrolled: a row's fields stand at one height, give or take
    constexpr int kRow = 24;
    int fields = 0, lowest = 0;
    for (; inForm() && fields < 1000; ++fields) {
        const int y = QApplication::focusWidget()->mapTo(&form(), QPoint(0, 0)).y();
        EXPECT_GE(y, lowest - kRow) << QApplication::focusWidget()->accessibleName().toStdString();
        lowest = std::max(lowest, y);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    EXPECT_GT(fields, 50);
    EXPECT_LT(fields, 1000) << "and out of it";
    EXPECT_TRUE(preview().isAncestorOf(QApplication::focusWidget())) << "to what would be launched";
}

TEST_F(LaunchPageTest, TheRailLeadsToASectionAndFollowsTheForm) {
    auto& rail = m_page->panel().rail();
    ASSERT_TRUE(rail.isVisible());
    const auto found = rail.findItems("Optimizer", Qt::MatchExactly);
    ASSERT_EQ(found.size(), 1);
    QTest::mouseClick(rail.viewport(), Qt::LeftButton, {}, rail.visualItemRect(found[0]).center());
    QCoreApplication::processEvents();
    auto* scroll = m_page->panel().findChild<QScrollArea*>();
    EXPECT_LT(form().editor("optimizer.name")->mapTo(scroll->viewport(), QPoint()).y(), 120);
    EXPECT_EQ(rail.currentItem(), found[0]);
    scroll->verticalScrollBar()->setValue(0);
    EXPECT_EQ(rail.currentRow(), 0);
}

TEST_F(LaunchPageTest, EnterTakesTheFirstCompletion) {
    remote::slurm::ClusterFacts facts;
    facts.partitions = {{.name = "main", .isDefault = true}, {.name = "gpu"}, {.name = "gpu-long"}};
    form().setCluster({}, facts);
    auto* partition = named<QComboBox>("Partition");
    ASSERT_NE(partition, nullptr);
    partition->lineEdit()->setFocus();
    partition->lineEdit()->selectAll();
    QTest::keyClicks(partition->lineEdit(), "gp");
    auto* popup = QApplication::activePopupWidget();
    ASSERT_NE(popup, nullptr);
    QTest::keyClick(popup, Qt::Key_Return);
    EXPECT_EQ(partition->currentText(), "gpu");
}

// -- the draft

TEST_F(LaunchPageTest, TheDraftIsThereAgainAfterARestart) {
    const auto file = m_folder.path() / "config/launch_draft.yaml";
    m_page->setDraftFile(file);
    settle();
    m_page->choosePreset("shapes-quick");
    line("steps")->setText("123");
    m_page.reset();  // at once
    ASSERT_TRUE(waitUntil([&] { return std::filesystem::exists(file); }));
    open();
    m_page->setDraftFile(file);
    settle();
    EXPECT_EQ(line("steps")->text(), "123");
    EXPECT_EQ(form().sweep().name, "shapes-quick");
    EXPECT_EQ(preview().runCount(), 4);
    EXPECT_EQ(m_page->origin().currentText(), "shapes-quick") << "and what it was begun with";

    m_page->startFrom(form().sweep(), "run lr=0.1");
    m_page.reset();
    const auto names = [&] { return readFile(file).find("run lr=0.1") != std::string::npos; };
    ASSERT_TRUE(waitUntil(names));
    open();
    m_page->setDraftFile(file);
    settle();
    EXPECT_EQ(m_page->origin().currentIndex(), -1) << "no preset";
    EXPECT_EQ(m_page->origin().placeholderText(), "run lr=0.1");
}

TEST_F(LaunchPageTest, ADraftDoesNotReplaceWhatWasChosenMeanwhileAndADamagedOneIsLeft) {
    const auto file = m_folder.path() / "draft.yaml";
    writeFileAtomically(file, "name: old\n");
    m_page->setDraftFile(file);
    m_page->choosePreset("shapes-quick");
    settle();
    EXPECT_EQ(form().sweep().name, "shapes-quick");
    writeFileAtomically(file, "{");
    open();
    m_page->setDraftFile(file);
    settle();
    EXPECT_EQ(form().sweep().name, "shapes-lr");
}

}  // namespace
}  // namespace dailies::ui
