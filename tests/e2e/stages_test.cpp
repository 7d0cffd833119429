#include "remote/cluster/sweep_runs.h"
#include "tests/e2e/sandbox_with_trainer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>

// A model of characters in its two stages: a sweep, then another on top of its best run, sent in one go.

namespace {

using namespace dailies;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Stages : public test::SandboxWithTrainer {
protected:
    static std::string fileOf(const std::string& name, const std::string& rest) {
        const auto file = s_home->path() / (name + ".yaml");
        writeFileAtomically(file,
                            "name: " + name + "\nexperiment: figures\nmethod: grid\n" + rest +
                                "resources: {parallel_runs: 2, memory: 900M, time_limit: \"0:20:00\"}\n");
        return file.string();
    }
    static std::string configOf(const std::string& more) {
        return "config: {model.family: animate, model.width: 16, model.heads: 2, model.depth: 1, "
               "model.patch_frames: 1, model.patch_size: 4, data.source: figures, data.frames: 4, "
               "data.height: "
               "32, data.width: 32, data.batch_size: 4, diffusion.objective: v_prediction, "
               "sampling.every: 20, sampling.steps: 2, sampling.adherence_clips: 4, "
               "sampling.prompts: [\"red shirt, green trousers, walks\"], checkpoint.every: 20, steps: 20, " +
               more + "}\n";
    }
    static fs::path workspace() {
        return remote::ClusterProfiles(s_home->path() / "config/dailies/clusters.json")
            .get("sandbox")
            .workspace;
    }
};

TEST_F(Stages, TheSecondBeginsWithTheWeightsOfTheBestRunOfTheFirst) {
    const auto first = fileOf("stage-1",
                              "metric: {name: background_error, goal: minimize}\n"
                              "parameters: {diffusion.min_snr_gamma: {values: [0, 5]}}\n" +
                                  configOf("model.motion: none"));
    const auto second = fileOf("stage-2",
                               "metric: {name: flicker, goal: minimize}\n"
                               "parameters: {seed: {values: [1]}}\n" +
                                   configOf("model.motion: v1, optimizer.freeze: [\"*\", "
                                            "\"!motion_modules\"]") +
                                   "after: {init_from: best}\n");
    const auto answer = s_dailies->run(
        {"launch", first, second, "--chain", "--cluster", "sandbox", "--wait", "--format", "json"});
    ASSERT_EQ(answer.status, 0) << answer.err;

    std::vector<tracking::Run> stageOne, stageTwo;
    for (auto& run : store().runs())
        (run.params.contains("model.motion") && run.params.at("model.motion") == "v1" ? stageTwo : stageOne)
            .push_back(std::move(run));
    ASSERT_EQ(stageOne.size(), 2u) << answer.out;
    ASSERT_EQ(stageTwo.size(), 1u) << answer.out;
    EXPECT_EQ(stageTwo[0].status, tracking::RunStatus::Finished);
    // models that learnt this little have poses that are equally wrong, and no background is like another
    ASSERT_NE(stageOne[0].metrics.at("background_error").value,
              stageOne[1].metrics.at("background_error").value);
    const auto& best = *std::ranges::min_element(
        stageOne, {}, [](const tracking::Run& run) { return run.metrics.at("background_error").value; });
    const auto init = workspace() / "runs" / stageTwo[0].id / "init";
    EXPECT_EQ(stageTwo[0].params.at("model.init"), init.string());
    EXPECT_EQ(fs::read_symlink(init).string(),
              (workspace() / "runs" / best.id / "checkpoints/step-000000020").string());
    EXPECT_GT(store().clips({stageTwo[0].id}).size(), 0u);
    for (const auto& clip : store().clipInputs({stageTwo[0].id}))
        EXPECT_TRUE(fs::exists(clip.localPath)) << clip.name << " is here to be seen";
}

TEST_F(Stages, OfOneSweepGoOnFromOneAnotherRunByRunWithLargerClips) {
    const auto file = s_home->path() / "progressive.yaml";
    writeFileAtomically(file, R"(name: progressive
parameters: {seed: {values: [1, 2]}}
config: {model: {width: 24, heads: 2, depth: 1, positions: none}, data: {frames: 4, height: 8, width: 8, batch_size: 4},
         sampling: {every: 20, steps: 2, adherence_clips: 0, prompts: ["red square left"]},
         checkpoint.every: 10, optimizer: {warmup_steps: 2, schedule: constant}}
resources: {parallel_runs: 2, memory: 800M, time_limit: "0:20:00"}
stages:
  - {name: 8px, config: {steps: 20}}
  - {name: 16px, config: {steps: 30, data: {height: 16, width: 16, batch_size: 2}}}
)");
    const auto answer =
        s_dailies->run({"launch", file.string(), "--cluster", "sandbox", "--wait", "--format", "json"});
    ASSERT_EQ(answer.status, 0) << answer.err;

    const auto past = store();
    std::map<std::string, std::vector<tracking::Run>> stages;
    for (const auto& sweep : past.sweeps())
        for (auto& [task, run] : remote::sweepRuns(past, sweep.id)) stages[sweep.name].push_back(run);
    ASSERT_EQ(stages["progressive-8px"].size(), 2u);
    ASSERT_EQ(stages["progressive-16px"].size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto &first = stages["progressive-8px"][i], &second = stages["progressive-16px"][i];
        EXPECT_EQ(first.status, tracking::RunStatus::Finished);
        EXPECT_EQ(second.status, tracking::RunStatus::Finished);
        EXPECT_EQ(second.params.at("seed"), first.params.at("seed")) << "each goes on from its own";
        EXPECT_GE(second.startMs, first.endMs.value());
        const auto points = past.history(second.id, "loss");
        ASSERT_FALSE(points.empty());
        EXPECT_GT(points.front().step, 20) << "behind the last checkpoint of the stage before";
        EXPECT_EQ(points.back().step, 30);
        EXPECT_THAT(readFile(workspace() / "runs" / second.id / "events.jsonl"),
                    HasSubstr("goes on behind the 80 clips taken so far"));
        const auto clips = past.clips({second.id});
        ASSERT_FALSE(clips.empty());
        EXPECT_EQ(clips.front().step, 30);
    }
    const auto again = s_dailies->run({"launch", file.string(), "--cluster", "sandbox", "--dry-run"});
    EXPECT_THAT(again.out, AllOf(HasSubstr("0 → 20"), HasSubstr("20 → 30"), HasSubstr("4 × 16 × 16"),
                                 HasSubstr("2 finished runs of the same sizes")))
        << "what ran is what is foreseen";
}

TEST_F(Stages, AFirstOneWithoutAMetricHasNoBestRun) {
    const auto first = fileOf("unranked", configOf("model.motion: none"));
    const auto second = fileOf("after-unranked", configOf("model.motion: v1") + "after: {init_from: best}\n");
    const auto answer = s_dailies->run({"launch", first, second, "--chain", "--cluster", "sandbox"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, AllOf(HasSubstr("unranked has no metric"), HasSubstr("model.init")));
    for (const auto& sweep : store().sweeps()) EXPECT_NE(sweep.name, "unranked") << "nothing was sent";
}

}  // namespace
