#include "core/base/error.h"
#include "core/base/files.h"
#include "core/sweep/sweep.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dailies::sweep {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// The message with which a sweep file is refused; fails the test when it is not.
std::string sweepRefusal(const std::string& yaml) {
    try {
        parseSweep(yaml, "sweep.yaml");
    } catch (const InputError& error) {
        return error.full();
    }
    ADD_FAILURE() << "was accepted:\n" << yaml;
    return {};
}

TEST(ParseSweep, ReadsTheDocumentedExample) {
    const Sweep sweep = parseSweep(R"(name: shapes-lr
experiment: moving-shapes
method: grid
metric: {name: adherence, goal: maximize}
parameters:
  optimizer.lr: {values: [3.0e-4, 1e-3, 0.01, 5.0e-2]}
config: {steps: 1600, sampling.every: 400, model: {depth: 3}}
resources: {parallel_runs: 3, cpus_per_rank: 2, time_limit: "0:20:00", memory: 2G, partition: main}
)",
                                   "x.yaml");
    EXPECT_EQ(sweep.name, "shapes-lr");
    EXPECT_EQ(sweep.experiment, "moving-shapes");
    EXPECT_EQ(sweep.metric, "adherence");
    EXPECT_EQ(sweep.goal, Goal::Maximize);
    ASSERT_EQ(sweep.parameters.size(), 1u);
    EXPECT_THAT(sweep.parameters[0].values, ElementsAre(3e-4, 1e-3, 1e-2, 5e-2));
    EXPECT_EQ(sweep.config,
              (Json{{"steps", 1600}, {"sampling", {{"every", 400}}}, {"model", {{"depth", 3}}}}));
    EXPECT_EQ(sweep.resources.parallelRuns, 3);
    EXPECT_EQ(sweep.resources.cpusPerRank, 2);
    EXPECT_EQ(sweep.resources.timeLimit, "0:20:00");
    EXPECT_EQ(sweep.resources.memory, "2G");
    EXPECT_EQ(sweep.resources.partition, "main");
}

TEST(ParseSweep, ReadsWandbsWordsForDistributions) {
    const Sweep sweep = parseSweep(R"(project: my-project
entity: me
method: random
run_cap: 5
seed: 7
parameters:
  optimizer:
    parameters:
      lr: {distribution: log_uniform_values, min: 1e-5, max: 1e-1}
      weight_decay: {min: 0.0, max: 0.1}
  model.depth: {min: 1, max: 4}
  data.batch_size: {distribution: q_uniform, min: 8, max: 64, q: 8}
  diffusion.timestep_mean: {distribution: normal, mu: -1, sigma: 0.5}
  model.activation: {values: [relu2, gelu]}
  seed: {value: 3}
)",
                                   "folder/my sweep.yaml");
    using Kind = Parameter::Kind;
    std::vector<std::pair<std::string, Kind>> kinds;
    for (const auto& parameter : sweep.parameters) kinds.emplace_back(parameter.key, parameter.kind);
    EXPECT_THAT(
        kinds,
        ElementsAre(std::pair("optimizer.lr", Kind::LogUniform),
                    std::pair("optimizer.weight_decay", Kind::Uniform),
                    std::pair("model.depth", Kind::IntUniform), std::pair("data.batch_size", Kind::QUniform),
                    std::pair("diffusion.timestep_mean", Kind::Normal),
                    std::pair("model.activation", Kind::Values), std::pair("seed", Kind::Fixed)));
    EXPECT_EQ(sweep.name, "my sweep");
    EXPECT_EQ(sweep.experiment, "my-project");
    EXPECT_EQ(sweep.seed, 7);
    EXPECT_EQ(sweep.runCap, 5);
}

