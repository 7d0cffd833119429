#include "ui/run_page/run_page.h"

#include "core/base/files.h"
#include "core/tracking/artifact_root.h"
#include "core/tracking/batch_run.h"
#include "core/tracking/imported_run.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/charts/chart_grid.h"
#include "ui/link/cluster_worker.h"
#include "ui/run_details/log_panel.h"
#include "ui/run_details/log_view.h"
#include "ui/run_page/clips_tab.h"
#include "ui/run_page/config_tab.h"
#include "ui/run_page/notes_tab.h"
#include "ui/run_page/tags_tab.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/palette_hints.h"

#include <QAction>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

class RunPageTest : public testing::Test {
protected:
    void SetUp() override {
        m_demo = test::makeDemoStore(m_folder.path(), {.samples = 3, .mixedStates = true});
        m_worker = std::make_unique<ClusterWorker>(m_demo.file);
        m_page = std::make_unique<RunPage>(m_demo.file, *m_worker);
        m_page->resize(1280, 720);
        m_page->show();
    }

    void open(const std::string& runId) {
        m_page->setRun(runId);
        ASSERT_TRUE(waitUntil([&] { return m_page->isSettled(); }, 20'000));
    }

    bool shows(const QString& text) const {
        const auto labels = m_page->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->isVisible() && label->text().contains(text);
        });
    }

    tracking::Run stored(const std::string& id) const {
        return *tracking::Store(m_demo.file, tracking::Store::Mode::ReadOnly).run(id);
    }

    TemporaryFolder m_folder;
    test::DemoStore m_demo;
    std::unique_ptr<ClusterWorker> m_worker;
    std::unique_ptr<RunPage> m_page;
};

TEST_F(RunPageTest, TellsHowAFailedRunEnded) {
    open(m_demo.runIds.back());
    EXPECT_TRUE(shows("Failed"));
    EXPECT_TRUE(shows("Lower optimizer.lr"));
    m_page->showTab(RunPage::Tab::Attempts);
    EXPECT_TRUE(shows("Attempt 1"));
}

TEST_F(RunPageTest, TheMessagesOfARunThatIsWellAreFoldedToTheNewest) {
    const auto& id = m_demo.runIds[1];
    const auto tell = [&](std::int64_t seq, const char* level, const char* text) {
        tracking::Store(m_demo.file)
            .ingest(id, {events::Event{seq, 1, 4e9, events::Message{level, text}}}, seq);
        emit m_worker->runsChanged({id});
        open(id);
    };
    tell(1'000'000, "info", "Reading 80 clips");
    tell(1'000'001, "info", "Sampling begins");
    EXPECT_TRUE(waitUntil([&] { return shows("Sampling begins"); }));
    EXPECT_FALSE(shows("Reading 80 clips"));
    QToolButton* fold = nullptr;
    for (auto* button : m_page->findChildren<QToolButton*>())
        if (button->text().startsWith("Messages")) fold = button;
    ASSERT_NE(fold, nullptr);
    fold->click();
    EXPECT_TRUE(shows("Reading 80 clips"));
    fold->click();
    tell(1'000'002, "warning", "Two clips could not be read");
    EXPECT_FALSE(shows("Reading 80 clips")) << "a person folded them";
    open(m_demo.runIds[0]);
    open(id);
    EXPECT_TRUE(shows("Reading 80 clips")) << "what warns is not folded away";
}

TEST_F(RunPageTest, TheLogTellsWhereTrainingIs) {
    open(m_demo.runIds[1]);
    m_page->showTab(RunPage::Tab::Log);
    EXPECT_TRUE(shows("Step ")) << "programs write little while all goes well";
}

