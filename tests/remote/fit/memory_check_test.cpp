#include "remote/fit/memory_check.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::remote {
namespace {

using planner::FitVerdict;
using testing::AllOf;
using testing::HasSubstr;

constexpr double kGibibyte = 1 << 30;

slurm::ClusterFacts memoryFacts() {
    slurm::ClusterFacts facts;
    facts.memoryCounted = true;
    facts.partitions = {
        {.name = "main", .isDefault = true, .memoryPerNode = 64 << 10, .defaultMemoryPerCpu = 1 << 10},
        {.name = "gpu", .gres = "gpu:a100:4(S:0-1),gpu:h100:8", .memoryPerNode = 512 << 10}};
    return facts;
}

MemoryCheck check(const std::string& yaml, const slurm::ClusterFacts* cluster) {
    const auto sweep = sweep::parseSweep(yaml, "s.yaml");
    return checkMemory(sweep, sweep::expand(sweep), {}, cluster);
}

constexpr const char* kLarge =
    "parameters: {data.batch_size: {values: [16, 256]}}\n"
    "config: {model.width: 256, model.depth: 8, data.height: 64, data.width: 64}\n";

TEST(MemoryCheck, GivesAJobWhatSlurmWouldGiveIt) {
    const auto known = memoryFacts();
    sweep::Resources resources;
    EXPECT_EQ(jobMemory(resources, {}, &known).nodeBytes, kGibibyte) << "the partition's rule, one CPU";
    resources.ranksPerNode = 2;
    resources.cpusPerRank = 4;
    EXPECT_EQ(jobMemory(resources, {}, &known).nodeBytes, 8 * kGibibyte);
    EXPECT_EQ(jobMemory(resources, {}, &known).wholeNode, 64 * kGibibyte);
    resources.memory = "12G";
    EXPECT_EQ(jobMemory(resources, {}, &known).nodeBytes, 12 * kGibibyte);
    EXPECT_EQ(jobMemory(resources, {}, nullptr).nodeBytes, 12 * kGibibyte);
    resources.memory = "2048";
    EXPECT_EQ(jobMemory(resources, {}, nullptr).nodeBytes, 2 * kGibibyte) << "sbatch counts in MiB";
    resources.memory = "0";
    resources.partition = "gpu";
    const auto whole = jobMemory(resources, {}, &known);
    EXPECT_EQ(whole.nodeBytes, 512 * kGibibyte) << "0 asks for the node";
    EXPECT_EQ(whole.gpuName, "h100");
    EXPECT_EQ(whole.gpuBytes, planner::gpuMemory("h100"));
    auto shared = known;
    shared.memoryCounted = false;
    EXPECT_EQ(jobMemory({}, {}, &shared).nodeBytes, 64 * kGibibyte);
    EXPECT_FALSE(jobMemory({}, {}, nullptr).nodeBytes);
}

TEST(MemoryCheck, TellsOfTheRunThatComesOffWorst) {
    const auto known = memoryFacts();
    const auto found = check(kLarge, &known);
    EXPECT_EQ(found.verdict, FitVerdict::tooLarge);
    EXPECT_THAT(found.text,
                AllOf(HasSubstr("batch_size=256: "), HasSubstr("partition main by default (1 CPU)")));
    EXPECT_THAT(found.remedy, HasSubstr("resources.memory"));
    try {
        throwIfTooLarge(found);
        FAIL() << "refused";
    } catch (const InputError& error) {
        EXPECT_THAT(error.full(), AllOf(HasSubstr("does not fit"), HasSubstr("too little")));
    }
    const auto enough = check(std::string(kLarge) + "resources: {memory: 60G}\n", &known);
    EXPECT_EQ(enough.verdict, FitVerdict::fits) << enough.text;
    EXPECT_NO_THROW(throwIfTooLarge(enough));
}

TEST(MemoryCheck, WithoutAClusterItTellsWhatIsNeeded) {
    const auto found = check("parameters: {optimizer.lr: {values: [0.01, 0.02]}}\n", nullptr);
    EXPECT_EQ(found.verdict, FitVerdict::unknown);
    EXPECT_THAT(found.text, HasSubstr("Each rank needs about")) << "no run is named: all need the same";
    EXPECT_NO_THROW(throwIfTooLarge(found));
}

TEST(MemoryCheck, EveryPresetFitsWhereItSaysItDoes) {
    const auto known = memoryFacts();
    for (const auto* preset : {"shapes-lr", "shapes-quick", "shapes-asha", "shapes-tpe", "figures-min-snr"}) {
        const auto sweep = sweep::parseSweep(
            readFile(std::string(DAILIES_SOURCE_FOLDER "/resources/presets/") + preset + ".yaml"), preset);
        const auto found = checkMemory(sweep, sweep::expand(sweep), {}, &known);
        EXPECT_EQ(found.verdict, FitVerdict::fits) << preset << ": " << found.text;
    }
    const auto file = std::string(DAILIES_SOURCE_FOLDER "/resources/presets/moviegen-1b.yaml");
    auto sweep = sweep::parseSweep(readFile(file), file);
    sweep.resources.partition = "gpu";
    const auto found = checkMemory(sweep, sweep::expand(sweep), {}, &known);
    EXPECT_NE(found.verdict, FitVerdict::tooLarge) << found.text;
}

}  // namespace
}  // namespace dailies::remote
