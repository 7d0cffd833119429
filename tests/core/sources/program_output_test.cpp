#include "core/rules/output_rule.h"
#include "core/sources/output_lines.h"
#include "core/sources/registry.h"
#include "tests/core/sources/source_fixture.h"

namespace dailies::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

std::string bar(const std::string& description, int step, const std::string& postfix) {
    return "\r" + description + ":  38%|███▊      | " + std::to_string(step) + "/96 [13:19<21:14, 21.61s/it" +
           (postfix.empty() ? "" : ", " + postfix) + "]";
}

TEST(OutputLines, AProgressBarSaysItsStepAndItsPostfix) {
    const auto found =
        parseProgressBar("steps:  38%|███▊      | 37/96 [13:19<21:14, 21.61s/it, avr_loss=0.0796, lr=1e-4]");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->description, "steps");
    EXPECT_EQ(found->step, 37);
    EXPECT_THAT(found->values, ElementsAre(Pair("avr_loss", 0.0796), Pair("lr", 1e-4)));
    EXPECT_TRUE(parseProgressBar("37it [00:10,  3.50it/s, loss=nan]"));
    EXPECT_THAT(parseProgressBar(" 10%|█ | 1/10 [00:01<?, ?it/s]")->values, IsEmpty());
    EXPECT_FALSE(parseProgressBar("50%| done"));
    EXPECT_FALSE(parseProgressBar("Downloading: 38%|███ | 1.20G/3.10G [00:10<00:20, 100MB/s]"));
}

TEST(OutputLines, BarsOfEpochsAreCountedThrough) {
    const auto lightning =
        parseProgressBar("Epoch 2:  12%|█▏   | 12/100 [00:10<00:20, 3.50it/s, v_num=0, train_loss=0.5]");
    ASSERT_TRUE(lightning);
    EXPECT_EQ(lightning->step, 212);
    EXPECT_EQ(lightning->description, "Epoch");
    EXPECT_THAT(lightning->values, ElementsAre(Pair("train_loss", 0.5)));
    EXPECT_EQ(parseProgressBar("Epoch 3/10:  12%|█▏   | 12/100 [00:10<00:20, 3.50it/s]")->step, 212);
    EXPECT_EQ(parseProgressBar("Epoch 3/10:  12%|█▏   | 12/100 [00:10<00:20, 3.50it/s, global_step=7]")->step,
              7);
    EXPECT_EQ(parseProgressBar("Epoch 99999999999999:  12%|█▏   | 12/100 [00:10<00:20, 3.50it/s]")->step, 12);
}

TEST(OutputLines, APythonDictIsReadStrictly) {
    const auto row = parsePythonDict(
        "{'loss': 0.51, 'grad_norm': nan, 'learning_rate': '4e-05', 'epoch': 0.1, 'x': None}");
    ASSERT_TRUE(row);
    EXPECT_FALSE(row->step);
    EXPECT_THAT(row->values,
                ElementsAre(Pair("loss", 0.51), Pair("grad_norm", testing::NanSensitiveDoubleEq(NAN)),
                            Pair("learning_rate", 4e-05), Pair("epoch", 0.1)));
    EXPECT_EQ(parsePythonDict("{'step': 7, 'loss': 1.0,}")->step, 7);
    for (const char* other : {"{'loss': __import__('os')}", "{'a': {'b': 1}}", "{'loss': 0.5} and more", "{}",
                              "{'loss' 1}", "{loss: 1}", "{'a\\'b': 1}", "{'loss': 0.5", "{'a': [1]}"})
        EXPECT_FALSE(parsePythonDict(other)) << other;
}

TEST(OutputLines, PairsOfTheUsualTrainersAreRead) {
    const auto megatron = parsePairs(
        " [2024-05-01 10:00:00] iteration       10/     100 | consumed samples:           80 | elapsed time "
        "per "
        "iteration (ms): 123.4 | learning rate: 1.500E-04 | global batch size:     8 | lm loss: 1.234E+00 | "
        "loss scale: 1.0 | number of skipped iterations:   0 |");
    ASSERT_TRUE(megatron);
    EXPECT_EQ(megatron->step, 10);
    EXPECT_THAT(
        megatron->values,
        ElementsAre(Pair("consumed samples", 80), Pair("elapsed time per iteration (ms)", 123.4),
                    Pair("learning rate", 1.5e-4), Pair("global batch size", 8), Pair("lm loss", 1.234),
                    Pair("loss scale", 1), Pair("number of skipped iterations", 0)));
    const auto deepSpeed = parsePairs("steps: 10 loss: 0.1200 iter time (s): 0.345 samples/sec: 23.155");
    ASSERT_TRUE(deepSpeed);
    EXPECT_EQ(deepSpeed->step, 10);
    EXPECT_THAT(deepSpeed->values,
                ElementsAre(Pair("loss", 0.12), Pair("iter time (s)", 0.345), Pair("samples/sec", 23.155)));
    const auto titan = parsePairs(plainText(
        "[titan] 2024-05-01 10:00:00,123 - root - INFO - \x1B[31mstep: 10  \x1B[32mloss:  7.5012  "
        "\x1B[34mgrad_norm:  1.25  memory:  3.40GiB(4.3%)  \x1B[36mtps: 1,234  mfu: 30.10%\x1B[39m"));
    ASSERT_TRUE(titan);
    EXPECT_EQ(titan->step, 10);
    EXPECT_THAT(titan->values, ElementsAre(Pair("loss", 7.5012), Pair("grad_norm", 1.25), Pair("memory", 3.4),
                                           Pair("tps", 1234), Pair("mfu", 30.1)));
    const auto plain = parsePairs("2024-05-01 10:00:00,123 INFO step=500 loss=inf, lr=1e-4 (epoch 3)");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->step, 500);
    EXPECT_THAT(plain->values, ElementsAre(Pair("loss", INFINITY), Pair("lr", 1e-4)));
}

