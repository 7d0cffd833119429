#include "core/base/error.h"
#include "tests/remote/job_script/script_run_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

// Scripts of programs of the user's own, run by the real bash.

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A program of the user's own, whose srun starts what it is given.
class OwnProgramScriptRun : public ArrayScriptRun {
protected:
    OwnProgramScriptRun() {
        fs::create_directories(m_folder.path() / "my code");
        m_job.program = ownProgramParts((m_folder.path() / "my code").string());
        program("srun", "while [ \"${1#--}\" != \"$1\" ]; do shift; done\nexec \"$@\"\n");
        startsWith("'/usr/bin/env' 'bash' 'train.sh' '--lr=a b'");
    }
    void startsWith(const std::string& words) {
        fs::create_directories(runFolder());
        writeFileAtomically(runFolder() / "command.sh", "command=(\n" + words + "\n)\n");
    }
};

TEST_F(OwnProgramScriptRun, StartsInItsFolderWithItsWordsAndTrackersWriteIntoTheRunsFolder) {
    writeFileAtomically(
        m_folder.path() / "my code/train.sh",
        "echo \"$PWD $1\" >\"$DAILIES_RUN_DIR/args\"\nenv >\"$DAILIES_RUN_DIR/environment\"\n");
    EXPECT_EQ(run(), 0);
    EXPECT_THAT(readFile(runFolder() / "args"), testing::EndsWith("/my code --lr=a b\n"));
    const auto environment = readFile(runFolder() / "environment");
    const auto folder = runFolder().string();
    for (const std::string& line : std::vector<std::string>{
             "WANDB_MODE=offline", "WANDB_RUN_ID=" + std::string(kRun), "PYTHONUNBUFFERED=1"})
        EXPECT_THAT(environment, HasSubstr("\n" + line + "\n"));
    for (const char* variable :
         {"WANDB_DIR=", "MLFLOW_TRACKING_URI=file:", "TRACKIO_DIR=", "TENSORBOARD_LOGGING_DIR="})
        EXPECT_THAT(environment, HasSubstr("\n" + (variable + folder)));
    EXPECT_THAT(readFile(runFolder() / "attempts.tsv"), testing::EndsWith("\t0\n"));
}

TEST_F(OwnProgramScriptRun, ItsExitCodeIsTheJobsAndWhatIsMissingIsNamed) {
    startsWith("bash -c 'exit 3'");
    EXPECT_EQ(run(), 3);
    EXPECT_THAT(readFile(runFolder() / "attempts.tsv"), testing::EndsWith("\t3\n"));
    startsWith("no-such-program --lr=1");
    EXPECT_EQ(run(), 127);
    EXPECT_THAT(log(), HasSubstr("dailies: no-such-program was not found"));
    EXPECT_FALSE(fs::exists(m_folder.path() / "scontrol")) << "nothing is tried again";
}

TEST_F(OwnProgramScriptRun, AFolderThatTheNodeCannotEnterEndsTheRun) {
    fs::remove_all(m_folder.path() / "my code");
    EXPECT_EQ(run(), 66);
    EXPECT_THAT(log(), HasSubstr("cannot enter"));
    EXPECT_THAT(readFile(runFolder() / "attempts.tsv"), testing::EndsWith("\t66\n"));
}

class SamplingScriptRun : public OwnProgramScriptRun {
protected:
    void samples(const std::string& checkpoints) {
        sweep::CheckpointSampling sampling;
        sampling.command = {"generate.sh", "${checkpoint}"};
        sampling.checkpoints = checkpoints;
        m_job.program = ownProgramParts((m_folder.path() / "my code").string(), sweep::Program{},
                                        m_job.resources, sampling);
    }
    /// What sbatch was given: a line for each job, of the step and the checkpoint below the run's folder.
    std::string submitted() const {
        const auto file = m_folder.path() / "submitted";
        return fs::exists(file) ? readFile(file) : std::string();
    }
    void sbatchAnswers(const std::string& answer) {
        program("sbatch",
                "while [ \"${1#--}\" != \"$1\" ]; do shift; done\necho \"$6 ${5#\"$2\"/} "
                "${SLURM_NTASKS-alone}\" >>" +
                    shellQuote((m_folder.path() / "submitted").string()) + "\n" + answer + "\n");
    }
};

