// From every preset to a running job, the way a person goes: Launch, then fork, extend and sample again
// from the run's own clip. A script stands in for the trainer, which would need GPUs and hours.
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/process.h"
#include "core/config/family_traits.h"
#include "core/config/schema.h"
#include "core/judging/arena_records.h"
#include "core/sweep/resources.h"
#include "core/sweep/stages.h"
#include "core/tracking/sampled_run.h"
#include "core/video/clip_file.h"
#include "remote/sandbox/sandbox.h"
#include "remote/trainer_install/source_bundle.h"
#include "tests/ui/wait_until.h"
#include "ui/launch/launch_page.h"
#include "ui/launch/launch_preview.h"
#include "ui/launch/presets.h"
#include "ui/launch/sweep_form.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/toasts.h"
#include "ui/review/review_page.h"
#include "ui/sampling/sample_dialog.h"
#include "ui/wall/wall_view.h"

#include <QApplication>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace dailies::ui {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
namespace sandbox = remote::sandbox;

constexpr int kPatience = 90'000;

/// Takes the words of dailies-train: VERB --config FILE, and `best … RUN`, the last being best. One step, one
/// checkpoint, one clip.
constexpr const char* kStandIn = R"sh(#!/bin/bash
if [ "$1" = best ]; then echo "${@: -1}/checkpoints/step-000000001"; exit; fi
run=$(dirname "$3"); events=$run/events.jsonl; touch "$events"
emit() {
    printf '{"seq":%d,"attempt":1,"time":%s,%s}\n' $(($(wc -l <"$events") + 1)) "$(date +%s.%N)" "$1" >>"$events"
}
emit "\"type\":\"start\",\"trainer\":\"1\",\"host\":\"h\",\"ranks\":1,\"job\":\"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\",\"restarts\":0,\"facts\":{}"
emit '"type":"metrics","step":1,"values":{"loss":0.5}'
mkdir -p "$run/checkpoints/step-000000001" "$run/clips"
echo '{}' >"$run/checkpoints/step-000000001/manifest.json"
cp @CLIP@ "$run/clips/a.mp4"
emit '"type":"checkpoint","step":1,"path":"checkpoints/step-000000001","bytes":2'
emit '"type":"clip","step":1,"prompt":"red square left","seed":1,"path":"clips/a.mp4","frames":2,"height":32,"width":32,"fps":8'
emit '"type":"end","status":"finished","step":1,"reason":""'
)sh";

class Launching : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_folder = std::make_unique<TemporaryFolder>("dailies-launching");
        sandbox::Options options;
        options.folder = s_folder->path() / "s";
        options.cpusPerNode = 16;
        options.gpusPerNode = 1;
        s_profile = *sandbox::up(options).profile;
        s_profile.pollSeconds = 1;
        const fs::path trainer = fs::path(s_profile.workspace) / "trainer" / remote::makeSourceBundle().hash;
        const fs::path clip = s_folder->path() / "clip.mp4";
        const std::vector<std::uint8_t> grey(std::size_t{3} * 32 * 32, 128);
        video::writeClip(clip, {{32, 32, grey}, {32, 32, grey}}, {});
        std::string script = kStandIn;
        script.replace(script.find("@CLIP@"), 6, clip.string());
        fs::create_directories(trainer / "build/bin");
        writeFileAtomically(trainer / "build/bin/dailies-train", script, fs::perms::owner_all);
        writeFileAtomically(trainer / "ready", "");
    }
    static void TearDownTestSuite() {
        sandbox::down(s_folder->path() / "s");
        s_folder.reset();
    }

    void SetUp() override {
        m_window = std::make_unique<MainWindow>(
            Options{m_files.path() / "dailies.db", m_files.path() / "clusters.json", {}, Page::Launch});
        m_window->show();
        auto& worker = m_window->worker();
        QObject::connect(&worker, &ClusterWorker::launched, m_window.get(),
                         [this](const QString&, const auto& ids) { m_launched = ids; });
        QObject::connect(&worker, &ClusterWorker::launchFailed, m_window.get(),
                         [this](const Error& error) { m_failure = error.full(); });
        QObject::connect(&worker, &ClusterWorker::failed, m_window.get(),
                         [this](const Error& error) { m_failure = error.full(); });
        worker.connectTo(s_profile);
        ASSERT_TRUE(waitUntil([&] { return worker.state() == ConnectionState::Connected; }, kPatience));
    }

    /// Presses Launch, and waits for the runs' first words. The runs' ids.
    std::vector<std::string> launch() {
        auto& page = m_window->launchPage();
        m_window->showPage(Page::Launch);
        EXPECT_TRUE(waitUntil([&] { return page.isSettled(); }, kPatience));
        EXPECT_TRUE(page.preview().valid()) << page.preview().problemText().toStdString();
        if (!page.preview().valid()) return {};
        for (auto* button : page.findChildren<QPushButton*>())
            if (button->isVisible() && button->text() == "Launch 1 run")
                return sent([&] { QTest::mouseClick(button, Qt::LeftButton); });
        ADD_FAILURE() << "there is no button to launch one run";
        return {};
    }

    /// What `ask` sends to the cluster, once it runs.
    std::vector<std::string> sent(const std::function<void()>& ask) {
        m_launched.clear();
        m_failure.clear();
        ask();
        EXPECT_TRUE(waitUntil([&] { return !m_launched.empty() || !m_failure.empty(); }, kPatience));
        EXPECT_EQ(m_failure, "");
        for (const auto& id : m_launched) EXPECT_TRUE(finishes(id));
        return m_launched;
    }

    tracking::Run run(const std::string& id) {
        return tracking::Store(m_files.path() / "dailies.db", tracking::Store::Mode::ReadOnly)
            .run(id)
            .value();
    }
    bool finishes(const std::string& id) {
        return waitUntil([&] { return run(id).status == tracking::RunStatus::Finished; }, kPatience);
    }

    /// The menu of the run's first clip on the wall.
    QMenu* clipMenu(const std::string& id) {
        auto& review = m_window->reviewPage();
        review.setRuns({id});
        m_window->showPage(Page::Review);
        auto* wall = review.findChild<WallView*>();
        QMenu* menu = nullptr;
        waitUntil(
            [&] {
                if (!review.isSettled()) return false;
                QTest::keyClick(wall, Qt::Key_A);
                menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                return menu != nullptr;
            },
            kPatience);
        return menu;
    }
    void choose(const std::string& id, const char* beginning) {
        auto* menu = clipMenu(id);
        ASSERT_NE(menu, nullptr);
        for (auto* action : menu->actions())
            if (action->text().startsWith(QLatin1String(beginning))) {
                menu->close();
                return action->trigger();
            }
        FAIL() << "the clip's menu has no " << beginning;
    }

    static inline std::unique_ptr<TemporaryFolder> s_folder;
    static inline remote::ClusterProfile s_profile;
    TemporaryFolder m_files;
    std::unique_ptr<MainWindow> m_window;
    std::vector<std::string> m_launched;
    std::string m_failure;
};