TEST_F(RunPageTest, ItsMenuForksExtendsAndSamples) {
    open(m_demo.runIds[1]);
    std::string forked, sampled;
    QObject::connect(m_page.get(), &RunPage::forkRequested, m_page.get(),
                     [&](const std::string& id) { forked = id; });
    QObject::connect(m_page.get(), &RunPage::sampleRequested, m_page.get(),
                     [&](const std::string& id) { sampled = id; });
    QStringList texts;
    for (auto* action : m_page->findChildren<QAction*>()) {
        texts << action->text();
        if (action->text().startsWith("Fork") || action->text().startsWith("Sample")) action->trigger();
    }
    EXPECT_EQ(forked, m_demo.runIds[1]);
    EXPECT_EQ(sampled, m_demo.runIds[1]);
    EXPECT_TRUE(texts.contains("Extend…"));
}

TEST_F(RunPageTest, AsksForTheStepWhoseBatchItShows) {
    const auto named = [this](const char* text) -> QAction* {
        for (auto* action : m_page->findChildren<QAction*>())
            if (action->text() == text) return action;
        return nullptr;
    };
    open(m_demo.runIds[1]);
    std::pair<std::string, qint64> asked;
    QObject::connect(m_page.get(), &RunPage::batchRequested, m_page.get(),
                     [&](const std::string& id, qint64 step) {
                         asked = {id, step};
                     });
    ASSERT_NE(named("Show a batch…"), nullptr);
    named("Show a batch…")->trigger();
    auto* dialog = m_page->findChild<QInputDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(dialog->intMinimum(), 1);
    dialog->setIntValue(7);
    dialog->accept();
    EXPECT_EQ(asked, (std::pair<std::string, qint64>(m_demo.runIds[1], 7)));

    tracking::Run batch;
    batch.id = std::string(32, 'b');
    batch.name = "batch 7";
    batch.experiment = "elsewhere";
    batch.status = tracking::RunStatus::Finished;
    batch.tags = {{tracking::tag::kBatchOf, m_demo.runIds[1]}, {"dailies.cluster", "sandbox"}};
    tracking::Store(m_demo.file).importRun(batch, {});
    open(batch.id);
    for (const char* text : {"Show a batch…", "Sample clips…", "Fork with changed params…", "Extend…"})
        EXPECT_FALSE(named(text)->isEnabled()) << text << " means nothing of training data";
}

TEST_F(RunPageTest, MarksARunWhoseClusterIsNotConnectedAsOldNews) {
    open(m_demo.runIds[2]);
    EXPECT_TRUE(shows("not connected to sandbox"));
}

TEST_F(RunPageTest, DigitsChooseTabsAndEscapeGoesBack) {
    open(m_demo.runIds[1]);
    m_page->setFocus();
    QTest::keyClick(m_page.get(), Qt::Key_2);
    EXPECT_TRUE(m_page->config().isVisible());
    QTest::keyClick(m_page.get(), Qt::Key_8);
    EXPECT_TRUE(m_page->notes().isVisible());
    bool back = false;
    QObject::connect(m_page.get(), &RunPage::backRequested, m_page.get(), [&] { back = true; });
    m_page->setFocus();
    QTest::keyClick(m_page.get(), Qt::Key_Escape);
    EXPECT_TRUE(back);
}

TEST_F(RunPageTest, RenamingKeepsTheNameInTheStore) {
    open(m_demo.runIds[1]);
    QTest::keyClick(m_page.get(), Qt::Key_F2);
    auto* name = m_page->findChild<QLineEdit*>("title");
    ASSERT_TRUE(name);
    name->setText("the good one");
    QTest::keyClick(name, Qt::Key_Return);
    EXPECT_TRUE(waitUntil([&] { return stored(m_demo.runIds[1]).name == "the good one"; }));
    EXPECT_EQ(stored(m_demo.runIds[1]).tags.at("mlflow.runName"), "the good one");
}

TEST_F(RunPageTest, AStepChosenInACurveShowsTheNearestClip) {
    open(m_demo.runIds[1]);
    emit m_page->charts().stepChosen(m_demo.runIds[1], 390);
    EXPECT_TRUE(m_page->clips().isVisible());
    const auto& wall = m_page->clips().wall();
    EXPECT_EQ(wall.scene().columns.at(static_cast<std::size_t>(wall.selectedColumn())).name, "Step 400");
    EXPECT_FALSE(m_page->grab().isNull());
}