TEST_F(SamplingScriptRun, EachCheckpointIsSubmittedOnceUnderItsStepAlsoAfterARestart) {
    samples("*");
    sbatchAnswers("echo '77;cluster'");
    writeFileAtomically(m_folder.path() / "my code/train.sh", R"(cd "$DAILIES_RUN_DIR"
mkdir -p checkpoint-500 step00100 "it's-ckpt_7"
touch checkpoint-500/a step00100/model.fp16.safetensors epoch=3-step=2000.ckpt lora-epoch12.safetensors wan14b_0000300.pt "it's-ckpt_7/a"
)");
    EXPECT_EQ(run(), 0) << log();
    for (const char* line :
         {"500 checkpoint-500 alone\n", "100 step00100 alone\n", "2000 epoch=3-step=2000.ckpt alone\n",
          "12 lora-epoch12.safetensors alone\n", "300 wan14b_0000300.pt alone\n", "7 it's-ckpt_7 alone\n"})
        EXPECT_THAT(submitted(), HasSubstr(line));
    EXPECT_THAT(readFile(runFolder() / "attempts.tsv"), HasSubstr("\nsample\t77\t0\t500\t"));
    EXPECT_THAT(log(), HasSubstr("dailies: job 77 samples checkpoint-500."));
    const auto before = submitted();
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(submitted(), before);
}

TEST_F(SamplingScriptRun, WhatSlurmRefusesIsToldAndTheRunGoesOn) {
    samples("checkpoint-*");
    sbatchAnswers("echo 'sbatch: error: no such partition' >&2; exit 1");
    writeFileAtomically(
        m_folder.path() / "my code/train.sh",
        "cd \"$DAILIES_RUN_DIR\"; touch checkpoint-1 checkpoint-2 checkpoint-3 checkpoint-4\n");
    EXPECT_EQ(run(), 0) << log();
    EXPECT_THAT(log(),
                HasSubstr("dailies: checkpoint-1 could not be sampled: sbatch: error: no such partition"));
    EXPECT_THAT(log(), Not(HasSubstr("checkpoint-4"))) << "three refusals are enough";
    const auto marks = readFile(runFolder() / "attempts.tsv");
    EXPECT_THAT(marks, HasSubstr("\nunsampled\t"));
    EXPECT_THAT(marks, testing::EndsWith("\t0\n")) << "the run finished";
    EXPECT_FALSE(fs::exists(runFolder() / "checkpoint_samples/step_1")) << "it may be tried again";
}

TEST_F(SamplingScriptRun, AfterAProgramThatFailedNothingThatMayBeTornIsSampled) {
    samples("checkpoint-*");
    sbatchAnswers("echo 77");
    writeFileAtomically(m_folder.path() / "my code/train.sh",
                        "touch \"$DAILIES_RUN_DIR/checkpoint-1\"; exit 3\n");
    EXPECT_EQ(run(), 3);
    EXPECT_EQ(submitted(), "");
}

TEST(OwnProgram, IsNotSignalledBeforeTheTimeLimitForItWouldDieOfIt) {
    auto job = exampleJob();
    job.program = ownProgramParts("~/src/it's mine");
    const auto script = arrayScript(job, {});
    EXPECT_THAT(script, testing::Not(HasSubstr("--signal")));
    EXPECT_THAT(script, HasSubstr("\ncode_folder=\"$HOME\"'/src/it'\\''s mine'\n"));
}