TEST(OutputLines, OtherLinesAreNone) {
    for (const char* other :
         {"", "Saving the checkpoint of step 500 to /scratch/x/step-500", "step 3 of the installation",
          "Traceback (most recent call last):", "loss: 0.5 without where", "steps_per_print .... 10",
          "2024-05-01 10:00:00 step", "iteration time: 3", "[rank0]: step 10/100", "http://host:8080/step=1"})
        EXPECT_FALSE(parsePairs(other)) << other;
}

TEST(ProgramOutputSource, KnowsItsFilesByTheirNames) {
    EXPECT_EQ(sourceOf("logs/1234_5.out"), &programOutput());
    EXPECT_EQ(sourceOf("train.log"), &programOutput());
    EXPECT_EQ(sourceOf("wandb/offline-run-1-a/logs/debug.log"), nullptr);
}

TEST(ProgramOutputSource, AStepOfAProgressBarHasTheValuesThatItWasShownWithLast) {
    // tqdm shows step 2 with step 1's loss until the program sets the new one
    const auto file = "Starting\n" + bar("Steps", 0, "") + bar("Steps", 1, "") +
                      bar("Steps", 1, "loss=0.5, lr=1e-4") + bar("Steps", 2, "loss=0.5, lr=1e-4") +
                      bar("Steps", 2, "loss=0.25, lr=1e-4") + bar("Denoising", 7, "") +
                      bar("Steps", 3, "loss=0.25, lr=1e-4");
    auto read = readWhole(programOutput(), file);
    EXPECT_THAT(read.values("loss"), ElementsAre(0.5)) << "the bar may still be shown anew";
    read.read(programOutput(), file + bar("Steps", 3, "loss=0.125, lr=1e-4") + "\nDone.\n");
    EXPECT_THAT(read.values("loss"), ElementsAre(0.5, 0.25, 0.125));
    EXPECT_THAT(read.steps("lr"), ElementsAre(1, 2, 3));
    EXPECT_EQ(read.findings.metrics.at("loss")[0].timestampMs, kReadMs);
}

TEST(ProgramOutputSource, ADictWithoutAStepTakesThatOfTheBarThatIsShownNext) {
    const auto read = readWhole(
        programOutput(), bar("", 9, "") + "\n{'loss': 0.5, 'epoch': 0.1}\n" + bar("", 10, "") +
                             bar("", 19, "") + "\n{'loss': 0.25, 'epoch': 0.2}\n" + bar("", 20, "") + "\n");
    EXPECT_THAT(read.steps("loss"), ElementsAre(10, 20));
    EXPECT_THAT(read.values("epoch"), ElementsAre(0.1, 0.2));
}

TEST(ProgramOutputSource, DictsWithoutAnyStepAreTold) {
    const auto read = readWhole(programOutput(), "{'loss': 0.5}\n{'loss': 0.25}\n{'loss': 0.1}\n");
    EXPECT_THAT(read.findings.metrics, IsEmpty());
    EXPECT_THAT(read.findings.problems, ElementsAre(HasSubstr("without a step")));
}

TEST(ProgramOutputSource, ReadsTheSameHoweverItIsCut) {
    expectSameHoweverItIsCut(programOutput(), "Starting…\r\n" + bar("Steps", 1, "loss=0.5") +
                                                  bar("Steps", 2, "loss=nan") +
                                                  "\n{'loss': 0.5, 'epoch': 0.1}\n" + bar("", 10, "x=2") +
                                                  bar("", 11, "x=3") + "\n" +
                                                  "{\"step\": 3, \"loss\": 1}\n\x1B[31mstep: 4  loss: "
                                                  "2\x1B[39m\niteration 5/ 9 | lm loss: 1.0E+00 |\n\r\r\n" +
                                                  bar("Steps", 3, "loss=1"));
}