TEST(ParseSweep, AWandbFileIsTakenAsItIsAndSaysWhatBecomesOfItsKeys) {
    std::vector<std::string> notices;
    const Sweep sweep = parseSweep(
        "program: train.py\nproject: p\nentity: me\ndescription: b\ncommand: [python, '${program}']\n"
        "controller: {type: local}\nmethod: bayes\nrun_cap: 5\n"
        "metric: {name: loss, goal: minimize, target: 0.1}\n"
        "early_terminate: {type: hyperband, s: 2, eta: 3, max_iter: 27}\n"
        "parameters:\n  optimizer.lr: {distribution: log_uniform, min: -9.21034, max: -2.302585}\n"
        "  optimizer.weight_decay: {distribution: q_log_uniform_values, min: 0.01, max: 0.1, q: 0.01}\n"
        "  model.activation: {values: [relu2, gelu], probabilities: [0.3, 0.7]}\n",
        "s.yaml", &notices);
    EXPECT_EQ(sweep.experiment, "p");
    ASSERT_TRUE(sweep.program);
    EXPECT_EQ(sweep.program->file, "train.py");
    EXPECT_EQ(sweep.method, "bayes");
    EXPECT_NEAR(sweep.parameters[0].minimum, 1e-4, 1e-8);
    EXPECT_NEAR(sweep.parameters[0].maximum, 1e-1, 1e-6);
    EXPECT_EQ(sweep.parameters[0].kind, Parameter::Kind::LogUniform);
    EXPECT_TRUE(sweep.earlyStop.has_value());
    const auto all = testing::PrintToString(notices);
    for (const char* key :
         {"entity", "controller", "metric.target", "optimizer.lr is read as log_uniform_values"})
        EXPECT_THAT(all, HasSubstr(key));
    EXPECT_THAT(sweep.parameters[2].probabilities, ElementsAre(0.3, 0.7));
}

TEST(ParseSweep, EveryDistributionOfWandbIsReadAndWrittenAgain) {
    const Sweep sweep = parseSweep(R"(method: random
run_cap: 3
parameters:
  seed: {distribution: categorical_w_probabilities, values: [1, 2], probabilities: [0.25, 0.75]}
  steps: {distribution: constant, value: 10}
  data.batch_size: {distribution: q_log_uniform, min: 0, max: 4, q: 2}
  optimizer.lr: {distribution: inv_log_uniform, min: 2.302585093, max: 9.210340372}
  optimizer.weight_decay: {distribution: inv_log_uniform_values, min: 0.01, max: 0.1}
  optimizer.grad_clip: {distribution: q_log_normal, mu: 0, sigma: 0.5, q: 0.25}
  optimizer.decay_fraction: {distribution: beta, a: 5, b: 2}
  tokenizer.image_share: {distribution: q_beta, q: 0.125}
)",
                                   "s.yaml");
    const auto find = [&](const std::string& key) {
        return *std::ranges::find(sweep.parameters, key, &Parameter::key);
    };
    using Kind = Parameter::Kind;
    EXPECT_THAT(find("seed").probabilities, ElementsAre(0.25, 0.75));
    EXPECT_EQ(find("data.batch_size").kind, Kind::QLogUniform);
    EXPECT_DOUBLE_EQ(find("data.batch_size").minimum, 1);
    EXPECT_EQ(find("optimizer.lr").kind, Kind::LogUniform);
    EXPECT_NEAR(find("optimizer.lr").minimum, 1e-4, 1e-9) << "the largest exponent of the inverse";
    EXPECT_NEAR(find("optimizer.lr").maximum, 1e-1, 1e-6);
    EXPECT_EQ(find("optimizer.weight_decay").kind, Kind::LogUniform);
    EXPECT_DOUBLE_EQ(find("optimizer.weight_decay").minimum, 0.01);
    EXPECT_EQ(find("optimizer.grad_clip").kind, Kind::QLogNormal);
    EXPECT_DOUBLE_EQ(find("optimizer.decay_fraction").a, 5);
    EXPECT_DOUBLE_EQ(find("optimizer.decay_fraction").b, 2);
    EXPECT_EQ(find("tokenizer.image_share").kind, Kind::QBeta);
    EXPECT_EQ(toYaml(parseSweep(toYaml(sweep), "s.yaml")), toYaml(sweep));
    EXPECT_EQ(expand(parseSweep(toYaml(sweep), "s.yaml")).back().drawn, expand(sweep).back().drawn);
}