/// One that can go on from its checkpoints.
class ResumedProgramScriptRun : public OwnProgramScriptRun {
protected:
    ResumedProgramScriptRun() {
        program("scancel", "printf '%s\\n' \"$@\" >\"$OUT/scancel\"\n");
        resumes({.checkpoints = "checkpoint-*"});
        command("bash train.sh first", "bash train.sh further \"${DAILIES_CHECKPOINT-DAILIES_CHECKPOINT}\"");
        trains("");
    }
    void resumes(sweep::Resume resume) {
        sweep::Program program;
        program.resume = std::move(resume);
        m_job.program = ownProgramParts((m_folder.path() / "my code").string(), program);
    }
    void command(const std::string& first, const std::string& further) {
        startsWith(first);
        writeFileAtomically(runFolder() / "command.sh",
                            readFile(runFolder() / "command.sh") +
                                "if [ -n \"$DAILIES_RESUMES\" ]; then\ncommand=(\n" + further + "\n)\nfi\n");
    }
    /// In the code's folder; its words are written down first.
    void trains(const std::string& body) {
        writeFileAtomically(m_folder.path() / "my code/train.sh",
                            "printf '[%s]' \"$@\" >\"$DAILIES_RUN_DIR/args\"\n" + body);
    }
    void checkpoint(const std::string& name, int secondsAgo = 60) {
        fs::create_directories(runFolder() / name);
        ASSERT_EQ(std::system(("touch -d '-" + std::to_string(secondsAgo) + " seconds' -- " +
                               shellQuote((runFolder() / name).string()))
                                  .c_str()),
                  0);
    }
    std::string args() const { return readFile(runFolder() / "args"); }
    bool wasRequeued() const { return fs::exists(m_folder.path() / "scontrol"); }
    std::string marks() const { return readFile(runFolder() / "attempts.tsv"); }

    /// As Slurm near the time limit; of the processes only the job's shell gets it.
    static constexpr const char* kNearLimit = "sleep 0.1; kill -USR1 $(ps -o ppid= -p $PPID)\n";
    static constexpr const char* kWait = "for i in {1..100}; do sleep 0.05; done\nexit 9\n";
    static constexpr const char* kSave = "mkdir \"$DAILIES_RUN_DIR/checkpoint-7\"\n";
};

TEST_F(ResumedProgramScriptRun, GoesOnWhereThereIsACheckpoint) {
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(args(), "[first]");
    EXPECT_EQ(run("SLURM_RESTART_COUNT=1"), 0);
    EXPECT_EQ(args(), "[first]") << "it was preempted before it wrote one";
    checkpoint("checkpoint-900", 10);
    checkpoint("checkpoint-1000", 5);
    checkpoint("checkpoint-800", 20);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(args(), "[further][" + (runFolder() / "checkpoint-1000").string() + "]");
    EXPECT_THAT(log(), HasSubstr("dailies: goes on from " + (runFolder() / "checkpoint-1000").string()));
}

TEST_F(ResumedProgramScriptRun, WithoutAPatternTheRestartOfItsJobSaysSo) {
    resumes({.arguments = {"--auto"}});
    command("bash train.sh first", "bash train.sh further");
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(args(), "[first]");
    EXPECT_EQ(run("SLURM_RESTART_COUNT=2"), 0);
    EXPECT_EQ(args(), "[further]");
}

TEST_F(ResumedProgramScriptRun, APatternMayBeDeepAbsoluteOrHoldAnything) {
    checkpoint("a/b/last.ckpt");
    resumes({.checkpoints = "**/*.ckpt"});
    EXPECT_EQ(run(), 0);
    EXPECT_THAT(args(), HasSubstr("/a/b/last.ckpt]"));
    resumes({.checkpoints = (runFolder() / "a/[bc]/*.ckpt").string()});
    EXPECT_EQ(run(), 0);
    EXPECT_THAT(args(), HasSubstr("/a/b/last.ckpt]"));
    for (const char* hostile :
         {"$(touch pwned)*", "`touch pwned`", "; touch pwned #", "'\"*", "a b *", "-n", "\\"}) {
        resumes({.checkpoints = hostile});
        EXPECT_EQ(run(), 0) << hostile;
        EXPECT_EQ(args(), "[first]") << hostile;
    }
    EXPECT_FALSE(fs::exists(m_folder.path() / "my code/pwned"));
}

TEST_F(ResumedProgramScriptRun, TheNameOfACheckpointIsOneWordAndNeverExecuted) {
    for (const std::string& name :
         std::vector<std::string>{"checkpoint-$(touch pwned)", "checkpoint-`touch pwned`",
                                  "checkpoint-'; touch pwned; '", "checkpoint-\" \"*", "checkpoint-a\nb\n",
                                  "checkpoint- x", "checkpoint-${HOME}", "checkpoint-\\"}) {
        checkpoint(name);
        EXPECT_EQ(run(), 0);
        EXPECT_EQ(args(), "[further][" + (runFolder() / name).string() + "]");
        fs::remove_all(runFolder() / name);
    }
    EXPECT_FALSE(fs::exists(m_folder.path() / "my code/pwned"));
}

