#include "core/base/error.h"
#include "core/config/schema.h"
#include "core/config/value_text.h"
#include "core/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace dailies::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<PlannedRun> expanded(const std::string& yaml) {
    return expand(parseSweep(yaml, "sweep.yaml"));
}

std::string expansionRefusal(const std::string& yaml) {
    try {
        expanded(yaml);
    } catch (const InputError& error) {
        return error.full();
    }
    ADD_FAILURE() << "was accepted:\n" << yaml;
    return {};
}

std::vector<std::string> names(const std::vector<PlannedRun>& runs) {
    std::vector<std::string> found;
    for (const auto& run : runs) found.push_back(run.name);
    return found;
}

TEST(Expand, AGridIsEveryCombinationTheLastParameterFastest) {
    const auto runs = expanded(
        "parameters:\n  optimizer.lr: {values: [0.001, 0.01]}\n  model.depth: {values: [1, 2]}\n"
        "  seed: {value: 5}\n");
    EXPECT_THAT(names(runs), ElementsAre("lr=0.001, depth=1", "lr=0.001, depth=2", "lr=0.01, depth=1",
                                         "lr=0.01, depth=2"));
    EXPECT_EQ(runs[1].varied, (Json{{"optimizer.lr", 0.001}, {"model.depth", 2}}));
    EXPECT_EQ(runs[2].config["optimizer"]["lr"], 0.01);
    EXPECT_EQ(runs[2].config["seed"], 5);
}

TEST(Expand, EveryConfigIsCompleteAndParametersWinOverConfig) {
    const auto runs = expanded(
        "parameters: {steps: {values: [10, 20]}}\n"
        "config: {steps: 99, optimizer: {warmup_steps: 5}, sampling.every: 7}\n");
    EXPECT_EQ(runs[0].config["steps"], 10);
    EXPECT_EQ(runs[0].config["sampling"]["every"], 7);
    EXPECT_EQ(runs[0].config["optimizer"]["warmup_steps"], 5);
    EXPECT_EQ(runs[0].config["model"]["family"], "dit");
    EXPECT_EQ(runs[0].config["checkpoint"]["keep"], 2);
}

TEST(Expand, ANameSpellsAValueAsTheRunsParamDoes) {
    const auto runs = expanded(
        "method: grid\nparameters: {optimizer.lr: {values: [3e-4, 1.0e-5]}, sampling.guidance: {values: [3, "
        "4.5]}}\n");
    EXPECT_THAT(names(runs), ElementsAre("lr=0.0003, guidance=3.0", "lr=0.0003, guidance=4.5",
                                         "lr=1e-05, guidance=3.0", "lr=1e-05, guidance=4.5"));
    for (const auto& run : runs) {
        const Json params = config::flatten(run.config);
        const auto text = [&](const std::string& key) { return config::paramText(key, params.at(key)); };
        EXPECT_EQ(run.name, "lr=" + text("optimizer.lr") + ", guidance=" + text("sampling.guidance"));
    }
}

TEST(Expand, NamesAreShortAndUnique) {
    EXPECT_THAT(
        names(expanded("parameters: {model.width: {values: [64, 128]}, data.width: {values: [32]}}\n")),
        ElementsAre("width=64", "width=128"));
    EXPECT_THAT(
        names(expanded("parameters: {model.width: {values: [64]}, data.width: {values: [32, 64]},"
                       " data.height: {values: [32]}, model.depth: {values: [1, 2]}}\n")),
        ElementsAre("width=32, depth=1", "width=32, depth=2", "width=64, depth=1", "width=64, depth=2"));
    EXPECT_THAT(names(expanded(
                    "parameters: {model.width: {values: [64, 128]}, data.width: {values: [32, 64]}}\n"))[0],
                "model.width=64, data.width=32");
    EXPECT_THAT(names(expanded("name: one\nparameters: {steps: {value: 100}}\n")), ElementsAre("one"));
    const std::string longText(200, 'x');
    const auto longNames =
        names(expanded("parameters: {data.folder: {values: [" + longText + "a, " + longText + "b]}}\n"));
    EXPECT_LT(longNames[0].size(), 60u);
    EXPECT_NE(longNames[0], longNames[1]);
}

TEST(Expand, AnImpossibleCombinationNamesTheRunAndTheKey) {
    EXPECT_THAT(expansionRefusal("parameters: {model.heads: {values: [4, 5]}}\n"),
                testing::AllOf(HasSubstr("Run \"heads=5\""),
                               HasSubstr("model.width: found 64, expected a multiple of model.heads")));
}

TEST(Expand, AGridOverADistributionIsRefused) {
    EXPECT_THAT(
        expansionRefusal("parameters: {optimizer.lr: {min: 0.1, max: 0.2}}\n"),
        HasSubstr("optimizer.lr: found the distribution uniform, expected values, int_uniform or q_uniform"));
}

TEST(Expand, AGridThatIsTooLargeIsRefusedUnlessItIsCapped) {
    std::string list = "0";
    for (int i = 1; i < 101; ++i) list += ", " + std::to_string(i);
    const std::string big = "parameters: {seed: {values: [" + list + "]}, sampling.seed: {values: [" + list +
                            "]},"
                            " optimizer.warmup_steps: {values: [" +
                            list + "]}}\n";
    EXPECT_THAT(expansionRefusal(big), HasSubstr("more than 10000 runs"));
    EXPECT_EQ(expanded(big + "run_cap: 3\n").size(), 3u);
    EXPECT_EQ(expanded("parameters: {seed: {values: [1, 2]}}\nrun_cap: 50\n").size(), 2u);
}