TEST(ParseSweep, ProbabilitiesThatAreNoneAreRefused) {
    const auto told = [](const std::string& parameter) {
        return sweepRefusal("parameters:\n  seed: {" + parameter + "}\n");
    };
    EXPECT_THAT(told("values: [1, 2], probabilities: [1]"),
                AllOf(HasSubstr("line 2"), HasSubstr("seed.probabilities: found 1 number"),
                      HasSubstr("one for each of 2 values")));
    EXPECT_THAT(told("values: [1, 2], probabilities: [0.5, 0.6]"), HasSubstr("found a sum of 1.1"));
    EXPECT_THAT(told("values: [1, 2], probabilities: [1.5, -0.5]"), HasSubstr("found 1.5"));
    EXPECT_THAT(told("values: [1, 2], probabilities: half"), HasSubstr("a list of numbers"));
    EXPECT_THAT(told("min: 1, max: 2, probabilities: [1]"), HasSubstr("beside a distribution"));
    EXPECT_THAT(told("distribution: beta, a: 0"), HasSubstr("found a 0, expected more than 0"));
}

TEST(ParseSweep, MergeKeysBringInWhatIsNotWrittenThere) {
    const Sweep sweep = parseSweep(R"(x-common: &common
  min: 1e-5
  max: 1e-2
x-small: &small {depth: 2, width: 64}
x-node: &node {partition: main, memory: 2G}
parameters:
  optimizer.lr: {<<: *common, max: 1e-1, distribution: log_uniform_values}
config:
  steps: 10
  model: {<<: [{depth: 3}, *small]}
resources:
  <<: *node
  memory: 4G
environment:
  variables: {<<: {A: one, B: two}, B: mine}
)",
                                   "s.yaml");
    EXPECT_DOUBLE_EQ(sweep.parameters.at(0).minimum, 1e-5);
    EXPECT_DOUBLE_EQ(sweep.parameters.at(0).maximum, 1e-1) << "what is written there has its way";
    EXPECT_EQ(sweep.config["model"], (Json{{"depth", 3}, {"width", 64}}))
        << "of several the first has its way";
    EXPECT_EQ(sweep.resources.partition, "main");
    EXPECT_EQ(sweep.resources.memory, "4G");
}

TEST(ParseSweep, MergeKeysThatCannotBeAreRefusedOrAddNothing) {
    EXPECT_THAT(sweepRefusal("parameters:\n  optimizer.lr: {value: 1}\nresources:\n  <<: main\n"),
                AllOf(HasSubstr("line 4"), HasSubstr("resources.<<"), HasSubstr("a mapping")));
    EXPECT_THAT(
        sweepRefusal("x-a: &a {nodez: 1}\nparameters:\n  optimizer.lr: {value: 1}\nresources: {<<: *a}\n"),
        AllOf(HasSubstr("line 1"), HasSubstr("nodez"), HasSubstr("did you mean nodes?")));
    EXPECT_EQ(
        parseSweep(
            "x-a: &a {<<: *a, memory: 2G}\nparameters: {optimizer.lr: {value: 1}}\nresources: {<<: *a}\n",
            "s.yaml")
            .resources.memory,
        "2G");
}

TEST(ParseSweep, TextStaysTextWhereTheKeyIsText) {
    const Sweep sweep = parseSweep(
        "parameters: {data.folder: {values: [2024, true]}}\nconfig: {sampling.prompts: [1, two]}\n",
        "s.yaml");
    EXPECT_THAT(sweep.parameters[0].values, ElementsAre("2024", "true"));
    EXPECT_EQ(sweep.config["sampling"]["prompts"], (Json{"1", "two"}));
}