TEST_F(RunPageTest, LongValuesOfTheConfigurationAreShownInFullWhereThereIsRoom) {
    const std::string path(60, 'p');
    tracking::Run run = stored(m_demo.runIds[1]);
    run.params["data.path"] = path;
    auto& config = m_page->config();
    config.setRun(run);
    open(m_demo.runIds[1]);
    m_page->showTab(RunPage::Tab::Config);
    config.setRun(run);
    const QFontMetrics mono(Theme::font(TextStyle::Mono));
    EXPECT_GT(config.tree().columnWidth(1), mono.horizontalAdvance(QString::fromStdString(path)));
    m_page->resize(900, 720);
    EXPECT_LE(config.tree().columnWidth(1), 300) << "the other columns keep their place";
    m_page->resize(1280, 720);
    EXPECT_GT(config.tree().columnWidth(1), mono.horizontalAdvance(QString::fromStdString(path)));
}

TEST_F(RunPageTest, TheNamesOfMetricsAreShownInFull) {
    tracking::Store store(m_demo.file);
    const std::string name = "val/frechet_video_distance";
    store.ingest(m_demo.runIds[1], {events::Event{1'000'000, 1, 1000, events::Metrics{400, {{name, 0.5}}}}},
                 1);
    open(m_demo.runIds[1]);
    EXPECT_TRUE(shows(QString::fromStdString(name)));
    EXPECT_TRUE(shows(QString::fromStdString(m_demo.runIds[1]))) << "and the whole id";
}

TEST_F(RunPageTest, ABadgeTellsWhetherTheLayoutWasProven) {
    const auto& id = m_demo.runIds[1];
    open(id);
    const auto* badge = m_page->findChild<QFrame*>("certificate");
    ASSERT_TRUE(badge);
    EXPECT_FALSE(badge->isVisible()) << "a run of one process has no layout to prove";

    events::Certificate certificate;
    certificate.proven = true;
    certificate.lossError = 2e-8;
    certificate.gradientError = 3e-7;
    certificate.weight = "blocks.1.qkv.weight";
    certificate.ranks = 4;
    certificate.layout = "dp 2 × cp 2 (Ulysses 2), zero3 over 4 ranks";
    certificate.recompute = "none";
    certificate.blocks = 2;
    certificate.seconds = 1.75;
    const auto ingest = [&](std::int64_t seq) {
        tracking::Store(m_demo.file).ingest(id, {events::Event{seq, 1, 1000, certificate}}, seq);
        open(id);
    };
    const auto tone = [&] { return badge->findChildren<QLabel*>().back()->foregroundRole(); };
    ingest(1'000'000);
    EXPECT_TRUE(badge->isVisible());
    EXPECT_TRUE(
        shows("Layout verified: loss 2e-8, gradients 3e-7 of one process, 4 ranks, dp 2 × cp 2 (Ulysses 2), "
              "zero3 over 4 ranks, 1.8 s"));
    EXPECT_TRUE(badge->toolTip().contains("2 blocks of the model")) << badge->toolTip().toStdString();
    const auto proven = tone();
    certificate.proven = false;
    certificate.gradientError = 0.5;
    ingest(1'000'001);
    EXPECT_TRUE(shows("Layout verification failed: loss 2e-8, gradients 0.5 (blocks.1.qkv.weight)"));
    auto* label = makeLabel({}, TextStyle::Strong, TextTone::Danger);
    EXPECT_EQ(tone(), label->foregroundRole());
    EXPECT_NE(tone(), proven);
    delete label;
}