TEST(Expand, RandomNeedsARunCap) {
    EXPECT_THAT(expansionRefusal("method: random\nparameters: {optimizer.lr: {min: 0.1, max: 0.2}}\n"),
                HasSubstr("run_cap: found nothing"));
    EXPECT_THAT(expansionRefusal(
                    "method: random\nrun_cap: 10001\nparameters: {optimizer.lr: {min: 0.1, max: 0.2}}\n"),
                HasSubstr("run_cap: found 10001"));
}

constexpr const char* kRandom = R"(method: random
parameters:
  optimizer.lr: {distribution: log_uniform_values, min: 1e-5, max: 1e-1}
  optimizer.weight_decay: {min: 0.0, max: 0.1}
  model.depth: {min: 1, max: 4}
  data.batch_size: {distribution: q_uniform, min: 8, max: 64, q: 8}
  diffusion.timestep_mean: {distribution: normal, mu: -1, sigma: 0.5}
  model.activation: {values: [relu2, gelu]}
)";

TEST(Expand, RandomDrawsDependOnTheSeedAndTheIndexAlone) {
    const std::string yaml = kRandom;
    const auto few = expanded(yaml + "run_cap: 4\n"), many = expanded(yaml + "run_cap: 40\n");
    const auto other = expanded(yaml + "run_cap: 4\nseed: 1\n");
    for (std::size_t i = 0; i < few.size(); ++i) {
        EXPECT_EQ(few[i].config, many[i].config) << "a longer sweep begins with the shorter one's runs";
        EXPECT_NE(few[i].config, other[i].config);
    }
    const auto wider = expanded(yaml + "  model.mlp_ratio: {values: [2, 4]}\nrun_cap: 4\n");
    for (std::size_t i = 0; i < few.size(); ++i)
        EXPECT_EQ(few[i].varied["optimizer.lr"], wider[i].varied["optimizer.lr"]);
}

TEST(Expand, RandomDrawsFillTheirRangesAndKeepTheirShape) {
    const auto runs = expanded(std::string(kRandom) + "run_cap: 2000\n");
    std::set<std::int64_t> depths, batches;
    std::set<std::string> activations, unique;
    double lowLr = 0, mean = 0, square = 0, decay = 0;
    for (const auto& run : runs) {
        const double lr = run.config["optimizer"]["lr"];
        EXPECT_GE(lr, 1e-5);
        EXPECT_LE(lr, 1e-1);
        lowLr += lr < 1e-3;
        decay += run.config["optimizer"]["weight_decay"].get<double>();
        depths.insert(run.config["model"]["depth"].get<std::int64_t>());
        batches.insert(run.config["data"]["batch_size"].get<std::int64_t>());
        activations.insert(run.config["model"]["activation"]);
        const double normal = run.config["diffusion"]["timestep_mean"];
        mean += normal;
        square += (normal + 1) * (normal + 1);
        unique.insert(run.name);
    }
    const auto count = static_cast<double>(runs.size());
    // three standard errors of the 2,000 draws
    EXPECT_NEAR(lowLr / count, 0.5, 0.034) << "half of the draws below the geometric middle";
    EXPECT_NEAR(decay / count, 0.05, 0.002);
    EXPECT_NEAR(mean / count, -1.0, 0.034);
    EXPECT_NEAR(std::sqrt(square / count), 0.5, 0.024);
    EXPECT_THAT(depths, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(batches, ElementsAre(8, 16, 24, 32, 40, 48, 56, 64));
    EXPECT_EQ(activations.size(), 2u);
    EXPECT_EQ(unique.size(), runs.size());
}

TEST(Expand, RunsThatAreDrawnAlikeGetNamesOfTheirOwn) {
    const auto runs = expanded("method: random\nrun_cap: 3\nparameters: {steps: {values: [100, 200]}}\n");
    const auto found = names(runs);
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), 3u);
}

TEST(Expand, ASweepBuiltByAFormIsJudgedAsAFileIs) {
    Sweep sweep;
    sweep.name = "form";
    Parameter parameter;
    parameter.key = "optimizer.lr";
    sweep.parameters = {parameter};
    EXPECT_THROW(expand(sweep), InputError) << "no value";
    sweep.parameters[0].values = {0.1};
    EXPECT_EQ(expand(sweep).size(), 1u);
    sweep.parameters.push_back(sweep.parameters[0]);
    EXPECT_THROW(expand(sweep), InputError) << "the same key twice";
    sweep.parameters.pop_back();
    sweep.method = "magic";
    EXPECT_THROW(expand(sweep), InputError);
    sweep.method = "grid";
    sweep.config = {{"optimizer", 5}};
    EXPECT_THROW(expand(sweep), InputError);
    sweep.config = Json::object();
    sweep.resources.nodes = 0;
    EXPECT_THROW(expand(sweep), InputError);
}

}  // namespace
}  // namespace dailies::sweep
