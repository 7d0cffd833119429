#include "core/sweep/launcher.h"

#include "core/sweep/command.h"
#include "tests/core/sweep/sweep_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::sweep {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kDefault = "program: t.py\nparameters: {lr: {value: 1}}\n";
const std::string kTwoNodes = "resources: {nodes: 2, ranks_per_node: 4, gpus_per_node: 4}\n";

std::vector<std::string> wordsOf(const std::string& yaml) {
    const Sweep sweep = parseSweep(yaml, "sweep.yaml");
    return shownWords(renderCommand(sweep, expand(sweep).front()).words);
}

TEST(Launcher, StandsWhereTheInterpreterStood) {
    EXPECT_THAT(wordsOf(kDefault + "start: torchrun\n" + kTwoNodes),
                ElementsAre("torchrun", "--nnodes=${envvar:SLURM_NNODES}", "--nproc-per-node=4",
                            "--rdzv-id=${envvar:SLURM_JOB_ID}", "--rdzv-backend=c10d",
                            "--rdzv-endpoint=${envvar:MASTER_ADDR}:${envvar:MASTER_PORT}", "t.py", "--lr=1"));
    EXPECT_THAT(
        wordsOf(kDefault + "start: accelerate\n" + kTwoNodes),
        ElementsAre("accelerate", "launch", "--num_machines=2", "--num_processes=8",
                    "--machine_rank=${envvar:SLURM_NODEID}", "--main_process_ip=${envvar:MASTER_ADDR}",
                    "--main_process_port=${envvar:MASTER_PORT}", "--rdzv_backend=c10d", "t.py", "--lr=1"));
    EXPECT_THAT(wordsOf(kDefault + "start: deepspeed\n" + kTwoNodes),
                ElementsAre("deepspeed", "--hostfile=${run_dir}/hostfile", "--no_ssh",
                            "--node_rank=${envvar:SLURM_NODEID}", "--master_addr=${envvar:MASTER_ADDR}",
                            "--master_port=${envvar:MASTER_PORT}", "t.py", "--lr=1"));
    EXPECT_THAT(
        wordsOf(kDefault + "start: deepspeed\nresources: {ranks_per_node: 2}\n"),
        ElementsAre("deepspeed", "--num_gpus=2", "--master_port=${envvar:MASTER_PORT}", "t.py", "--lr=1"));
    for (const char* start : {"process", "tasks"})
        EXPECT_THAT(wordsOf(kDefault + "start: " + start + "\n" + kTwoNodes),
                    ElementsAre("/usr/bin/env", "python", "t.py", "--lr=1"));
    EXPECT_THAT(wordsOf(kDefault + "start: accelerate\nresources: {nodes: 2, gpus_per_node: 1}\n"),
                Contains("--multi_gpu"))
        << "it would see one GPU and start one process on each node";
}

TEST(Launcher, IsToldOfAModuleAndOfWhatIsNoPython) {
    const auto from = [](std::vector<std::string> words, const std::string& flag) {
        return std::vector(std::ranges::find(words, flag), words.end());
    };
    const std::string module = "program: pkg.train\ncommand: [python3, -m, \"${program}\", --fast]\n";
    EXPECT_THAT(from(wordsOf(module + "start: torchrun\n"), "-m"), ElementsAre("-m", "pkg.train", "--fast"));
    EXPECT_THAT(from(wordsOf(module + "start: accelerate\n"), "-m"),
                ElementsAre("-m", "pkg.train", "--fast"));
    EXPECT_THAT(from(wordsOf(module + "start: deepspeed\n"), "--module"),
                ElementsAre("--module", "pkg.train", "--fast"));
    const std::string wrapped = "program: t.py\ncommand: [bash, run.sh, \"${program}\"]\n";
    EXPECT_THAT(from(wordsOf(wrapped + "start: torchrun\n"), "--no-python"),
                ElementsAre("--no-python", "bash", "run.sh", "t.py"));
    EXPECT_THAT(from(wordsOf("command: [python, train.py]\nstart: accelerate\n"), "--no_python"),
                ElementsAre("--no_python", "python", "train.py"));
    EXPECT_THAT(noticesOf(wrapped + "start: torchrun\n"),
                Contains(HasSubstr("torchrun is put in front of the whole command")));
    EXPECT_THAT(noticesOf(module + "start: torchrun\n"), IsEmpty());
}

TEST(Launcher, ThatTheCommandNamesItselfIsLeftAsItIs) {
    const std::string own =
        "program: t.py\ncommand: [torchrun, --standalone, \"--node_rank=${envvar:SLURM_NODEID}\", "
        "\"${program}\"]\n";
    EXPECT_THAT(wordsOf(own + kTwoNodes),
                ElementsAre("torchrun", "--standalone", "--node_rank=${envvar:SLURM_NODEID}", "t.py"));
    EXPECT_THAT(noticesOf(own + kTwoNodes), IsEmpty());
    const auto sweep = parseSweep(own + kTwoNodes, "sweep.yaml");
    EXPECT_TRUE(startsOnEachNode(*sweep.program, sweep.resources));
    for (const char* start : {"torchrun", "tasks"})
        EXPECT_THAT(refusal(own + "start: " + start + "\n"), HasSubstr("starts a launcher by itself"));
    EXPECT_THAT(refusal("command: [python, -m, torch.distributed.run, t.py]\nstart: deepspeed\n"),
                HasSubstr("starts a launcher by itself"));
    EXPECT_EQ(refusal("command: [python, t.py, --with, accelerate]\nstart: tasks\n"), "accepted")
        << "a word for the program";
}

TEST(Start, SaysWhatStaysUnused) {
    EXPECT_THAT(noticesOf(kDefault + kTwoNodes),
                Contains(HasSubstr("of the 2 nodes of a run the first alone")));
    EXPECT_THAT(noticesOf(kDefault + "resources: {ranks_per_node: 4}\n"), Contains(HasSubstr("of 4 ranks")));
    EXPECT_THAT(noticesOf(kDefault + "start: tasks\n" + kTwoNodes), IsEmpty());
    EXPECT_THAT(noticesOf(kDefault), IsEmpty());
    EXPECT_THAT(noticesOf(kDefault + "start: accelerate\nresources: {nodes: 2}\n"),
                Contains(HasSubstr("without GPUs")));
    EXPECT_THAT(noticesOf(kDefault + "start: torchrun\nresume: {stop: {signal: USR1}}\n"),
                Contains(HasSubstr("reaches the launcher")));
}

TEST(Start, SurvivesBeingWrittenAndRefusesWhatThereIsNot) {
    for (const auto& name : startNames()) {
        const Sweep sweep = parseSweep(kDefault + "start: " + name + "\n", "sweep.yaml");
        EXPECT_EQ(nameOf(sweep.program->start), name);
        EXPECT_EQ(parseSweep(toYaml(sweep), "sweep.yaml").program, sweep.program);
    }
    EXPECT_THAT(
        refusal(kDefault + "start: mpirun\n"),
        HasSubstr("start: found mpirun, expected one of: process, torchrun, accelerate, deepspeed, tasks"));
    EXPECT_THAT(refusal("parameters: {seed: {value: 1}}\nstart: tasks\n"),
                HasSubstr("start: found it without a program"));
}

}  // namespace
}  // namespace dailies::sweep