TEST(ProgramOutputSource, WhatIsMadeToDoHarmIsBounded) {
    std::string bars;
    for (int i = 0; i < 1'000; ++i) bars += bar("bar \xFF" + std::to_string(i), i, "loss\xC3=1");
    expectBounded(programOutput(), bars);
    std::string pairs = "step: 1";
    for (int i = 0; i < 100'000; ++i) pairs += " k" + std::to_string(i) + ": 1";
    expectBounded(programOutput(), pairs + "\n");
    expectBounded(programOutput(), "step: 99999999999999999999 loss: 1\nstep: 1 : = : = :1 =2 ::: a\n");
    expectBounded(programOutput(),
                  "{'" + std::string(60'000, 'k') + "': 1}\nstep 1 " + std::string(60'000, ':') + "\n");
    std::string nameless = "step 1 ";
    for (int i = 0; i < 15'000; ++i) nameless += "= 1 ";
    for (int i = 0; i < 6; ++i) nameless += "\n" + nameless.substr(0, 60'000);
    expectBounded(programOutput(), nameless + "\n");  // in a time in proportion to it
    for (unsigned seed = 0; seed < 20; ++seed) {
        auto text = noise(5'000, seed);
        for (std::size_t i = 0; i + 8 < text.size(); i += 40) text.replace(i, 8, " step=1 ");
        expectBounded(programOutput(), text);
    }
}

/// How the output is read by the user's rule.
class RuledOutput : public testing::Test {
protected:
    Followed read(std::string_view file) const {
        Followed followed;
        followed.outputRule = &m_rule;
        followed.read(programOutput(), file);
        return followed;
    }

    const rules::OutputRule m_rule{R"(=> step (?P<step>\d+)|(?P<name>[\w/]+)[=~](?P<value>\S+))"};
};

TEST_F(RuledOutput, TakesThePlaceOfWhatIsKnownOfOutput) {
    const auto found =
        read("=> step 10 train/loss=0.5 lr~1e-4\n{'loss': 7, 'step': 3}\n=> step 11\nloss=0.25\n");
    EXPECT_THAT(found.steps("train/loss"), ElementsAre(10));
    EXPECT_THAT(found.values("lr"), ElementsAre(1e-4));
    EXPECT_THAT(found.values("loss"), ElementsAre(0.25)) << "of the rule alone";
    EXPECT_THAT(found.steps("loss"), ElementsAre(11)) << "of the line before";
    EXPECT_THAT(found.findings.problems, IsEmpty());
}

TEST_F(RuledOutput, ALineThatIsWrittenOverCountsOnceItsStepHasPassed) {
    const auto found = read(
        "=> step 1 loss=9\r=> step 1 loss=1 lr=5\r\x1B[32m=> step 2\x1B[0m loss=1\r=> step 2 psnr=30\n"
        "=> step 2 loss=2\r=> step 3 loss=3\r");
    EXPECT_THAT(found.steps("loss"), ElementsAre(1, 2));
    EXPECT_THAT(found.values("loss"), ElementsAre(1, 2));
    EXPECT_THAT(found.steps("lr"), ElementsAre(1));
    EXPECT_THAT(found.values("psnr"), ElementsAre(30));
}

TEST_F(RuledOutput, IsTheSameHoweverItIsCut) {
    const std::string file =
        "x\n=> step 1 loss=9\r=> step 1 loss=1\r\n=> step 2 loss=tbd\nloss=3 ü\r\n=> step 4 a/b=nan\r";
    const auto whole = told(read(file));
    for (std::size_t cut = 0; cut <= file.size(); ++cut) {
        Followed followed;
        followed.outputRule = &m_rule;
        followed.read(programOutput(), std::string_view(file).substr(0, cut));
        followed.read(programOutput(), file);
        ASSERT_EQ(told(followed), whole) << "cut at byte " << cut;
    }
    EXPECT_THAT(whole, HasSubstr("\"tbd\" where a number should be"));
}

TEST_F(RuledOutput, MetricsBeforeTheFirstStepAreTold) {
    const auto found = read("loss=1\nloss=2\n");
    EXPECT_THAT(found.findings.metrics, IsEmpty());
    EXPECT_THAT(found.findings.problems, ElementsAre(HasSubstr("before the first step")));
}

TEST_F(RuledOutput, NoiseAndLongLinesAreBounded) {
    for (unsigned seed = 0; seed < 5; ++seed) {
        Followed followed;
        followed.outputRule = &m_rule;
        ASSERT_NO_THROW(followed.read(programOutput(), noise(200'000, seed)));
        EXPECT_LE(followed.cursor.state.dump().size(), 10'000u);
    }
    const auto found = read("=> step 1 loss=1 " + std::string(1 << 20, 'x') + "\n" +
                            std::string(100'000, '=') + "\n=> step 2 loss=2\n");
    EXPECT_THAT(found.steps("loss"), ElementsAre(2));
}

}  // namespace
}  // namespace dailies::sources
