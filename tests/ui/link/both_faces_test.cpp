// The window and the command line refuse the same mistakes in the same words, and send nothing then.
#include "core/base/files.h"
#include "core/sweep/sampling_file.h"
#include "core/tracking/store.h"
#include "remote/follow/follow.h"
#include "remote/launch/source_runs.h"
#include "remote/sandbox/sandbox.h"
#include "remote/trainer_install/source_bundle.h"
#include "tests/support/dailies_program.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/link/cluster_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace dailies::ui {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;
namespace sandbox = remote::sandbox;
namespace tag = tracking::tag;

constexpr int kPatience = 90'000;

constexpr const char* kSweep = R"(name: lr
method: grid
parameters:
  optimizer.lr: {values: [0.001, 0.002]}
resources: {memory: 400M, time_limit: "0:10:00"}
)";

std::string withLine(std::string text, const std::string& line) {
    return text + line + "\n";
}

class BothFaces : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_folder = std::make_unique<TemporaryFolder>("dailies-both-faces");
        sandbox::Options options;
        options.folder = s_folder->path() / "s";
        options.cpusPerNode = 4;
        s_profile = *sandbox::up(options).profile;
        s_profile.name = "there";
        // a trainer that is never started: what is refused is refused before that
        const fs::path trainer = fs::path(s_profile.workspace) / "trainer" / remote::makeSourceBundle().hash;
        fs::create_directories(trainer / "build/bin");
        writeFileAtomically(trainer / "build/bin/dailies-train", "#!/bin/sh\nexit 1\n", fs::perms::owner_all);
        writeFileAtomically(trainer / "ready", "");
    }
    static void TearDownTestSuite() {
        sandbox::down(s_folder->path() / "s");
        s_folder.reset();
    }

    BothFaces() {
        const auto demo =
            test::makeDemoStore(m_home.path() / "data" / "dailies",
                                {.runs = 2, .prompts = 1, .samples = 1, .frames = 2, .scale = 1});
        fs::rename(demo.file, m_dailies.store());
        m_runIds = demo.runIds;
        tracking::Store store(m_dailies.store());
        for (const auto& id : m_runIds) {
            store.setTag(id, tag::kCluster, "there");
            store.setTag(id, tag::kFolder, s_profile.workspace + "/runs/" + id);
        }
        m_sweeps = store.sweeps().size();
        remote::ClusterProfiles(m_home.path() / "config/dailies/clusters.json").put(s_profile);
        writeFileAtomically(m_home.path() / "good.pt", "PK weights");
        m_worker = std::make_unique<ClusterWorker>(m_dailies.store());
        QObject::connect(m_worker.get(), &ClusterWorker::launchFailed, m_worker.get(),
                         [this](const Error& error) { m_failure = error; });
        QObject::connect(m_worker.get(), &ClusterWorker::launched, m_worker.get(),
                         [this](const QString& text) { m_launched = text.toStdString(); });
        QObject::connect(m_worker.get(), &ClusterWorker::failed, m_worker.get(),
                         [this](const Error& error) { m_failure = error; });
        const auto unavailable = [this](const std::string&, const QString& why) {
            m_failure = Error(why.toStdString());
        };
        QObject::connect(m_worker.get(), &ClusterWorker::logUnavailable, m_worker.get(), unavailable);
        QObject::connect(m_worker.get(), &ClusterWorker::clipFetchFinished, m_worker.get(), unavailable);
        m_worker->connectTo(s_profile);
        EXPECT_TRUE(waitUntil([&] { return m_worker->state() == ConnectionState::Connected; }, kPatience));
    }

    std::string write(const std::string& name, const std::string& text) const {
        writeFileAtomically(m_home.path() / name, text);
        return (m_home.path() / name).string();
    }

    /// Both are asked; both refuse, in the same words; neither leaves anything behind. What was said.
    std::string refused(const std::function<void(ClusterWorker&)>& window,
                        const std::vector<std::string>& words) {
        m_failure.reset();
        m_launched.clear();
        window(*m_worker);
        EXPECT_TRUE(waitUntil([&] { return m_failure || !m_launched.empty(); }, kPatience));
        EXPECT_EQ(m_launched, "") << "the window sent it";
        if (!m_failure) return {};
        auto answer = m_dailies.run(words);
        constexpr std::string_view kBeforeRemedy = "\n         ";
        if (const auto at = answer.err.find(kBeforeRemedy); at != std::string::npos)
            answer.err.replace(at, kBeforeRemedy.size(), " ");
        EXPECT_NE(answer.status, 0);
        EXPECT_THAT(answer.err, HasSubstr(m_failure->full())) << "the command line says it otherwise";
        const tracking::Store store(m_dailies.store(), tracking::Store::Mode::ReadOnly);
        EXPECT_EQ(store.sweeps().size(), m_sweeps) << "something was recorded";
        EXPECT_FALSE(m_worker->busy());
        return m_failure->full();
    }

    std::string refusedLaunch(const std::string& yaml, const std::string& sampling = {},
                              const std::string& script = {}) {
        const auto file = write("sweep.yaml", yaml);
        std::vector<std::string> words{"launch", file, "--cluster", "there"};
        remote::LaunchRequest request;
        request.sweep = sweep::parseSweep(yaml, file);
        if (!sampling.empty()) {
            const auto samplingFile = write("sampling.yaml", sampling);
            request.thenSample = sweep::parseSamplingFile(sampling, samplingFile);
            words.insert(words.end(), {"--then-sample", samplingFile});
        }
        if (!script.empty()) {
            request.edit = remote::ScriptEdit{script};
            words.insert(words.end(), {"--script", write("job.sbatch", script)});
        }
        return refused([&](ClusterWorker& worker) { worker.launch(request); }, words);
    }

    static inline std::unique_ptr<TemporaryFolder> s_folder;
    static inline remote::ClusterProfile s_profile;
    TemporaryFolder m_home{"dailies-faces"};
    test::DailiesProgram m_dailies{m_home.path()};
    std::vector<std::string> m_runIds;
    std::size_t m_sweeps = 0;
    std::unique_ptr<ClusterWorker> m_worker;
    std::optional<Error> m_failure;
    std::string m_launched;
};