TEST_F(RunPageTest, ConfigurationIsSearched) {
    open(m_demo.runIds[1]);
    m_page->showTab(RunPage::Tab::Config);
    const auto* model = m_page->config().tree().model();
    EXPECT_EQ(model->rowCount(), 4) << "steps, seed, model and optimizer";
    m_page->config().findChild<QLineEdit*>()->setText("learning");
    EXPECT_EQ(model->rowCount(), 0);
    m_page->config().findChild<QLineEdit*>()->setText("LR");
    ASSERT_EQ(model->rowCount(), 1);
    EXPECT_EQ(model->index(0, 0, model->index(0, 0)).data().toString(), "lr");
}

TEST_F(RunPageTest, ALogThatWasFetchedBeforeIsReadWithoutAConnection) {
    const auto log = tracking::artifactRoot(m_demo.file) / m_demo.runIds[1] / "logs" / "42_1.out";
    writeFileAtomically(log, "hello from the trainer\n\x1b[31mboom\x1b[0m\n");
    open(m_demo.runIds[1]);
    m_page->showTab(RunPage::Tab::Log);
    ASSERT_TRUE(waitUntil([&] { return m_page->log().view().rows() == 2 && m_page->isSettled(); }));
    EXPECT_EQ(m_page->log().view().shownRows().front(), "hello from the trainer");
    EXPECT_EQ(m_page->log().view().shownRows().back(), "boom");
    EXPECT_TRUE(waitUntil([&] { return shows("on cluster 'sandbox', which is not connected"); }));
}

TEST_F(RunPageTest, NotesAreKeptWithTheRun) {
    open(m_demo.runIds[1]);
    m_page->showTab(RunPage::Tab::Notes);
    m_page->notes().editor().setPlainText("# Seen\n\nIt **works**.");
    EXPECT_TRUE(m_page->notes().preview().toPlainText().contains("It works."));
    m_page->notes().saveNow();
    ASSERT_TRUE(waitUntil([&] { return m_page->notes().isSettled(); }));
    EXPECT_EQ(stored(m_demo.runIds[1]).tags.at(NotesTab::kTag), "# Seen\n\nIt **works**.");
}

TEST_F(RunPageTest, ABoldWordOfAHeadingIsAsLargeAsTheHeading) {
    open(m_demo.runIds[1]);
    m_page->showTab(RunPage::Tab::Notes);
    m_page->notes().editor().setPlainText("# It **works** now\n\nIt **does**.");
    const auto heading = m_page->notes().preview().document()->firstBlock();
    for (auto part = heading.begin(); !part.atEnd(); ++part)
        EXPECT_EQ(part.fragment().charFormat().intProperty(QTextFormat::FontSizeAdjustment), 3)
            << part.fragment().text().toStdString();
    const auto body = heading.next();
    for (auto part = body.begin(); !part.atEnd(); ++part)
        EXPECT_EQ(part.fragment().charFormat().intProperty(QTextFormat::FontSizeAdjustment), 0);
}

TEST_F(RunPageTest, TabsStayWhereTheyAreWhenANoteIsAdded) {
    open(m_demo.runIds[1]);
    const auto* tabs = m_page->findChild<QTabWidget*>()->tabBar();
    const auto places = [&] {
        std::vector<QRect> rects;
        for (int i = 0; i < tabs->count(); ++i) rects.push_back(tabs->tabRect(i));
        return rects;
    };
    const auto before = places();
    m_page->showTab(RunPage::Tab::Notes);
    m_page->notes().editor().setPlainText("seen");
    m_page->notes().saveNow();
    ASSERT_TRUE(waitUntil([&] { return m_page->notes().isSettled(); }));
    open(m_demo.runIds[1]);
    EXPECT_EQ(places(), before);
}

TEST_F(RunPageTest, NotesThatWereLeftUnsavedAreSavedWhenAnotherRunIsOpened) {
    open(m_demo.runIds[1]);
    m_page->showTab(RunPage::Tab::Notes);
    m_page->notes().editor().setPlainText("do not lose me");
    open(m_demo.runIds[3]);
    EXPECT_TRUE(waitUntil([&] {
        const auto run = stored(m_demo.runIds[1]);
        const auto tag = run.tags.find(NotesTab::kTag);
        return tag != run.tags.end() && tag->second == "do not lose me";
    }));
    EXPECT_FALSE(stored(m_demo.runIds[3]).tags.contains(NotesTab::kTag));
}