TEST_F(ResumedProgramScriptRun, ASignalNearTheTimeLimitReachesItAndTheRunGoesOn) {
    resumes({.checkpoints = "checkpoint-*", .stop = {sweep::StopRequest::Way::Signal, "USR1"}});
    for (const char* ending : {"exit 0", "exit 3", "kill -KILL $$"}) {
        fs::remove_all(runFolder() / "checkpoint-7");
        trains(std::string("trap '") + "mkdir \"$DAILIES_RUN_DIR/checkpoint-7\"; " + ending + "' USR1\n" +
               kNearLimit + kWait);
        EXPECT_EQ(run(), 0) << log();
        EXPECT_EQ(output("scontrol"), "requeue\n77_1\n") << ending;
        fs::remove(m_folder.path() / "scontrol");
    }
    EXPECT_THAT(marks(), Not(HasSubstr("\t137\n"))) << "what it was asked for is no death to be counted";
}

TEST_F(ResumedProgramScriptRun, OneThatWritesNoCheckpointWhenAskedIsNotRequeued) {
    resumes({.checkpoints = "checkpoint-*", .stop = {sweep::StopRequest::Way::Signal, "USR1"}});
    checkpoint("checkpoint-1");
    trains(std::string(kNearLimit) + kWait);  // USR1 ends it
    EXPECT_EQ(run(), 128 + SIGUSR1);
    EXPECT_FALSE(wasRequeued());
    EXPECT_THAT(log(), HasSubstr("wrote no checkpoint in this job"));
    trains(std::string("trap '' USR1\n") + kNearLimit + "exit 0\n");
    EXPECT_EQ(run(), 0) << "it finished in the last minute";
    EXPECT_FALSE(wasRequeued());
}

TEST_F(ResumedProgramScriptRun, OtherSignalsGoToTheTasksPastSrun) {
    resumes({.stop = {sweep::StopRequest::Way::Signal, "TERM"}});
    trains(std::string(kNearLimit) + "sleep 0.3\nexit 0\n");
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(output("scancel"), "--signal=TERM\n77_1\n");
    EXPECT_EQ(output("scontrol"), "requeue\n77_1\n");
}

TEST_F(ResumedProgramScriptRun, AFileIsMadeWhereItLooksForOne) {
    resumes({.checkpoints = "*/latest", .stop = {sweep::StopRequest::Way::File, "*/save_quit"}});
    checkpoint("2026-01/nothing");
    const std::string body =
        "folder=$DAILIES_RUN_DIR/2026-02; mkdir -p \"$folder\"\n" + std::string(kNearLimit) +
        "for i in {1..100}; do [ ! -e \"$folder/save_quit\" ] || { touch \"$folder/latest\"; "
        "exit 0; }; sleep 0.05; done\nexit 9\n";
    trains(body);
    EXPECT_EQ(run(), 0) << log();
    EXPECT_EQ(output("scontrol"), "requeue\n77_1\n");
    ASSERT_TRUE(fs::exists(runFolder() / "2026-02/save_quit"));
    fs::remove(m_folder.path() / "scontrol");
    trains("[ ! -e \"$DAILIES_RUN_DIR/2026-02/save_quit\" ]\n");
    EXPECT_EQ(run("SLURM_RESTART_COUNT=1"), 0) << "what it did not take away would stop it again";
    EXPECT_THAT(args(), HasSubstr("[further]"));
    trains(std::string(kNearLimit) + "sleep 0.2\nexit 4\n");
    EXPECT_EQ(run("SLURM_RESTART_COUNT=1"), 4) << "it failed by itself";
    EXPECT_FALSE(wasRequeued());
}