TEST_F(BothFaces, RefuseALaunchAlike) {
    const std::string sweep = kSweep;
    const auto resources = [&](const std::string& more) {
        auto text = sweep;
        text.insert(text.find("memory: 400M"), more + ", ");
        return text;
    };
    EXPECT_THAT(refusedLaunch(resources("partition: gpuu")), HasSubstr("gpuu"));
    EXPECT_THAT(refusedLaunch(resources("cpus_per_rank: 64")), HasSubstr("64"));
    EXPECT_THAT(refusedLaunch(withLine(sweep, "config: {model: {width: 65}}")), HasSubstr("model.width"));
    EXPECT_THAT(refusedLaunch(withLine(sweep, "config: {model: {width: 8192, depth: 64, heads: 64}}")),
                HasSubstr("does not fit"));
    EXPECT_THAT(refusedLaunch(withLine(sweep, "after: {sweep: nowhere}")), HasSubstr("no sweep nowhere"));
    EXPECT_THAT(refusedLaunch(sweep, "prompts: [cat]\nresources: {partition: gpuu}\n"),
                HasSubstr("sampling"));
    EXPECT_THAT(refusedLaunch(sweep, {}, "#!/bin/bash\necho mine\n"), HasSubstr("array"));
}

TEST_F(BothFaces, SayAlikeThatARunIsOnNoCluster) {
    tracking::Run imported;
    imported.id = std::string(32, 'a');
    imported.name = "imported";
    {
        tracking::Store store(m_dailies.store());
        imported.experimentId = store.ensureExperiment("imported");
        store.createRun(imported);
    }
    const auto& run = imported.id;
    remote::SamplingRequest sampling;
    sampling.runIds = {run};
    sampling.job.prompts = {"cat"};
    sampling.job.seeds = {1};
    remote::ScoringRequest scoring;
    scoring.runIds = {run};
    scoring.scorer = m_home.path() / "good.pt";
    const std::vector<std::pair<std::function<void(ClusterWorker&)>, std::vector<std::string>>> asked{
        {[&](ClusterWorker& worker) { worker.relaunchRun(run, false); }, {"launch", "--again", run}},
        {[&](ClusterWorker& worker) { worker.sample(sampling); }, {"sample", run, "--prompt", "cat"}},
        {[&](ClusterWorker& worker) { worker.score(scoring); },
         {"score", scoring.scorer.string(), "--runs", run}},
        {[&](ClusterWorker& worker) { worker.extendRun(run, 100); }, {"extend", run, "--steps", "100"}},
        {[&](ClusterWorker& worker) { worker.cancelRuns({run}, false); }, {"cancel", run}},
        {[&](ClusterWorker& worker) { worker.pullCheckpoints(run); }, {"pull", run, "checkpoints"}},
        {[&](ClusterWorker& worker) { worker.exportCheckpoint(run, 1, m_home.path()); },
         {"export-checkpoint", run, "--to", m_home.path().string(), "--checkpoint", "1"}},
        {[&](ClusterWorker& worker) { worker.mirrorLog(run, "7"); }, {"logs", run}},
        {[&](ClusterWorker& worker) {
             worker.fetchClip((remote::mirrorFolder(m_dailies.store()) / run / "clips/a.mp4").string());
         },
         {"pull", run}}};
    for (const auto& [window, words] : asked) {
        SCOPED_TRACE(words.front());
        EXPECT_THAT(refused(window, words),
                    HasSubstr("Run 'imported' was not launched by Dailies, so it is on no cluster."));
    }
}