/// One run of it, of a model that these nodes hold, and nothing else changed.
sweep::Sweep oneRunOf(const sweep::Sweep& preset) {
    sweep::Sweep sweep = sweep::stagesOf(preset).front();
    if (sweep.resources.nodes > 1) {
        sweep.resources = sweep::ofOneProcess(sweep.resources);
        config::setByKey(sweep.config, "data.batch_size", 8);
    }
    const auto first = sweep::expand(sweep).front();
    for (auto& parameter : sweep.parameters) {
        parameter.kind = sweep::Parameter::Kind::Fixed;
        parameter.values = {first.drawn.at(parameter.key)};
    }
    if (config::flatten(first.config).at("model.depth") > 12) {
        config::setByKey(sweep.config, "model.depth", 1);
        config::setByKey(sweep.config, "lora.blocks_to_swap", 0);
    }
    // nor has the sandbox room for the published text encoder
    if (config::flatten(first.config).at("text.device") == "cpu")
        config::setByKey(sweep.config, "text.device", "gpu");
    sweep.method = "grid";
    sweep.runCap.reset();
    sweep.earlyStop.reset();
    return sweep;
}

Json configOnCluster(const remote::ClusterProfile& profile, const std::string& id) {
    const auto file = fs::path(profile.workspace) / "runs" / id / "config.json";
    return parseJson(readFile(file), file.string());
}

void nameAnImage(SampleDialog& dialog, const QString& name) {
    static const TemporaryFolder folder;
    const auto image = folder.path() / "image.png";
    writeFileAtomically(image, "pixels");
    const auto fields = dialog.findChildren<QLineEdit*>();
    const auto field = std::ranges::find(fields, name, &QLineEdit::accessibleName);
    ASSERT_NE(field, fields.end());
    (*field)->setText(QString::fromStdString(image.string()));
    ASSERT_TRUE(waitUntil([&] { return dialog.isSettled(); }, kPatience));
}