TEST_F(ResumedProgramScriptRun, OneThatCannotBeAskedIsEndedBeforeItsTimeLimitIfItGotOn) {
    program("srun",
            "trap 'kill -KILL $child; exit 137' TERM\nwhile [ \"${1#--}\" != \"$1\" ]; do shift; done\n"
            "\"$@\" & child=$!\nwait $child\n");
    // the stand-in's child has one process more above it
    trains(std::string(kSave) + "sleep 0.1; kill -USR1 $(ps -o ppid= -p $(ps -o ppid= -p $PPID))\n" + kWait);
    EXPECT_EQ(run(), 0) << log();
    EXPECT_EQ(output("scontrol"), "requeue\n77_1\n");
    EXPECT_THAT(marks(), testing::EndsWith("\t143\n"));
    fs::remove(m_folder.path() / "scontrol");
    trains("sleep 0.1; kill -USR1 $(ps -o ppid= -p $(ps -o ppid= -p $PPID))\nsleep 0.3; exit 5\n");
    EXPECT_EQ(run("SLURM_RESTART_COUNT=1"), 5) << "without a new checkpoint it is left alone";
    EXPECT_FALSE(wasRequeued());
}

TEST_F(ResumedProgramScriptRun, StoppedIsNotFinishedWhenTheRequeuesAreSpent) {
    resumes({.checkpoints = "checkpoint-*", .stop = {sweep::StopRequest::Way::Signal, "USR1"}});
    trains("trap 'touch \"$DAILIES_RUN_DIR/checkpoint-$RANDOM\"; exit 0' USR1\n" + std::string(kNearLimit) +
           kWait);
    EXPECT_EQ(run("SLURM_RESTART_COUNT=100"), 75);
    EXPECT_FALSE(wasRequeued());
    program("scontrol", "exit 1\n");
    EXPECT_EQ(run(), 75);
    EXPECT_THAT(marks(), testing::EndsWith("\t75\n"));
}

TEST_F(ResumedProgramScriptRun, OneThatRequeuesItselfIsNotRequeuedTwice) {
    resumes({.stop = {sweep::StopRequest::Way::Signal, "USR1"}, .requeuesItself = true});
    trains("trap 'touch \"$DAILIES_RUN_DIR/asked\"; exit 137' USR1\n" + std::string(kNearLimit) + kWait);
    EXPECT_EQ(run(), 137);
    EXPECT_TRUE(fs::exists(runFolder() / "asked"));
    EXPECT_FALSE(wasRequeued());
}

TEST_F(ResumedProgramScriptRun, AKilledOneIsTriedAgainButNotForEver) {
    trains("exit 137\n");
    for (int kill = 0; kill < kMaxKills; ++kill) {
        EXPECT_EQ(run(), 0);
        EXPECT_EQ(output("scontrol"), "requeue\n77_1\n");
        fs::remove(m_folder.path() / "scontrol");
    }
    EXPECT_EQ(run(), 137);
    EXPECT_FALSE(wasRequeued());
    EXPECT_THAT(log(), HasSubstr("the program was killed"));
}

TEST(ResumedProgram, IsAskedToStopAsLongBeforeTheTimeLimitAsItNeeds) {
    auto job = exampleJob();
    sweep::Program program;
    program.resume = sweep::Resume{.stop = {sweep::StopRequest::Way::Signal, "USR1"}};
    job.program = ownProgramParts("/src", program);
    EXPECT_THAT(arrayScript(job, {}), HasSubstr("#SBATCH --signal=B:USR1@60\n"));
    program.resume->stop.lead = 300;
    job.program = ownProgramParts("/src", program);
    EXPECT_THAT(arrayScript(job, {}), HasSubstr("#SBATCH --signal=B:USR1@300\n"));
    job.resources.timeLimit = "0:05:00";
    EXPECT_THROW(arrayScript(job, {}), InputError) << "it would be asked at once, for ever";
}