TEST_F(RunPageTest, NotesThatSomebodyElseChangedAreNotOverwritten) {
    open(m_demo.runIds[1]);
    m_page->showTab(RunPage::Tab::Notes);
    m_page->notes().editor().setPlainText("mine");
    tracking::Store(m_demo.file).setTag(m_demo.runIds[1], NotesTab::kTag, "theirs");
    m_page->notes().saveNow();
    ASSERT_TRUE(waitUntil([&] { return m_page->notes().hasConflict(); }));
    EXPECT_TRUE(shows("changed elsewhere"));
    EXPECT_EQ(stored(m_demo.runIds[1]).tags.at(NotesTab::kTag), "theirs");
    EXPECT_EQ(m_page->notes().editor().toPlainText(), "mine");
    m_page->notes().keepMine();
    EXPECT_TRUE(waitUntil([&] { return stored(m_demo.runIds[1]).tags.at(NotesTab::kTag) == "mine"; }));
}

TEST_F(RunPageTest, NotesFetchNothingFromTheNetwork) {
    open(m_demo.runIds[1]);
    auto& preview = m_page->notes().preview();
    m_page->notes().editor().setPlainText("![x](https://example.org/x.png) ![y](file:///etc/passwd)");
    EXPECT_FALSE(
        preview.loadResource(QTextDocument::ImageResource, QUrl("https://example.org/x.png")).isValid());
    EXPECT_FALSE(preview.loadResource(QTextDocument::ImageResource, QUrl("file:///etc/passwd")).isValid());
}

TEST_F(RunPageTest, TagsAreAddedAndRemovedAndTheProgramsOwnAreHidden) {
    open(m_demo.runIds[1]);
    m_page->showTab(RunPage::Tab::Tags);
    EXPECT_EQ(m_page->tags().table().rowCount(), 0);
    m_page->tags().put("paper", "figure 3");
    EXPECT_TRUE(waitUntil([&] { return m_page->tags().table().rowCount() == 1; }));
    m_page->tags().remove("paper");
    EXPECT_TRUE(waitUntil([&] { return m_page->tags().table().rowCount() == 0; }));
    EXPECT_FALSE(stored(m_demo.runIds[1]).tags.contains("paper"));
}

TEST_F(RunPageTest, ARunThatIsGoneSaysSo) {
    open(std::string(32, 'f'));
    EXPECT_TRUE(shows("not in the store"));
}

TEST_F(RunPageTest, AnArchivedRunCanBeRestoredWhereItIs) {
    tracking::Store(m_demo.file).deleteRuns({m_demo.runIds[1]});
    open(m_demo.runIds[1]);
    EXPECT_TRUE(shows("archived"));
}

TEST_F(RunPageTest, OfAnImportedRunItsMenuSaysWhyItCannotBeForkedExtendedOrSampled) {
    tracking::Run imported;
    imported.id = std::string(32, 'e');
    imported.name = "from a CSV file";
    imported.experiment = "elsewhere";
    imported.status = tracking::RunStatus::Finished;
    imported.startMs = 1000;
    imported.params = {{"lr", "0.1"}, {"steps", "100"}};
    imported.tags[tracking::tag::kImportedFrom] = "/home/me/runs.csv";
    tracking::Store(m_demo.file).importRun(imported, {});
    open(imported.id);
    int gated = 0;
    for (auto* action : m_page->findChildren<QAction*>())
        for (const char* text : {"Fork with changed params…", "Extend…", "Sample clips…"})
            if (action->text() == text) {
                ++gated;
                EXPECT_FALSE(action->isEnabled()) << text;
                EXPECT_FALSE(disabledReason(*action).isEmpty()) << text;
                EXPECT_EQ(action->toolTip(), disabledReason(*action));
            }
    EXPECT_EQ(gated, 3);
}

}  // namespace
}  // namespace dailies::ui