TEST_F(BothFaces, RefuseTheWeightsOfACheckpointThatIsGoneBeforeATrainerIsBuilt) {
    const auto& run = m_runIds.front();
    const auto exported = [&](std::int64_t step) {
        return refused(
            [&](ClusterWorker& worker) { worker.exportCheckpoint(run, step, m_home.path()); },
            {"export-checkpoint", run, "--to", m_home.path().string(), "--checkpoint", std::to_string(step)});
    };
    EXPECT_THAT(exported(123456), HasSubstr("no checkpoint of step 123456"));
    const auto written =
        tracking::Store(m_dailies.store(), tracking::Store::Mode::ReadOnly).checkpoints(run).back().step;
    EXPECT_THAT(exported(written), HasSubstr("any more")) << "its folder is gone from the cluster";
}

TEST_F(BothFaces, RefuseACurationAlike) {
    const auto refusedCuration = [&](const std::string& yaml) {
        const auto file = write("curation.yaml", yaml);
        const auto request = remote::parseCurationFile(yaml, file);
        return refused([&](ClusterWorker& worker) { worker.curate(request); },
                       {"curate", file, "--cluster", "there"});
    };
    const std::string films = "name: harbour\nout: /tmp/set\nfilms: " + m_home.path().string() + "\n";
    EXPECT_THAT(refusedCuration("name: harbour\nout: /tmp/set\nfilms: /no/films\n"),
                HasSubstr("there is no /no/films on the cluster there"));
    EXPECT_THAT(refusedCuration(films + "resources: {partition: gpuu}\n"), HasSubstr("gpuu"));
    EXPECT_THAT(refusedCuration("name: harbour\nout: /tmp/set\nfilms: s3://footage/\n"
                                "resources: {partition: gpuu}\n"),
                HasSubstr("gpuu"))
        << "a bucket is for the nodes to look into";
    EXPECT_THAT(refusedCuration(films + "resources: {cpus_per_rank: 64}\n"), HasSubstr("64"));
}

TEST_F(BothFaces, RefuseCaptionsAlike) {
    const auto refusedCaptions = [&](const std::string& yaml) {
        const auto file = write("captions.yaml", yaml);
        const auto request = remote::parseCaptionFile(yaml, file);
        return refused([&](ClusterWorker& worker) { worker.caption(request); },
                       {"caption", file, "--cluster", "there"});
    };
    const std::string server = "name: words\nserver: http://127.0.0.1:1/v1\nfolder: ";
    EXPECT_THAT(refusedCaptions(server + "/no/set\n"),
                HasSubstr("there is no /no/set/clips.jsonl on the cluster there"));
    EXPECT_THAT(refusedCaptions(server + "/no/set\nresources: {gpus_per_node: 1}\n"), HasSubstr("GPU"));
}

