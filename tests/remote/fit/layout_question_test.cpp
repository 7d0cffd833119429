#include "remote/fit/layout_question.h"

#include "core/tracking/predicted_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::remote {
namespace {

slurm::ClusterFacts twoKinds() {
    slurm::ClusterFacts facts;
    facts.partitions = {{.name = "main", .isDefault = true, .memoryPerNode = 64 << 10},
                        {.name = "gpu", .gres = "gpu:h100:8", .memoryPerNode = 512 << 10}};
    return facts;
}

preflight::Report measured(const std::string& device, double flops) {
    preflight::Report report;
    report.device = device;
    report.ranks = 1;
    preflight::Node node;
    node.figures = {{"flops", flops}};
    report.nodes = {node};
    return report;
}

const config::TrainConfig kDefault = config::resolve(Json::object());

TEST(LayoutQuestion, KnowsNothingOfCpusThatNoPreflightMeasured) {
    const auto facts = twoKinds();
    EXPECT_FALSE(layoutQuestion(kDefault, {}, {}, &facts, {}));
    EXPECT_FALSE(layoutQuestion(kDefault, {}, {}, &facts, {measured("cuda", 6e14)}));
    const auto question =
        layoutQuestion(kDefault, {}, {}, &facts, {measured("cuda", 6e14), measured("cpu", 4e10)});
    ASSERT_TRUE(question);
    EXPECT_EQ(question->rates.products, 4e10) << "the newest of its kind";
    EXPECT_FALSE(question->rates.gpu);
}

TEST(LayoutQuestion, TakesAGpuAsPublishedUntilAPreflightMeasuresIt) {
    const auto facts = twoKinds();
    auto config = kDefault;
    config.runtime.precision = "bf16";
    sweep::Resources resources;
    resources.partition = "gpu";
    resources.gpusPerNode = 8;
    resources.ranksPerNode = 8;
    resources.nodes = 2;
    const auto published = layoutQuestion(config, resources, {}, &facts, {});
    ASSERT_TRUE(published);
    EXPECT_EQ(published->machines.ranks(), 16);
    EXPECT_EQ(published->memory.gpuName, "h100") << "as the partition has it";
    const auto slower = layoutQuestion(config, resources, {}, &facts, {measured("cuda", 3e14)});
    EXPECT_LT(slower->rates.products, published->rates.products);
    config.runtime.precision = "fp32";
    EXPECT_NE(layoutQuestion(config, resources, {}, &facts, {measured("cuda", 3e14)})->rates.source,
              slower->rates.source)
        << "what a preflight multiplies is bfloat16";
    resources.partition.clear();
    EXPECT_FALSE(layoutQuestion(config, resources, {}, nullptr, {})) << "a GPU of unknown type";
    resources.gpuType = "h200";
    EXPECT_EQ(layoutQuestion(config, resources, {}, nullptr, {})->rates.name, "h200");
}

TEST(LayoutQuestion, PredictsARunAsItIsConfigured) {
    auto config = kDefault;
    sweep::Resources resources;
    const auto question = layoutQuestion(config, resources, {}, nullptr, {measured("cpu", 4e10)});
    const auto predicted = predictedRun(*question);
    ASSERT_TRUE(predicted);
    EXPECT_GT(predicted->tokensPerSecond, 0);
    auto impossible = *question;
    impossible.config.layout.cp = 3;
    EXPECT_FALSE(predictedRun(impossible));
}

}  // namespace
}  // namespace dailies::remote
