#include "core/tracking/scored_run.h"
#include "tests/e2e/sandbox_with_trainer.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>

#include <cstdlib>

// Clips given to a TorchScript module as jobs of a cluster.

namespace {

using namespace dailies;
using testing::HasSubstr;

class Scoring : public test::SandboxWithTrainer {
protected:
    static void SetUpTestSuite() {
        SandboxWithTrainer::SetUpTestSuite();
        if (HasFatalFailure()) return;
        s_launch = train("tiny", "optimizer.lr: {values: [0.01, 0.001]}", "steps: 40");
        s_saved = std::system(
            (shellQuote(DAILIES_BINARY_FOLDER "/save_brightness") + " " + shellQuote(scorer())).c_str());
    }

    void SetUp() override {
        ASSERT_EQ(s_launch.status, 0) << s_launch.err;
        ASSERT_EQ(s_saved, 0);
    }

    static std::string scorer() { return (s_home->path() / "brightness.pt").string(); }

    /// What the newest scoring job wrote to its log.
    static std::string newestLog() {
        for (const auto& run : store().runs()) {
            if (!run.tags.contains(tracking::tag::kScoredRun)) continue;
            const std::filesystem::path logs = run.tags.at(tracking::tag::kFolder) + "/logs";
            for (const auto& file : std::filesystem::directory_iterator(logs)) return readFile(file.path());
        }
        return "no job";
    }

    static inline test::DailiesProgram::Answer s_launch;
    static inline int s_saved = -1;
};

TEST_F(Scoring, GivesRunsAMetricOfAUsersModuleAndAsksItOnceOfEachClip) {
    const auto scored = s_dailies->run(
        {"score", scorer(), "--runs", runId(s_launch, 0), runId(s_launch, 1), "--wait", "--format", "json"});
    ASSERT_EQ(scored.status, 0) << scored.err;
    for (const auto& run : parseJson(scored.out, "score")) {
        const double score = run.at("metrics").at("score/brightness");
        EXPECT_GT(score, 0);
        EXPECT_LT(score, 255);
        const std::string id = run.at("run_id");
        EXPECT_EQ(store().history(id, "score/brightness").size(), 2u) << "clips of steps 20 and 40";
        EXPECT_EQ(store().scores({id}).size(), store().clips({id}).size());
    }
    EXPECT_THAT(newestLog(), HasSubstr("asked 2 times"));

    const auto runs = store().runs().size();
    const auto again = s_dailies->run({"score", scorer(), "--sweep", "tiny", "--wait", "--format", "json"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_THAT(again.err, HasSubstr("All 4 clips have been scored by brightness; nothing to do"));
    EXPECT_EQ(parseJson(again.out, "score"), parseJson(scored.out, "score"));
    EXPECT_EQ(store().runs().size(), runs) << "no job was submitted";

    const auto found = s_dailies->json({"runs", "--filter", "metrics.`score/brightness` > 0"});
    EXPECT_EQ(found.size(), 2u) << "a metric as any other";
}

TEST_F(Scoring, APlanSaysWhatWouldBeScored) {
    const auto plan = s_dailies->json(
        {"score", scorer(), "--filter", "metrics.loss > 0", "--name", "light", "--steps", "40", "--dry-run"});
    EXPECT_EQ(plan.at("clips"), 2);
    EXPECT_EQ(plan.at("name"), "light of 2 runs");
    EXPECT_THAT(plan.at("script").get<std::string>(), HasSubstr("\"$program\" score --config"));
}

TEST_F(Scoring, AModuleThatIsNoScorerFailsItsJobWithTheReason) {
    const auto file = (s_home->path() / "broken.pt").string();
    writeFileAtomically(file, "PK, but nothing of a module");
    const auto answer = s_dailies->run({"score", file, "--runs", runId(s_launch), "--wait"});
    EXPECT_EQ(answer.status, 1);
    EXPECT_THAT(answer.err, HasSubstr("is no TorchScript module"));
}

TEST_F(Scoring, WordsThatMakeNoSenseAreRefusedBeforeAnythingIsSent) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
        {{"score", scorer()}, "No runs are named."},
        {{"score", scorer(), "--runs", "nobody"}, "No run is called"},
        {{"score", "/nowhere.pt", "--runs", runId(s_launch)}, "There is no file /nowhere.pt"},
        {{"score", scorer(), "--runs", runId(s_launch), "--name", "a b"}, "letters, digits"},
        {{"score", scorer(), "--runs", runId(s_launch), "--steps", "7"}, "has no clip of these steps"},
        {{"score", scorer(), "--sweep", "nothing"}, "No run matches"},
    };
    for (const auto& [words, message] : wrong) {
        const auto answer = s_dailies->run(words);
        EXPECT_EQ(answer.status, 2) << message;
        EXPECT_THAT(answer.err, HasSubstr(message));
    }
}

}  // namespace