TEST(ParseSweep, SaysWhereTheSyntaxIsWrong) {
    EXPECT_THAT(sweepRefusal("name: a\nparameters: {steps: {value: 5}\nmethod: grid\n"),
                AllOf(HasSubstr("sweep.yaml, line "), HasSubstr("not valid YAML")));
    EXPECT_THAT(sweepRefusal("name: a\n\tmethod: grid\n"), HasSubstr("sweep.yaml, line 2: not valid YAML"));
    EXPECT_THAT(sweepRefusal(""), HasSubstr("expected a mapping"));
    EXPECT_THAT(sweepRefusal("- a\n- b\n"), HasSubstr("found a list, expected a mapping"));
    EXPECT_THAT(sweepRefusal("just words"), HasSubstr("found just words, expected a mapping"));
    EXPECT_THAT(sweepRefusal(std::string(5'000, '[')), HasSubstr("not valid YAML"));
    EXPECT_THAT(sweepRefusal("parameters: &a {optimizer: {parameters: *a}}\n"), HasSubstr("sweep.yaml"));
}

TEST(ParseSweep, RefusesUnknownKeysWithTheNearestOnes) {
    EXPECT_THAT(sweepRefusal("parameters: {steps: {value: 5}}\nmethd: grid\n"),
                HasSubstr("line 2: methd: no such key; did you mean method?"));
    EXPECT_THAT(sweepRefusal("parameters:\n  optimizer.lrr: {value: 0.1}\n"),
                HasSubstr("line 2: optimizer.lrr: no such key; did you mean optimizer.lr?"));
    EXPECT_THAT(sweepRefusal("parameters:\n  optimizer.lr: {valuess: [0.1]}\n"),
                HasSubstr("optimizer.lr.valuess: no such key; did you mean values?"));
    EXPECT_THAT(sweepRefusal("parameters: {steps: {value: 5}}\nconfig:\n  model: {dept: 2}\n"),
                HasSubstr("line 3: config.model.dept: no such key; did you mean model.depth?"));
    EXPECT_THAT(sweepRefusal("parameters: {steps: {value: 5}}\nresources: {gpus: 1}\n"),
                HasSubstr("resources.gpus: no such key"));
    EXPECT_THAT(sweepRefusal("parameters: {steps: {value: 5}}\nmetric: {name: loss, tarket: 1}\n"),
                HasSubstr("metric.tarket: no such key"));
    EXPECT_THAT(sweepRefusal("parameters: {nothing: {parameters: {lr: {value: 1}}}}\n"),
                HasSubstr("nothing: no such key"));
}

TEST(ParseSweep, RefusesWrongTypesAndValues) {
    EXPECT_THAT(
        sweepRefusal("parameters:\n  optimizer.lr: {values: [0.1, high]}\n"),
        AllOf(HasSubstr("line 2: optimizer.lr: found \"high\", expected a number"), HasSubstr("0 to 10")));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {values: [100]}}\n"),
                HasSubstr("found 100, expected a number"));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {value: .inf}}\n"), HasSubstr("expected a number"));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {value: \"0.1\"}}\n"),
                HasSubstr("found \"0.1\", expected a number"));
    EXPECT_THAT(sweepRefusal("parameters: {model.depth: {values: [2.5]}}\n"),
                HasSubstr("found 2.5, expected an integer"));
    EXPECT_THAT(sweepRefusal("parameters: {model.family: {values: [unet]}}\n"),
                HasSubstr("expected one of: dit"));
    EXPECT_THAT(sweepRefusal("parameters: {steps: {value: 5}}\nconfig: {model: {depth: deep}}\n"),
                HasSubstr("config.model.depth: found deep, expected an integer"));
    EXPECT_THAT(sweepRefusal("parameters: {steps: {value: 5}}\nconfig: {model: 5}\n"),
                HasSubstr("config.model: no such key"));
    EXPECT_THAT(sweepRefusal("parameters: {steps: 5}\n"), HasSubstr("steps: found 5, expected a mapping"));
    EXPECT_THAT(sweepRefusal("parameters: {steps: {value: 5}}\nname: [a]\n"),
                HasSubstr("name: found a list, expected a text"));
    EXPECT_THAT(sweepRefusal("parameters: {steps: {value: 5}}\nname:\n"), HasSubstr("name: found nothing"));
    EXPECT_THAT(sweepRefusal("parameters: {steps: {value: 5}}\nseed: x\n"),
                HasSubstr("seed: found x, expected a whole number"));
}

TEST(ParseSweep, RefusesListsThatAreEmptyOrHoldAValueTwice) {
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {values: []}}\n"),
                HasSubstr("optimizer.lr.values is empty; give at least one"));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {values: 3}}\n"),
                HasSubstr("expected a list of values"));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {values: [0.1, 1.0e-1]}}\n"),
                HasSubstr("found 0.1 twice"));
    EXPECT_THAT(
        sweepRefusal(
            "parameters: {optimizer.lr: {value: 0.1}, optimizer: {parameters: {lr: {value: 0.2}}}}\n"),
        HasSubstr("optimizer.lr: found twice"));
    EXPECT_THAT(sweepRefusal("name: a\nparameters: {steps: {value: 5}}\nname: b\n"),
                HasSubstr("name: found twice"));
}

