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
    const auto early = s_dailies->run({"fork", better, "--on-preferences"});
    EXPECT_EQ(early.status, 2) << "nobody has compared anything";
    EXPECT_THAT(early.err, HasSubstr("Compare the runs in the blind arena"));
    preferFirst(better, worse, 60);

    const auto file = s_home->path() / "preferred.yaml";
    const auto forked =
        s_dailies->run({"fork", better, "--on-preferences", "--to", file.string(), "--set",
                        "optimizer.lr=0.003", "--set", "lora.rank=4", "--set", "diffusion.dpo_beta=200",
                        "--set", "steps=40", "--set", "sampling.every=40", "--set", "checkpoint.every=40"});
    ASSERT_EQ(forked.status, 0) << forked.err;
    EXPECT_THAT(forked.err, HasSubstr(std::to_string(store().clips({better}).size()) + " pairs of clips"));
    const auto tuned =
        s_dailies->run({"launch", file.string(), "--cluster", "sandbox", "--wait", "--format", "json"});
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

    // what it learnt is an adapter, on which no other can be trained before it is merged
    const auto again = s_dailies->run({"fork", run, "--on-preferences"});
    EXPECT_EQ(again.status, 2);
    EXPECT_THAT(again.err, HasSubstr("is an adapter itself"));
}

}  // namespace