TEST_F(Launching, WhatPeoplePreferredInTheArenaIsReadyToBeLearnt) {
    const auto two = sweep::parseSweep(
        "name: compared\nmethod: grid\nparameters: {seed: {values: [1, 2]}}\nconfig: {steps: 1}\n", "two");
    auto& page = m_window->launchPage();
    m_window->showPage(Page::Launch);
    page.startFrom(two);
    ASSERT_TRUE(waitUntil([&] { return page.isSettled(); }, kPatience));
    std::vector<std::string> runs;
    for (auto* button : page.findChildren<QPushButton*>())
        if (button->isVisible() && button->text() == "Launch 2 runs")
            runs = sent([&] { QTest::mouseClick(button, Qt::LeftButton); });
    ASSERT_EQ(runs.size(), 2U);
    {
        tracking::Store store(m_files.path() / "dailies.db");
        ASSERT_TRUE(waitUntil([&] { return store.clipsToFetch(s_profile.name).empty(); }, kPatience));
        const judging::ArenaRecord arena{
            newId(),
            "compared",
            judging::rosterAt({*store.run(runs[0]), *store.run(runs[1])}, store.clips(runs), 1),
            7,
            "ana",
            1'000};
        judging::addArena(store, arena);
        judging::addChoice(store, arena.id, {{0, 0, 1}, judging::Outcome::Right, "ana", 2'000});
    }
    emit m_window->reviewPage().trainOnPreferencesRequested(runs[1], 1, runs);
    ASSERT_TRUE(waitUntil(
        [&] {
            return m_window->page() == Page::Launch && page.isSettled() &&
                   page.form().sweep().name.starts_with("preferences");
        },
        kPatience));
    const auto config = config::flatten(page.form().sweep().config);
    EXPECT_EQ(config.at("data.source"), "preferences");
    EXPECT_EQ(config.at("model.init"),
              s_profile.workspace + "/runs/" + runs[1] + "/checkpoints/step-000000001");
    const auto pair = parseJson(readFile(config.at("data.folder").get<std::string>()), "the pair");
    EXPECT_THAT(pair.at("better").get<std::string>(), HasSubstr(runs[1]));
    EXPECT_THAT(pair.at("worse").get<std::string>(), HasSubstr(runs[0]));
    const auto launched = launch();
    ASSERT_EQ(launched.size(), 1U);
    EXPECT_EQ(config::flatten(configOnCluster(s_profile, launched[0])).at("lora.rank"), 16);
}

TEST_F(Launching, EveryPresetIsLaunchedForkedTrainedLongerAndSampledAgain) {
    for (const auto& preset : presets()) {
        SCOPED_TRACE(preset.title.toStdString());
        m_window->launchPage().startFrom(oneRunOf(preset.sweep));
        const auto launched = launch();
        ASSERT_EQ(launched.size(), 1U);
        const auto& first = launched[0];

        choose(first, "Fork");
        ASSERT_TRUE(waitUntil([&] { return m_window->page() == Page::Launch; }, kPatience));
        const auto forked = launch();
        ASSERT_EQ(forked.size(), 1U);
        EXPECT_EQ(configOnCluster(s_profile, forked[0]), configOnCluster(s_profile, first));

        choose(first, "Sample again");
        auto* dialog = m_window->findChild<SampleDialog*>();
        ASSERT_NE(dialog, nullptr);
        ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }, kPatience));
        const auto flat = config::flatten(configOnCluster(s_profile, first));
        // models of characters begin with the reference pictures that their runs named
        const auto conditioning = flat.at("model.conditioning").get<std::string>();
        if (config::readsLastImages(conditioning)) {
            EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("ends with an image"));
            nameAnImage(*dialog, QStringLiteral("End with"));
        }
        if (config::readsImages(conditioning) &&
            !config::animates(flat.at("model.family").get<std::string>())) {
            EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("begins with an image"));
            nameAnImage(*dialog, QStringLiteral("Start from"));
        }
        ASSERT_EQ(dialog->problem(), "") << dialog->problem().toStdString();
        const auto sampled = sent([&] {
            for (auto* button : dialog->findChildren<QPushButton*>())
                if (button->text().startsWith("Sample")) QTest::mouseClick(button, Qt::LeftButton);
        });
        ASSERT_EQ(sampled.size(), 1U);
        EXPECT_EQ(run(sampled[0]).tags.at(tracking::tag::kSampledRun), first);
        EXPECT_TRUE(waitUntil([&] { return !m_window->findChild<SampleDialog*>(); }, kPatience));

        const std::int64_t steps = configOnCluster(s_profile, first).at("steps");
        choose(first, "Extend");
        auto* asked = m_window->findChild<QInputDialog*>();
        ASSERT_NE(asked, nullptr);
        asked->accept();
        EXPECT_TRUE(waitUntil(
            [&] { return configOnCluster(s_profile, first).at("steps") == 2 * steps || !m_failure.empty(); },
            kPatience));
        EXPECT_EQ(m_failure, "");
        EXPECT_TRUE(
            waitUntil([&] { return run(first).tags.contains(tracking::tag::kExtendedTo); }, kPatience));
        EXPECT_TRUE(finishes(first));
    }
}

TEST_F(Launching, ASweepFileOfOnesOwnProgramIsOpenedAndLaunchedWithItsCode) {
    const fs::path code = m_files.path() / "my code";
    fs::create_directories(code);
    writeFileAtomically(code / "train.py",
                        "import os, sys\n"
                        "open(os.environ['DAILIES_RUN_DIR'] + '/seen', 'w').write(sys.argv[1])\n");
    writeFileAtomically(code / "sweep.yaml",
                        "program: train.py\ncommand: [python3, \"${program}\", \"${args}\"]\n"
                        "parameters: {lr: {value: 1e-4}}\n");
    m_window->launchPage().open(code / "sweep.yaml");
    ASSERT_TRUE(waitUntil([&] { return m_window->launchPage().form().hasOwnProgram(); }, kPatience));
    const auto launched = launch();
    ASSERT_EQ(launched.size(), 1U);
    EXPECT_EQ(readFile(fs::path(s_profile.workspace) / "runs" / launched[0] / "seen"), "--lr=1e-4");
    EXPECT_EQ(run(launched[0]).tags.at("dailies.program"), "train.py");
}

}  // namespace
}  // namespace dailies::ui