TEST(ParseSweep, RefusesRangesThatHoldNothing) {
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {min: 0.2, max: 0.1}}\n"),
                HasSubstr("found min 0.2 above max 0.1, expected min at most max"));
    EXPECT_THAT(
        sweepRefusal("parameters: {optimizer.lr: {distribution: log_uniform_values, min: 0, max: 0.1}}\n"),
        HasSubstr("expected more than 0"));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {distribution: normal, sigma: 0}}\n"),
                HasSubstr("sigma"));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {distribution: q_uniform, min: 0, max: 1, q: 0}}\n"),
                HasSubstr("q 0"));
    EXPECT_THAT(sweepRefusal("parameters: {model.depth: {distribution: int_uniform, min: 0.5, max: 2}}\n"),
                HasSubstr("whole numbers"));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {min: 0.1}}\n"),
                HasSubstr("expected value, values, or min and max"));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {distribution: uniform, min: 0.1}}\n"),
                HasSubstr("expected both min and max"));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {values: [0.1], min: 0}}\n"),
                HasSubstr("expected either"));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {distribution: uniform, min: 0, max: 20}}\n"),
                HasSubstr("found 20, expected a number from 0 to 10"));
    EXPECT_THAT(sweepRefusal("parameters: {model.family: {min: 0, max: 1}}\n"),
                HasSubstr("takes one of: dit"));
}

TEST(ParseSweep, RefusesMethodsAndDistributionsThatItDoesNotKnow) {
    EXPECT_THAT(sweepRefusal("method: magic\nparameters: {steps: {value: 5}}\n"),
                HasSubstr("line 1: method: found magic, expected one of: grid, random, sobol, bayes."));
    EXPECT_THAT(sweepRefusal("parameters: {optimizer.lr: {distribution: gamma}}\n"),
                HasSubstr("expected one of: constant"));
    EXPECT_THAT(sweepRefusal("parameters: {steps: {value: 5}}\nmetric: {name: loss, goal: up}\n"),
                HasSubstr("metric.goal: found up, expected minimize or maximize"));
}

TEST(ParseSweep, RefusesASweepWithoutParameters) {
    EXPECT_THAT(sweepRefusal("name: a\n"), HasSubstr("parameters: found nothing"));
    EXPECT_THAT(sweepRefusal("name: a\nmethod: random\nrun_cap: 3\nconfig: {steps: 5}\n"),
                HasSubstr("parameters: found nothing"));
}

TEST(ParseSweep, AGridInWhichNothingVariesIsOneRun) {
    for (const std::string yaml : {"name: once\nconfig: {steps: 500}\n", "name: once\nparameters: {}\n"}) {
        const Sweep sweep = parseSweep(yaml, "once.yaml");
        const auto runs = expand(sweep);
        ASSERT_EQ(runs.size(), 1u) << yaml;
        EXPECT_EQ(runs[0].name, "once");
        EXPECT_EQ(expand(parseSweep(toYaml(sweep), "again")).front().config, runs[0].config);
    }
}

TEST(ParseSweep, RefusesResourcesThatSbatchWouldRefuse) {
    const auto with = [](const std::string& line) {
        return sweepRefusal("parameters: {steps: {value: 5}}\nresources: {" + line + "}\n");
    };
    EXPECT_THAT(with("time_limit: tomorrow"), HasSubstr("line 2: resources.time_limit: found \"tomorrow\""));
    EXPECT_THAT(with("memory: lots"), HasSubstr("resources.memory: found \"lots\""));
    EXPECT_THAT(with("nodes: 0"),
                HasSubstr("resources.nodes: found 0, expected a whole number of 1 or more"));
    EXPECT_THAT(with("nodes: 1.5"), HasSubstr("resources.nodes: found 1.5"));
    EXPECT_THAT(with("partition: \"a\\n#SBATCH --uid=0\""), HasSubstr("resources.partition: found"));
    EXPECT_THAT(with("parallel_runs: 99999999999"), HasSubstr("resources.parallel_runs"));
    EXPECT_THAT(with("preflight: maybe"), HasSubstr("expected true or false"));
}

