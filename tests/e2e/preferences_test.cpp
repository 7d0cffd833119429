#include "core/base/ids.h"
#include "core/judging/arena_records.h"
#include "tests/e2e/sandbox_with_trainer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>

// From judging to training: clips of two runs are compared blind, and an adapter of one of them learns what
// people preferred.

namespace {

using namespace dailies;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Preferring : public test::SandboxWithTrainer {
protected:
    static test::DailiesProgram::Answer launch(const std::string& name, const std::string& rest,
                                               const std::string& config) {
        const auto file = s_home->path() / (name + ".yaml");
        writeFileAtomically(
            file,
            "name: " + name + "\nexperiment: tastes\nmethod: grid\n" + rest +
                "config: {model.width: 24, model.heads: 2, model.depth: 1, data.frames: 4, data.height: "
                "16, data.width: 16, data.batch_size: 8, sampling.steps: 4, sampling.adherence_clips: 0, "
                "optimizer.schedule: constant, runtime.log_every: 1, " +
                config + "}\nresources: {parallel_runs: 2, memory: 900M, time_limit: \"0:20:00\"}\n");
        return s_dailies->run(
            {"launch", file.string(), "--cluster", "sandbox", "--wait", "--format", "json"});
    }

    /// Somebody compares the runs' clips blind and prefers those of the first, whichever side they stand on.
    static void preferFirst(const std::string& first, const std::string& second, std::int64_t step) {
        tracking::Store store(s_dailies->store());
        const std::vector<std::string> ids{first, second};
        const judging::ArenaRecord arena{
            newId(),
            "tastes",
            judging::rosterAt({*store.run(first), *store.run(second)}, store.clips(ids), step),
            7,
            "ana",
            1'000};
        judging::addArena(store, arena);
        const auto& contestants = arena.roster.contestants;
        for (int subject = 0; subject < static_cast<int>(arena.roster.subjects.size()); ++subject) {
            const bool isLeft = (contestants[0].runId == first) == (subject % 2 == 0);
            const int left = subject % 2, right = 1 - left;
            judging::addChoice(store, arena.id,
                               {{subject, left, right},
                                isLeft ? judging::Outcome::Left : judging::Outcome::Right,
                                "ana",
                                2'000 + subject});
        }
    }
};

TEST_F(Preferring, AnAdapterLearnsWhatABlindArenaSaid) {
    const auto compared = launch("compared", "parameters: {optimizer.lr: {values: [0.0001, 0.01]}}\n",
                                 "steps: 60, sampling.every: 60, checkpoint.every: 60");
    ASSERT_EQ(compared.status, 0) << compared.err;
    std::string better = runId(compared, 0), worse = runId(compared, 1);
    if (store().run(better)->params.at("optimizer.lr") == "0.0001") std::swap(better, worse);
    ASSERT_GE(store().clips({better}).size(), 3u);
    preferFirst(better, worse, 60);

    const auto list = s_home->path() / "preferences.jsonl";
    const auto written =
        s_dailies->run({"export", "--what", "preferences", "--to", list.string(), "--format", "json"});
    ASSERT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(parseJson(written.out, "export").at("pairs"), store().clips({better}).size());
    const fs::path workspace =
        remote::ClusterProfiles(s_home->path() / "config/dailies/clusters.json").get("sandbox").workspace;
    const auto sent = s_dailies->run(
        {"files", "put", "sandbox", list.string(), (workspace / "preferences.jsonl").string()});
    ASSERT_EQ(sent.status, 0) << sent.err;

    const auto tuned = launch(
        "preferred",
        "metric: {name: preference_accuracy, goal: maximize}\nparameters: {seed: {values: [1]}}\n",
        "data.source: preferences, data.folder: \"" + (workspace / "preferences.jsonl").string() +
            "\", model.init: \"" + (workspace / "runs" / better / "checkpoints/step-000000060").string() +
            "\", lora.rank: 4, optimizer.lr: 0.003, optimizer.ema_decay: 0, diffusion.dpo_beta: 200, steps: "
            "40, "
            "sampling.every: 40, checkpoint.every: 40");
    ASSERT_EQ(tuned.status, 0) << tuned.err;
    const auto run = runId(tuned);
    const auto losses = store().history(run, "loss"), accuracy = store().history(run, "preference_accuracy");
    ASSERT_EQ(losses.size(), 40u);
    EXPECT_NEAR(losses.front().value, std::numbers::ln2, 1e-5) << "it begins undecided, as its base";
    double ofLast = 0;
    for (auto point = accuracy.end() - 10; point != accuracy.end(); ++point) ofLast += point->value / 10;
    EXPECT_GT(ofLast, 0.8) << "it orders the pairs as the arena did";

    // its clips stand on the wall beside those that were judged: the same prompts and seed
    std::vector<std::string> prompts, judged;
    for (const auto& clip : store().clips({run})) {
        prompts.push_back(clip.prompt);
        EXPECT_TRUE(fs::exists(clip.localPath));
    }
    for (const auto& clip : store().clips({better})) judged.push_back(clip.prompt);
    EXPECT_FALSE(prompts.empty());
    EXPECT_THAT(prompts, testing::IsSubsetOf(judged));
}

}  // namespace
