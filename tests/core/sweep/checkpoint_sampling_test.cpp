#include "core/sweep/command.h"
#include "tests/core/sweep/sweep_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kSampledProgram = "program: train.py\nparameters: {lr: {value: 1e-5}}\n";
const std::string kSampling = R"(sample_checkpoints:
  command: [python, generate.py, "--lora=${checkpoint}", "--out=${clips}/${step}", "${run_dir}", "${envvar:HOME}/wan"]
)";

TEST(CheckpointSampling, ItsWordsNameWhatIsSampledAndWhereItsClipsGo) {
    const Sweep sweep =
        parseSweep(kSampledProgram + kSampling + "  checkpoints: \"step*.safetensors\"\n", "sweep.yaml");
    const auto words = samplingWords(*sweep.sampleCheckpoints);
    EXPECT_THAT(shownWords(words), ElementsAre("python", "generate.py", "--lora=${checkpoint}",
                                               "--out=${clips}/${step}", "${run_dir}", "${envvar:HOME}/wan"));
    EXPECT_EQ(shellWord(words[2]), R"('--lora='"${DAILIES_CHECKPOINT-DAILIES_CHECKPOINT}")");
    EXPECT_EQ(sampledCheckpoints(*sweep.sampleCheckpoints, *sweep.program), "step*.safetensors");
}

TEST(CheckpointSampling, TheCheckpointsAreThoseThatARunGoesOnFromUnlessItSaysWhich) {
    const Sweep sweep = parseSweep(kSampledProgram + "resume: diffusers\n" + kSampling, "sweep.yaml");
    EXPECT_EQ(sampledCheckpoints(*sweep.sampleCheckpoints, *sweep.program), "checkpoint-*");
}

TEST(CheckpointSampling, ItAsksForOneProcessOfTheRunsUnlessItSaysWhat) {
    Resources run;
    run.nodes = 2;
    run.ranksPerNode = 8;
    run.gpusPerNode = 8;
    run.memory = "100G";
    const CheckpointSampling sampling;
    const auto one = samplingResources(sampling, run);
    EXPECT_EQ(one.nodes, 1);
    EXPECT_EQ(one.ranksPerNode, 1);
    EXPECT_EQ(one.gpusPerNode, 1);
    EXPECT_EQ(one.memory, "100G");
}

TEST(CheckpointSampling, SurvivesBeingWritten) {
    const Sweep sweep = parseSweep(kSampledProgram + kSampling +
                                       "  checkpoints: \"/a b/*'$x\"\n  resources: {memory: 20G, "
                                       "time_limit: \"0:10:00\", gpus_per_node: 1}\n",
                                   "sweep.yaml");
    const Sweep again = parseSweep(toYaml(sweep), "again");
    EXPECT_EQ(again.sampleCheckpoints, sweep.sampleCheckpoints) << toYaml(sweep);
    ASSERT_TRUE(again.sampleCheckpoints->resources);
    EXPECT_EQ(again.sampleCheckpoints->resources->memory, "20G");
}

TEST(CheckpointSampling, WhatCannotSampleIsRefused) {
    const auto refused = [](const std::string& sampling, const std::string& before = kSampledProgram) {
        return refusal(before + "sample_checkpoints: " + sampling + "\n");
    };
    EXPECT_THAT(refused("{command: [generate.sh, \"${checkpoint}\"]}"),
                HasSubstr("sample_checkpoints.checkpoints: found nothing, expected a pattern"));
    EXPECT_THAT(refused("{checkpoints: a}"), HasSubstr("sample_checkpoints.command: found nothing"));
    EXPECT_THAT(refused("{command: [generate.sh], checkpoints: a}"),
                HasSubstr("found no ${checkpoint} in it"));
    EXPECT_THAT(refused("{command: [generate.sh, \"${checkpoint}\", \"${args}\"], checkpoints: a}"),
                HasSubstr("found ${args}, expected a word as the program takes it"));
    EXPECT_THAT(refused("{comand: [a]}"), HasSubstr("did you mean command?"));
    EXPECT_THAT(refused("{command: [a, \"${checkpoint}\"], checkpoints: a}",
                        "parameters: {optimizer.lr: {value: 0.1}}\n"),
                HasSubstr("sample_checkpoints: found it without a program"));
}

}  // namespace
}  // namespace dailies::sweep