/// One whose processes are started in one of several ways.
class StartedProgramScriptRun : public OwnProgramScriptRun {
protected:
    StartedProgramScriptRun() {
        // two tasks, one after the other, each with its own numbers
        program(
            "srun",
            "printf '%s\\n' \"$@\" >\"$OUT/srun\"\nwhile [ \"${1#--}\" != \"$1\" ]; do shift; done\n"
            "for task in 0 1; do\n"
            "  SLURM_PROCID=$task SLURM_LOCALID=0 SLURM_NODEID=$task SLURM_NTASKS=2 \"$@\" || exit\ndone\n");
        program("scontrol", "[ \"$1 $2\" = 'show hostnames' ] && printf 'n1\\nn2\\n'\n");
        writeFileAtomically(m_folder.path() / "my code/train.sh",
                            "echo \"$* $MASTER_ADDR:$MASTER_PORT\" >>\"$DAILIES_RUN_DIR/args\"\n");
    }
    void starts(sweep::Start start, int nodes, int ranks, const std::vector<std::string>& command = {}) {
        sweep::Program program;
        program.start = start;
        program.command = command;
        m_job.resources.nodes = nodes;
        m_job.resources.ranksPerNode = ranks;
        m_job.resources.cpusPerRank = 3;
        m_job.program = ownProgramParts((m_folder.path() / "my code").string(), program, m_job.resources);
    }
    static constexpr const char* kJob = "SLURM_JOB_NODELIST=n[1-2] SLURM_NNODES=2 SLURM_NODEID=0";
};

TEST_F(StartedProgramScriptRun, ALauncherIsOneTaskOnEachNodeWithItsOwnNumberThere) {
    starts(sweep::Start::Deepspeed, 2, 4);
    startsWith("bash train.sh --node_rank=\"${SLURM_NODEID-SLURM_NODEID}\" 'a b'");
    EXPECT_THAT(arrayScript(m_job, m_profile),
                HasSubstr("#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n#SBATCH --cpus-per-task=12\n"));
    EXPECT_EQ(run(kJob), 0) << log();
    EXPECT_EQ(readFile(runFolder() / "args"), "--node_rank=0 a b n1:20078\n--node_rank=1 a b n1:20078\n");
    EXPECT_THAT(output("srun"), testing::StartsWith("--kill-on-bad-exit=1\n--cpus-per-task=12\nbash\n"));
    EXPECT_EQ(readFile(runFolder() / "hostfile"), "n1 slots=4\nn2 slots=4\n");
}

TEST_F(StartedProgramScriptRun, ACommandThatNamesALauncherItselfIsReadOnEachNode) {
    starts(sweep::Start::Process, 2, 4, {"torchrun", "${program}"});
    startsWith("bash train.sh \"${SLURM_NODEID-SLURM_NODEID}\"");
    EXPECT_EQ(run(kJob), 0) << log();
    EXPECT_EQ(readFile(runFolder() / "args"), "0 n1:20078\n1 n1:20078\n");
}

TEST_F(StartedProgramScriptRun, OneProcessHasTheFirstNodeAndAllThatIsThere) {
    starts(sweep::Start::Process, 2, 4);
    startsWith("bash train.sh");
    EXPECT_EQ(run(kJob), 0) << log();
    EXPECT_EQ(output("srun"),
              "--kill-on-bad-exit=1\n--cpus-per-task=12\n--nodes=1\n--ntasks=1\nbash\ntrain.sh\n");
}

TEST_F(StartedProgramScriptRun, TasksAreOneARankAndTheirEnvironmentTellsThem) {
    starts(sweep::Start::Tasks, 2, 4);
    EXPECT_THAT(arrayScript(m_job, m_profile),
                HasSubstr("#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n#SBATCH --cpus-per-task=3\n"));
    startsWith("bash train.sh");
    EXPECT_EQ(run(std::string(kJob) + " MASTER_PORT=4444"), 0) << log();
    EXPECT_EQ(readFile(runFolder() / "args"), " n1:4444\n n1:4444\n") << "a port of the person's own stays";
}

TEST_F(StartedProgramScriptRun, ANodeWhoseNameOnlySlurmKnowsIsMetAtItsAddress) {
    program("scontrol",
            "case \"$1 $2\" in\n'show hostnames') printf 'n1\\nn2\\n';;\n"
            "'show node') echo \"   NodeAddr=10.0.0.1 NodeHostName=$3 Version=22.05\";;\nesac\n");
    starts(sweep::Start::Tasks, 2, 4);
    startsWith("bash train.sh");
    EXPECT_EQ(run(std::string(kJob) + " MASTER_PORT=4444"), 0) << log();
    EXPECT_EQ(readFile(runFolder() / "args"), " 10.0.0.1:4444\n 10.0.0.1:4444\n");
}

}  // namespace
}  // namespace dailies::remote