TEST_F(BothFaces, RefuseScoresOfClipsAlike) {
    const auto refusedScores = [&](const std::string& yaml) {
        const auto file = write("scores.yaml", yaml);
        const auto request = remote::parseClipScoringFile(yaml, file);
        return refused([&](ClusterWorker& worker) { worker.scoreClips(request); },
                       {"score-clips", file, "--cluster", "there"});
    };
    write("aesthetic.pt", "PK of a module");
    const std::string job = "name: looks\nfolder: /no/set\nscorer: ";
    EXPECT_THAT(refusedScores(job + "aesthetic.pt\n"),
                HasSubstr("there is no /no/set/clips.jsonl on the cluster there"));
    EXPECT_THAT(refusedScores(job + "aesthetic.pt\nresources: {gpus_per_node: 1}\n"), HasSubstr("GPU"));
    EXPECT_THAT(refusedScores(job + "gone.pt\n"), HasSubstr("gone.pt"));
}

TEST_F(BothFaces, ACuratedFolderIsCopiedAndItsVerdictsAreSentBack) {
    const auto folder = m_home.path() / "set";
    writeFileAtomically(folder / "clips.jsonl", "\n");
    QString copy, sent;
    QObject::connect(m_worker.get(), &ClusterWorker::curatedFolderCopied, m_worker.get(),
                     [&](const QString& path) { copy = path; });
    QObject::connect(m_worker.get(), &ClusterWorker::verdictsSent, m_worker.get(),
                     [&](const QString& path) { sent = path; });
    m_worker->copyCuratedFolder(folder.string());
    ASSERT_TRUE(waitUntil([&] { return !copy.isEmpty() || m_failure; }, kPatience));
    ASSERT_FALSE(m_failure) << m_failure->full();
    EXPECT_TRUE(fs::exists(copy.toStdString() + "/clips.jsonl"));
    writeFileAtomically(copy.toStdString() + "/corrections.json", "{}\n");
    m_worker->sendVerdicts(copy.toStdString());
    ASSERT_TRUE(waitUntil([&] { return !sent.isEmpty() || m_failure; }, kPatience));
    EXPECT_EQ(sent, copy);
    EXPECT_EQ(readFile(folder / "corrections.json"), "{}\n");
    m_worker->copyCuratedFolder(m_home.path().string());
    ASSERT_TRUE(waitUntil([&] { return m_failure.has_value(); }, kPatience));
    EXPECT_THAT(m_failure->full(), HasSubstr("is no curated folder"));
}

TEST_F(BothFaces, RefuseASamplingAlike) {
    const auto sampling = [&](const std::string& checkpoint, const std::string& partition) {
        remote::SamplingRequest request;
        request.runIds = {m_runIds.front()};
        request.checkpoints = remote::parseCheckpointChoice(checkpoint);
        request.job.prompts = {"cat"};
        request.job.seeds = {1};
        {
            const tracking::Store store(m_dailies.store(), tracking::Store::Mode::ReadOnly);
            request.resources = remote::singleProcessResources(store, request.runIds);
        }
        request.resources.partition = partition;
        return refused([&](ClusterWorker& worker) { worker.sample(request); },
                       {"sample", m_runIds.front(), "--prompt", "cat", "--checkpoint", checkpoint,
                        "--partition", partition});
    };
    EXPECT_THAT(sampling("last", "gpuu"), HasSubstr("gpuu"));
    EXPECT_THAT(sampling("123456", "main"), HasSubstr("123456"));
    EXPECT_THAT(sampling("last", "main"), HasSubstr("any more")) << "its folder is gone from the cluster";
}

TEST_F(BothFaces, RefuseAScoringAlike) {
    const auto scoring = [&](const std::string& scorer, const std::string& name,
                             const std::string& partition = "main") {
        remote::ScoringRequest request;
        request.runIds = {m_runIds.front()};
        request.scorer = scorer;
        request.name = name;
        {
            const tracking::Store store(m_dailies.store(), tracking::Store::Mode::ReadOnly);
            request.resources = remote::singleProcessResources(store, request.runIds);
        }
        request.resources.partition = partition;
        return refused(
            [&](ClusterWorker& worker) { worker.score(request); },
            {"score", scorer, "--runs", m_runIds.front(), "--name", name, "--partition", partition});
    };
    EXPECT_THAT(scoring(write("weights.bin", "none"), "beauty"), HasSubstr("is not a TorchScript module"));
    EXPECT_THAT(scoring((m_home.path() / "good.pt").string(), "a/b"), HasSubstr("letters, digits"));
    EXPECT_THAT(scoring((m_home.path() / "good.pt").string(), "beauty", "gpuu"), HasSubstr("gpuu"));
}

}  // namespace
}  // namespace dailies::ui