TEST(ParseSweep, WhatIsWrittenIsReadBackTheSame) {
    Sweep sweep;
    sweep.name = "a: \"b\" #c — ü";
    sweep.experiment = "on";
    sweep.method = "random";
    sweep.metric = "val/loss";
    sweep.goal = Goal::Maximize;
    sweep.runCap = 9;
    sweep.seed = -3;
    sweep.config = {
        {"steps", 100}, {"data", {{"folder", "2024"}}}, {"sampling", {{"prompts", {"a, b", "- c", "x: y"}}}}};
    using Kind = Parameter::Kind;
    const auto range = [](const char* key, Kind kind, double low, double high) {
        Parameter parameter;
        parameter.key = key;
        parameter.kind = kind;
        parameter.minimum = low;
        parameter.maximum = high;
        return parameter;
    };
    sweep.parameters = {range("optimizer.lr", Kind::LogUniform, 1e-7, 0.3),
                        range("optimizer.weight_decay", Kind::Uniform, 0, 1),
                        range("model.depth", Kind::IntUniform, 1, 8),
                        range("model.mlp_ratio", Kind::QUniform, 2, 8)};
    sweep.parameters.back().q = 2;
    Parameter normal, fixed, values;
    normal.key = "diffusion.timestep_mean";
    normal.kind = Kind::Normal;
    normal.mu = -1.6;
    normal.sigma = 0.1;
    fixed.key = "seed";
    fixed.values = {7};
    values.key = "model.activation";
    values.kind = Kind::Values;
    values.values = {"relu2", "gelu"};
    sweep.parameters.insert(sweep.parameters.end(), {normal, fixed, values});
    sweep.resources.partition = "gpu";
    sweep.resources.account = "acct";
    sweep.resources.qos = "high";
    sweep.resources.nodes = 2;
    sweep.resources.ranksPerNode = 4;
    sweep.resources.cpusPerRank = 8;
    sweep.resources.gpusPerNode = 4;
    sweep.resources.memory = "64G";
    sweep.resources.timeLimit = "2-00:00:00";
    sweep.resources.parallelRuns = 3;
    sweep.resources.preflight = false;

    const std::string yaml = toYaml(sweep);
    const Sweep read = parseSweep(yaml, "again.yaml");
    EXPECT_EQ(toYaml(read), yaml);
    EXPECT_EQ(read.name, sweep.name);
    EXPECT_EQ(read.experiment, sweep.experiment);
    EXPECT_EQ(read.metric, sweep.metric);
    EXPECT_EQ(read.goal, sweep.goal);
    EXPECT_EQ(read.runCap, sweep.runCap);
    EXPECT_EQ(read.seed, sweep.seed);
    EXPECT_EQ(read.config, sweep.config);
    EXPECT_EQ(read.resources.qos, "high");
    EXPECT_EQ(read.resources.timeLimit, "2-00:00:00");
    EXPECT_EQ(read.resources.parallelRuns, 3);
    EXPECT_FALSE(read.resources.preflight);
    ASSERT_EQ(read.parameters.size(), sweep.parameters.size());
    for (std::size_t i = 0; i < sweep.parameters.size(); ++i) {
        EXPECT_EQ(read.parameters[i].key, sweep.parameters[i].key);
        EXPECT_EQ(read.parameters[i].kind, sweep.parameters[i].kind);
        EXPECT_EQ(read.parameters[i].values, sweep.parameters[i].values);
        EXPECT_EQ(read.parameters[i].minimum, sweep.parameters[i].minimum);
        EXPECT_EQ(read.parameters[i].maximum, sweep.parameters[i].maximum);
        EXPECT_EQ(read.parameters[i].mu, sweep.parameters[i].mu);
    }
}

TEST(ParseSweep, EveryPresetThatShipsIsReadAndExpands) {
    const std::filesystem::path folder =
        std::filesystem::path(DAILIES_SOURCE_FOLDER) / "resources" / "presets";
    std::map<std::string, std::size_t> runs;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        runs[name] = expand(parseSweep(readFile(entry.path()), name)).size();
    }
    EXPECT_EQ(runs["shapes-lr.yaml"], 4u);
    EXPECT_EQ(runs["shapes-quick.yaml"], 4u);
    EXPECT_EQ(runs["real-footage.yaml"], 2u);
    EXPECT_EQ(runs["shapes-sobol.yaml"], 16u);
    EXPECT_EQ(runs["shapes-asha.yaml"], 18u);
    EXPECT_EQ(runs["shapes-tpe.yaml"], 10u) << "what is known before the first results";
}

}  // namespace
}  // namespace dailies::sweep
