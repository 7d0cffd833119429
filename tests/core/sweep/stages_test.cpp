#include "core/sweep/stages.h"

#include "core/base/error.h"
#include "core/config/schema.h"
#include "core/sweep/resources.h"
#include "core/sweep/stage_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::sweep {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kProgressive = R"(name: bria
parameters:
  optimizer.lr: {values: [0.001, 0.01]}
config:
  model.positions: none
  data: {frames: 8, height: 16, width: 16, batch_size: 8}
resources: {nodes: 4, ranks_per_node: 8, partition: a100, time_limit: "1-00:00:00"}
stages:
  - name: 256px
    config: {steps: 1000}
  - name: 512px
    config: {steps: 1600, data: {height: 32, width: 32, batch_size: 4}}
    resources: {nodes: 8}
  - config: {steps: 1900, data.height: 64, data.width: 64}
    resources: {nodes: 16, gpus_per_node: "h100:8", time_limit: 2-00}
)";

std::string refusal(const std::string& yaml) {
    try {
        parseSweep(yaml, "s.yaml");
    } catch (const InputError& error) {
        return error.full();
    }
    return {};
}

TEST(Stages, AreSweepsThatGoOnFromOneAnother) {
    const auto stages = stagesOf(parseSweep(kProgressive, "s.yaml"));
    ASSERT_THAT(stages, SizeIs(3));
    EXPECT_EQ(stages[0].name, "bria-256px");
    EXPECT_EQ(stages[1].name, "bria-512px");
    EXPECT_EQ(stages[2].name, "bria-stage-3") << "a stage without a name has its number";
    EXPECT_FALSE(stages[0].after);
    for (const auto i : {1u, 2u}) {
        ASSERT_TRUE(stages[i].after);
        EXPECT_TRUE(stages[i].after->fromCheckpoint && stages[i].after->sweep.empty());
    }
    EXPECT_EQ(stages[0].resources.nodes, 4);
    EXPECT_EQ(stages[1].resources.nodes, 8);
    EXPECT_EQ(stages[1].resources.partition, "a100") << "what a stage does not say is the sweep's";
    EXPECT_EQ(stages[1].resources.timeLimit, "1-00:00:00");
    EXPECT_EQ(stages[2].resources.gpuType, "h100");
    EXPECT_EQ(stages[2].resources.timeLimit, "2-00");
    for (const auto& stage : stages) {
        const auto runs = expand(stage);
        ASSERT_THAT(runs, SizeIs(2)) << "each stage has all runs of the sweep";
        EXPECT_EQ(runs[1].drawn.at("optimizer.lr"), 0.01);
    }
    const auto last = config::flatten(expand(stages[2]).front().config);
    EXPECT_EQ(last.at("data.height"), 64);
    EXPECT_EQ(last.at("data.frames"), 8);
    EXPECT_EQ(last.at("data.batch_size"), 8) << "stages stand over the sweep, not over one another";
}

TEST(Stages, OfAnyOtherSweepAreItself) {
    const auto sweep = parseSweep("config: {steps: 10}\nafter: {sweep: a}\n", "s.yaml");
    const auto stages = stagesOf(sweep);
    ASSERT_THAT(stages, SizeIs(1));
    EXPECT_EQ(toYaml(stages.front()), toYaml(sweep));
}

TEST(Stages, AreWrittenAsTheyAreRead) {
    const auto sweep = parseSweep(kProgressive, "s.yaml");
    const auto yaml = toYaml(sweep);
    EXPECT_EQ(parseSweep(yaml, "s.yaml").stages, sweep.stages) << yaml;
}

TEST(Stages, AreOneLineOfChanges) {
    const auto sweep = parseSweep(kProgressive, "s.yaml");
    for (const auto& stage : sweep.stages)
        EXPECT_EQ(stageFromChanges(stage.name, changesText(stage), sweep.resources), stage)
            << changesText(stage);
    EXPECT_EQ(changesText(sweep.stages[1]),
              "steps: 1600, data.height: 32, data.width: 32, data.batch_size: 4, nodes: 8");
    EXPECT_EQ(stageFromChanges("a", " ", {}), Stage{"a"});
    const auto problem = [](const std::string& changes) {
        try {
            stageFromChanges("a", changes, {});
        } catch (const InputError& error) {
            return error.full();
        }
        return std::string();
    };
    EXPECT_THAT(problem("stops: 3"), HasSubstr("stages.a: config.stops: no such key; did you mean steps?"));
    EXPECT_THAT(problem("steps: many"), HasSubstr("stages.a: config.steps: found many"));
    EXPECT_THAT(problem("nodes: 0"), HasSubstr("stages.a: resources.nodes: found 0"));
    EXPECT_THAT(problem("steps: [3"), HasSubstr("stages.a: not valid YAML"));
}

TEST(Stages, ThatCannotFollowOneAnotherAreRefusedWithTheLine) {
    const std::string head = "config: {steps: 100}\nstages:\n";
    EXPECT_THAT(refusal(head + "  - {config: {steps: 200}}\n  - {config: {steps: 150}}\n"),
                testing::AllOf(HasSubstr("line 4"), HasSubstr("stages.stage-2.config.steps: found 150"),
                               HasSubstr("more than the 200 steps")));
    EXPECT_THAT(refusal(head + "  - {name: a}\n  - {name: b, config: {data.height: 32}}\n"),
                HasSubstr("stages.b.config.steps: found 100"))
        << "the sweep's own steps are those of a stage that says none";
    EXPECT_THAT(refusal(head + "  - {name: a}\n  - {name: a, config: {steps: 200}}\n"),
                HasSubstr("found twice"));
    EXPECT_THAT(refusal(head + "  - {config: {model: {width: 64}}}\n"),
                HasSubstr("config.model.width: found it, expected what may change while a run goes on"));
    EXPECT_THAT(refusal("parameters: {data.height: {values: [16, 32]}}\n" + head +
                        "  - {config: {data.height: 64}}\n"),
                HasSubstr("found it, too, among the parameters"));
    EXPECT_THAT(refusal(head + "  - {name: a}\n  - {name: b, config: {steps: 200, data.height: 64}}\n"),
                HasSubstr("stages.b.config.data: found clips of another size"));
    EXPECT_THAT(refusal(head + "  - {resources: {noodes: 2}}\n"), HasSubstr("did you mean nodes?"));
    EXPECT_THAT(refusal(head + "  - {resources: {time_limit: soon}}\n"), HasSubstr("time_limit"));
    EXPECT_THAT(refusal(head + "  - {steps: 200}\n"), HasSubstr("stages.steps: no such key"));
    EXPECT_THAT(refusal("config: {steps: 100}\nstages: {a: {}}\n"), HasSubstr("expected a list such as"));
    EXPECT_THAT(refusal("program: train.py\nstages: [{}]\n"), HasSubstr("beside a program of your own"));
    EXPECT_THAT(refusal("method: bayes\nrun_cap: 4\nmetric: {name: loss, goal: minimize}\n"
                        "parameters: {optimizer.lr: {min: 0.1, max: 0.2}}\n" +
                        head + "  - {}\n"),
                HasSubstr("stages: found them with method bayes"));
    EXPECT_THAT(
        refusal("metric: {name: loss, goal: minimize}\nearly_terminate: {type: asha, min_iter: 10}\n" + head +
                "  - {}\n"),
        HasSubstr("beside early_terminate"));
}

}  // namespace
}  // namespace dailies::sweep
