#include "remote/fit/resource_check.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "remote/fit/storage_check.h"
#include "remote/launch/launch_check.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace dailies::remote {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

slurm::ClusterFacts resourceFacts() {
    slurm::ClusterFacts facts;
    facts.maxArraySize = 1001;
    facts.partitions = {
        {.name = "main", .isDefault = true, .timeLimit = "infinite", .nodes = 2, .cpusPerNode = 8},
        {.name = "gpu",
         .timeLimit = "1-00:00:00",
         .nodes = 6,
         .cpusPerNode = 96,
         .gres = "gpu:h100:8,gpu:a100:4"},
        {.name = "old", .up = false, .timeLimit = "30:00", .nodes = 1, .cpusPerNode = 4}};
    facts.partitions[0].kinds = {{.nodes = 2, .cpus = 8, .memory = 16000}};
    facts.partitions[1].kinds = {
        {.nodes = 2, .cpus = 96, .memory = 1'000'000, .gres = "gpu:h100:8", .features = {"ib", "nvme"}},
        {.nodes = 4, .cpus = 64, .memory = 500'000, .gres = "gpu:a100:4", .features = {"ib"}}};
    facts.partitions[1].allowedAccounts = {"vid"};
    facts.partitions[1].maxNodes = 4;
    facts.associations = {{.account = "vid", .qos = {"normal", "high"}},
                          {.account = "lab", .qos = {"normal"}}};
    facts.qosLimits = {{"high", "12:00:00"}};
    return facts;
}

/// What is wrong, as one text; the resources begin as eight H100 of the partition gpu.
std::string problem(const std::function<void(sweep::Resources&)>& change, std::size_t runs = 4) {
    sweep::Resources wanted;
    wanted.partition = "gpu";
    wanted.account = "vid";
    wanted.gpusPerNode = 8;
    wanted.gpuType = "h100";
    wanted.ranksPerNode = 8;
    wanted.timeLimit = "12:00:00";
    change(wanted);
    const auto known = resourceFacts();
    std::string text;
    for (const auto& finding : checkResources(wanted, runs, {}, known))
        text += finding.what + ": " + finding.found + ". " + finding.remedy + "\n";
    return text;
}

TEST(ResourceCheck, FindsNothingInWhatTheClusterHas) {
    EXPECT_EQ(problem([](auto&) {}), "");
    EXPECT_EQ(problem([](auto& r) { r.nodes = 2, r.constraint = "ib&nvme", r.memory = "900G"; }), "");
}

TEST(ResourceCheck, RefusesMoreThanThePartitionGivesAndSaysWhatFits) {
    EXPECT_THAT(problem([](auto& r) { r.timeLimit = "2-00:00:00"; }),
                AllOf(HasSubstr("more than the partition gpu allows, 1-00:00:00"),
                      HasSubstr("goes on from its checkpoint"), HasSubstr("choose the partition main")));
    EXPECT_THAT(problem([](auto& r) { r.timeLimit = "UNLIMITED"; }), HasSubstr("1-00:00:00"));
    EXPECT_THAT(problem([](auto& r) { r.nodes = 5; }), HasSubstr("Ask for 4 or fewer"));
    EXPECT_THAT(problem([](auto& r) { r.nodes = 3; }),
                AllOf(HasSubstr("3 nodes with 8 CPUs, 8 × h100"), HasSubstr("Ask for 2 or fewer")));
    EXPECT_THAT(problem([](auto& r) { r.cpusPerRank = 16; }),
                AllOf(HasSubstr("8 ranks of 16 CPUs"), HasSubstr("Ask for 12 CPUs per rank")));
    EXPECT_THAT(problem([](auto& r) { r.gpusPerNode = 16; }), HasSubstr("Ask for 8 a node"));
    EXPECT_THAT(problem([](auto& r) { r.memory = "2T"; }), HasSubstr("1000000M or less"));
    EXPECT_THAT(problem([](auto&) {}, 2000), HasSubstr("2000 runs exceed this cluster's job array limit"));
}

TEST(ResourceCheck, RefusesNamesThatTheClusterDoesNotHaveWithTheNearest) {
    EXPECT_THAT(problem([](auto& r) { r.partition = "gpus"; }),
                AllOf(HasSubstr("no partition gpus"), HasSubstr("Did you mean gpu?")));
    EXPECT_THAT(problem([](auto& r) { r.gpuType = "h10"; }),
                AllOf(HasSubstr("no GPUs of type h10"), HasSubstr("There are: a100, h100")));
    EXPECT_THAT(problem([](auto& r) { r.constraint = "nvm"; }), HasSubstr("Did you mean nvme?"));
    EXPECT_THAT(problem([](auto& r) { r.account = "vidd"; }),
                AllOf(HasSubstr("no access to the account vidd"), HasSubstr("Did you mean vid?")));
    EXPECT_THAT(problem([](auto& r) { r.qos = "hihg"; }), HasSubstr("Did you mean high?"));
    EXPECT_THAT(problem([](auto& r) { r.account = "lab"; }),
                AllOf(HasSubstr("does not take the account lab"), HasSubstr("It takes: vid")));
    EXPECT_THAT(problem([](auto& r) { r.qos = "high", r.timeLimit = "20:00:00"; }),
                HasSubstr("more than the QOS high allows, 12:00:00"));
    EXPECT_THAT(problem([](auto& r) { r.partition = "main"; }),
                AllOf(HasSubstr("the partition main has none"), HasSubstr("These have some: gpu")));
}

TEST(ResourceCheck, RefusesWhatNoSingleNodeHasAtOnce) {
    EXPECT_THAT(
        problem([](auto& r) { r.gpuType = "a100", r.gpusPerNode = 4, r.constraint = "nvme"; }),
        HasSubstr("no node of the partition gpu offers all of these at once: 8 CPUs, 4 × a100, nvme"));
}

TEST(ResourceCheck, LeavesToSlurmWhatItCannotJudge) {
    EXPECT_EQ(problem([](auto& r) { r.partition = "main,gpu"; }), "") << "Slurm takes the first with room";
    EXPECT_EQ(problem([](auto& r) { r.constraint = "[rack1|rack2]"; }), "");
}

TEST(ResourceCheck, DescribesAPartitionForOneWhoChooses) {
    EXPECT_EQ(
        describe(resourceFacts().partitions[1]),
        "2 nodes of 96 CPUs, 977 GiB, 8 × h100; 4 nodes of 64 CPUs, 488 GiB, 4 × a100; at most 1 d 00 h");
    EXPECT_THAT(features(resourceFacts().partitions[1]), ElementsAre("ib", "nvme"));
    EXPECT_THAT(qosOf(resourceFacts(), "lab"), ElementsAre("normal"));
}

TEST(LaunchWords, PointOutAGoalThatTheTrainerNeverLogsAndTheOneThatWasMeant) {
    const auto found = [](const std::string& metric) {
        sweep::Sweep sweep;
        sweep.metric = metric;
        for (const auto& finding : checkOffline(sweep, 1, {}, nullptr))
            if (finding.what == "Metric") return finding.found + " " + finding.remedy;
        return std::string();
    };
    EXPECT_THAT(found("adherance"), AllOf(HasSubstr("does not log"), HasSubstr("Did you mean adherence?")));
    EXPECT_THAT(found("train_loss"), HasSubstr("does not log"));
    for (const char* metric : {"", "loss", "adherence", "val/loss", "score/aesthetic", "review/rating"})
        EXPECT_EQ(found(metric), "") << metric;
    for (const auto& preset : std::filesystem::directory_iterator(DAILIES_SOURCE_FOLDER "/resources/presets"))
        EXPECT_EQ(found(sweep::parseSweep(readFile(preset.path()), preset.path().string()).metric), "")
            << preset.path();
}

TEST(LaunchWords, WarnOfRunsThatMakeNoClips) {
    const auto found = [](const char* yaml) {
        for (const auto& finding : checkOffline(sweep::parseSweep(yaml, "s.yaml"), 1, {}, nullptr))
            if (finding.what == "Clips") return finding.found + ". " + finding.remedy;
        return std::string();
    };
    EXPECT_THAT(found("config: {data: {source: webdataset, shards: [a.tar], latents: latent.npy}}\n"),
                AllOf(HasSubstr("the runs produce no clips while training"), HasSubstr("tokenizer.decoder")));
    EXPECT_THAT(found("config: {data: {source: webdataset, shards: [a.tar], text_embeddings: t.npy},\n"
                      "  sampling: {prompts: [a cat]}}\n"),
                HasSubstr("sampling.prompt_embeddings"));
    EXPECT_EQ(found("config: {steps: 10}\n"), "");
    for (const auto& entry : std::filesystem::directory_iterator(DAILIES_SOURCE_FOLDER "/resources/presets"))
        EXPECT_EQ(found(readFile(entry.path()).c_str()), "") << entry.path();
}

TEST(StorageCheck, SaysWhatTheRunsWriteAndWhetherThereIsRoom) {
    const auto sweep = sweep::parseSweep(
        "parameters: {seed: {values: [1, 2]}}\n"
        "config: {steps: 1000, checkpoint: {every: 100, keep: 2, keep_every: 500}}\n",
        "s.yaml");
    const auto runs = sweep::expand(sweep);
    const auto need = estimateStorage(runs, runs.size());
    EXPECT_EQ(need.checkpoints, 2 * (2 + 2)) << "the newest two, and those of steps 500 and 1000";
    EXPECT_GT(need.bytes, 10 * need.oneCheckpoint) << "one more a run is written before the oldest goes";
    EXPECT_EQ(estimateStorage(runs, 4).bytes, 2 * need.bytes) << "runs that follow from results write, too";

    FreeSpace room = parseFreeSpace("blocks 1000000000\ninodes 0\n");
    EXPECT_EQ(checkStorage(need, room, "/w").verdict, Verdict::Good);
    room = parseFreeSpace("blocks 1000\ninodes 100\n");
    const auto full = checkStorage(need, room, "/w");
    EXPECT_EQ(full.verdict, Verdict::Bad);
    EXPECT_THAT(full.found,
                AllOf(HasSubstr("8 checkpoints"), HasSubstr("the file system of /w has 1000 KiB left")));
    EXPECT_THAT(full.remedy, HasSubstr("checkpoint.keep"));
}

TEST(StorageCheck, ReadsTheQuotaOfLustreAndOfOtherFileSystems) {
    const auto lustre =
        parseFreeSpace("blocks 1000000000\nlfs /lustre/home 1048000* 1048576 2097152 - 500 0 0 -\n");
    EXPECT_EQ(lustre.quotaBytes, 576.0 * 1024);
    EXPECT_EQ(lustre.quotaSource, "lfs quota");
    EXPECT_EQ(parseFreeSpace("quota server:/home 100 200 0 10 0 0\n").quotaBytes, 100.0 * 1024);
    EXPECT_FALSE(parseFreeSpace("quota server:/home 100 0 0 10 0 0\n").quotaBytes) << "0 is no limit";
    EXPECT_FALSE(parseFreeSpace("quota: error\nlfs \n").quotaBytes);
    SweepStorage need;
    need.bytes = 1 << 20;
    EXPECT_THAT(checkStorage(need, lustre, "/w").found, HasSubstr("your quota in /w (lfs quota)"));
}

}  // namespace
}  // namespace dailies::remote
