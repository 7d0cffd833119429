#include "remote/job_script/job_script.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "remote/job_script/preflight_script.h"
#include "tests/remote/job_script/script_run_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(ArrayScript, AsksSlurmForWhatTheSweepSays) {
    EXPECT_THAT(arrayScript(exampleJob(), {}), HasSubstr("#SBATCH --job-name=shapes-lr\n"
                                                         "#SBATCH --comment=" +
                                                         kSweep +
                                                         "\n"
                                                         "#SBATCH --array=0-3%2\n"
                                                         "#SBATCH --partition=main\n"
                                                         "#SBATCH --nodes=1\n"
                                                         "#SBATCH --ntasks-per-node=1\n"
                                                         "#SBATCH --cpus-per-task=2\n"
                                                         "#SBATCH --mem=2G\n"
                                                         "#SBATCH --time=0:20:00\n"
                                                         "#SBATCH --requeue\n"
                                                         "#SBATCH --open-mode=append\n"
                                                         "#SBATCH --signal=B:USR1@60\n"
                                                         "#SBATCH --chdir=\"/scratch/it's mine/sweeps/" +
                                                         kSweep +
                                                         "\"\n"
                                                         "#SBATCH --output=slurm-%A_%a.out\n"));
}

TEST(ArrayScript, TakesPartitionAndAccountOfTheProfileWhereTheSweepNamesNone) {
    ArrayJob job = exampleJob();
    job.resources.partition.clear();
    ClusterProfile profile;
    profile.partition = "gpu";
    profile.account = "vid-1";
    profile.setup = {"module load cuda"};
    const std::string script = arrayScript(job, profile);
    EXPECT_THAT(script, HasSubstr("#SBATCH --partition=gpu\n#SBATCH --account=vid-1\n"));
    EXPECT_THAT(script, HasSubstr("\nmodule load cuda\n"));
}

TEST(ArrayScript, AsksForTheKindOfNodesThatTheSweepNeeds) {
    ArrayJob job = exampleJob();
    job.resources.gpusPerNode = 8;
    job.resources.gpuType = "h100";
    job.resources.constraint = "ib&nvme";
    job.resources.nodeList = "n[1-4],gpu7";
    job.resources.exclude = "n[2-3]";
    job.resources.exclusive = true;
    job.resources.reservation = "paper";
    const std::string script = arrayScript(job, {});
    EXPECT_THAT(script, HasSubstr("#SBATCH --reservation=paper\n"));
    EXPECT_THAT(script, HasSubstr("#SBATCH --gres=gpu:h100:8\n"
                                  "#SBATCH --mem=2G\n"
                                  "#SBATCH --constraint=\"ib&nvme\"\n"
                                  "#SBATCH --nodelist=\"n[1-4],gpu7\"\n"
                                  "#SBATCH --exclude=\"n[2-3]\"\n"
                                  "#SBATCH --exclusive\n"));
}

TEST(ArrayScript, OfAChainWaitsForTheJobsBeforeItAndNeverForEver) {
    ArrayJob job = exampleJob();
    EXPECT_THAT(arrayScript(job, {}), Not(HasSubstr("--dependency")));
    job.after.jobs = {"12", "15"};
    const std::string script = arrayScript(job, {});
    EXPECT_THAT(script, HasSubstr("#SBATCH --dependency=afterok:12:15\n#SBATCH --kill-on-invalid-dep=yes\n"));
    EXPECT_THAT(singleRunScript(script, kSweep, kSweep + ".0"), Not(HasSubstr("--dependency=")))
        << "a run that is extended later waits for nothing";
    job.after.afterAny = true;
    EXPECT_THAT(arrayScript(job, {}), HasSubstr("--dependency=afterany:12:15\n"));
}

TEST(ArrayScript, LeavesTimeToWorkUnderAShortLimit) {
    ArrayJob job = exampleJob();
    for (const auto& [limit, signal] :
         std::vector<std::pair<std::string, std::string>>{{"1", "@12\n"},
                                                          {"1:00", "@12\n"},
                                                          {"0:01:40", "@20\n"},
                                                          {"2-00", "@60\n"},
                                                          {"1-12:30:00", "@60\n"},
                                                          {"", "@60\n"}}) {
        job.resources.timeLimit = limit;
        EXPECT_THAT(arrayScript(job, {}), HasSubstr("--signal=B:USR1" + signal)) << limit;
    }
}

TEST(ArrayScript, RefusesResourcesThatWouldBreakOutOfTheirLine) {
    for (const char* bad : {"main\n#SBATCH --wrap=x", "a b", "$(id)", "x;y", "'q'"}) {
        ArrayJob job = exampleJob();
        job.resources.partition = bad;
        EXPECT_THROW(arrayScript(job, {}), InputError) << bad;
    }
}

TEST(JobName, IsAPlainWordWhateverTheSweepIsCalled) {
    EXPECT_EQ(jobName("../../evil"), "evil");
    EXPECT_EQ(jobName("--wrap=rm"), "wrap-rm");
    EXPECT_EQ(jobName("a b\n$(id)'\"é"), "a-b---id-----");
    EXPECT_EQ(jobName(""), "dailies");
    EXPECT_EQ(jobName("...."), "dailies");
    EXPECT_EQ(jobName(std::string(300, 'x')).size(), 64u);
}

TEST_F(ArrayScriptRun, StartsTheTrainerOnTheTasksRunAndMarksTheAttempt) {
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(output("srun"), "--kill-on-bad-exit=1\n--cpus-per-task=1\ndailies-train\ntrain\n--config\n" +
                                  (runFolder() / "config.json").string() + "\n");
    const auto marks = split(readFile(runFolder() / "attempts.tsv"), '\n');
    ASSERT_EQ(marks.size(), 3u);
    EXPECT_THAT(marks[0], StartsWith("start\t77_1\t0\t"));
    EXPECT_THAT(marks[1], testing::AllOf(StartsWith("end\t77_1\t0\t"), testing::EndsWith("\t0")));
    EXPECT_THAT(readFile(runFolder() / "logs/77_1.out"), HasSubstr("run " + kRun));
    EXPECT_EQ(output("slurm.out"), "");
}

TEST_F(ArrayScriptRun, PassesTheTrainersExitCodeOn) {
    program("srun", "echo no space >&2\nexit 3\n");
    EXPECT_EQ(run(), 3);
    EXPECT_THAT(readFile(runFolder() / "attempts.tsv"), testing::EndsWith("\t3\n"));
    EXPECT_THAT(readFile(runFolder() / "logs/77_1.out"), HasSubstr("no space"));
}

TEST_F(ArrayScriptRun, ASecondSubmissionOfTheSweepDoesNothing) {
    ASSERT_EQ(run(), 0);
    fs::remove(m_folder.path() / "srun");
    EXPECT_EQ(run("", "90"), 0);
    EXPECT_FALSE(fs::exists(m_folder.path() / "srun"));
    EXPECT_THAT(output("slurm.out"), HasSubstr("job 77 runs this sweep already"));
}

TEST_F(ArrayScriptRun, ATaskWithoutARunIsAnError) {
    writeFileAtomically(sweepFolder() / "array.tsv", "1\t../../etc\n");
    EXPECT_EQ(run(), 78);
    EXPECT_FALSE(fs::exists(m_folder.path() / "srun"));
}

TEST_F(ArrayScriptRun, NearItsTimeLimitARunThatStoppedCleanlyIsRequeued) {
    // The stand-in trainer is told by USR1 like the real one, and says that it stopped.
    program(
        "srun",
        "trap 'echo "
        "\"{\\\"seq\\\":2,\\\"type\\\":\\\"end\\\",\\\"status\\\":\\\"stopped\\\",\\\"step\\\":4}\" "
        ">>\"$RUN/events.jsonl\"; "
        "exit 0' USR1\nkill -USR1 $(ps -o ppid= -p $PPID)\nfor i in {1..100}; do sleep 0.05; done\nexit 9\n");
    EXPECT_EQ(run("RUN=" + shellQuote(runFolder().string())), 0);
    EXPECT_EQ(output("scontrol"), "requeue\n77_1\n");
    fs::remove(m_folder.path() / "scontrol");
    EXPECT_EQ(run("SLURM_RESTART_COUNT=100 RUN=" + shellQuote(runFolder().string())), 0);
    EXPECT_FALSE(fs::exists(m_folder.path() / "scontrol")) << "the budget of requeues is spent";
}

TEST_F(ArrayScriptRun, ARunThatFinishedInTimeIsNotRequeued) {
    program("srun",
            "trap '' USR1\n"
            "echo '{\"seq\":2,\"type\":\"end\",\"status\":\"finished\",\"step\":4}' "
            ">>\"$RUN/events.jsonl\"\nkill -USR1 $(ps -o ppid= -p $PPID)\n");
    EXPECT_EQ(run("RUN=" + shellQuote(runFolder().string())), 0);
    EXPECT_FALSE(fs::exists(m_folder.path() / "scontrol"));
}

TEST_F(ArrayScriptRun, AKilledTrainerIsRequeuedButNotForEver) {
    program("srun", "exit 137\n");
    for (int kill = 0; kill < kMaxKills; ++kill) {
        EXPECT_EQ(run(), 0);
        EXPECT_EQ(output("scontrol"), "requeue\n77_1\n");
        fs::remove(m_folder.path() / "scontrol");
    }
    EXPECT_EQ(run(), 137);
    EXPECT_FALSE(fs::exists(m_folder.path() / "scontrol"));
}

TEST_F(ArrayScriptRun, AnAbortedTrainerIsRequeuedWithinTheBudgetOfKills) {
    for (int death = 0; death < kMaxKills; ++death) {
        program("srun", death % 2 == 0 ? "exit 134\n" : "exit 137\n");
        EXPECT_EQ(run(), 0);
        EXPECT_EQ(output("scontrol"), "requeue\n77_1\n");
        fs::remove(m_folder.path() / "scontrol");
    }
    program("srun", "exit 134\n");
    EXPECT_EQ(run(), 134);
    EXPECT_FALSE(fs::exists(m_folder.path() / "scontrol")) << "a crash loop ends";
}

TEST_F(ArrayScriptRun, ARunThatHungIsRequeuedButNotForEver) {
    // srun's code is that of the rank that it had to kill
    program("srun", "mkdir -p \"$RUN/hangs/77_1-0\"\ntouch \"$RUN/hangs/77_1-0/verdict.txt\"\nexit 137\n");
    const auto environment = "RUN=" + shellQuote(runFolder().string());
    for (int hang = 0; hang < kMaxHangs; ++hang) {
        EXPECT_EQ(run(environment), 0);
        EXPECT_EQ(output("scontrol"), "requeue\n77_1\n");
        fs::remove(m_folder.path() / "scontrol");
    }
    EXPECT_EQ(run(environment), 75);
    EXPECT_FALSE(fs::exists(m_folder.path() / "scontrol"));
    EXPECT_THAT(readFile(runFolder() / "attempts.tsv"), testing::EndsWith("\t75\n"));
}

/// A job of three nodes whose preflight finds what `verdict` says.
class PreflightScriptRun : public ArrayScriptRun {
protected:
    PreflightScriptRun() {
        m_job.resources.nodes = 3;
        m_job.resources.ranksPerNode = 2;
        m_job.program = trainerParts((m_folder.path() / "bin/dailies-train").string(), "train");
        program("srun", "echo \"$@\" >>\"$OUT/srun\"\n");
        program("scontrol",
                "case \"$*\" in\n'show hostnames '*) printf 'n1\\nn2\\nn3\\n';;\n"
                "'-o show job '*) echo 'JobId=78 ReqNodeList=(null) ExcNodeList=n9 NodeList=n[1-3]';;\n"
                "*) echo \"$@\" >>\"$OUT/scontrol\";;\nesac\n");
    }

    void finds(const std::string& bad) {
        program("dailies-train", "echo \"$@\" >>\"$OUT/concluded\"\necho '" + bad + "'\n");
    }
    const std::string m_environment = "SLURM_JOB_NUM_NODES=3 SLURM_JOB_NODELIST=n[1-3]";
};

TEST_F(PreflightScriptRun, NodesThatAreWellAreTrainedOn) {
    finds("");
    EXPECT_EQ(run(m_environment), 0);
    const auto steps = split(output("srun"), '\n');
    ASSERT_EQ(steps.size(), 3u);
    EXPECT_THAT(steps[0], StartsWith("--ntasks=3 --ntasks-per-node=1 "));
    EXPECT_THAT(steps[0], HasSubstr("preflight --folder "));
    EXPECT_THAT(steps[0], HasSubstr("/preflight/77_1-0 --nodes n1,n2,n3 "));
    EXPECT_THAT(steps[1], HasSubstr(" train --config "));
    EXPECT_FALSE(fs::exists(m_folder.path() / "scontrol"));
}

TEST_F(PreflightScriptRun, OnGpusEveryRankTakesPart) {
    m_job.resources.gpusPerNode = 2;
    finds("");
    EXPECT_EQ(run(m_environment), 0);
    EXPECT_THAT(output("srun"), StartsWith("--ntasks=6 --ntasks-per-node=2 "));
}

TEST_F(PreflightScriptRun, ABadNodeIsLeftOutOfTheRequeuedJobBesideThoseThatWere) {
    finds("n2");
    EXPECT_EQ(run(m_environment), 0);
    EXPECT_EQ(output("scontrol"), "requeue 77_1\nupdate JobId=77_1 ExcNodeList=n9,n2\n");
    EXPECT_THAT(output("srun"), Not(HasSubstr(" train "))) << "it did not begin on that node";
    EXPECT_THAT(readFile(runFolder() / "attempts.tsv"), testing::EndsWith("\t1\n"));
    EXPECT_THAT(readFile(runFolder() / "logs/77_1.out"), HasSubstr("bad: n2"));
}

TEST_F(PreflightScriptRun, AfterAFewBadNodesTheRunFails) {
    finds("n2");
    for (int attempt = 0; attempt < kMaxBadNodes; ++attempt) EXPECT_EQ(run(m_environment), 0);
    EXPECT_EQ(run(m_environment), 1);
    EXPECT_THAT(output("concluded"), testing::EndsWith("--gives-up\n"));
}

TEST_F(PreflightScriptRun, IsLeftOutWhereTheSweepSaysSoAndOnOneNode) {
    m_job.resources.preflight = false;
    EXPECT_THAT(arrayScript(m_job, {}), Not(HasSubstr("preflight")));
    m_job.resources.preflight = true;
    EXPECT_THAT(arrayScript(m_job, {}), HasSubstr("preflight --folder"));
    m_job.resources.nodes = 1;
    EXPECT_THAT(arrayScript(m_job, {}), Not(HasSubstr("preflight")));
}

TEST(PreflightScript, AsksForTheNodesThatAreLookedAt) {
    slurm::ClusterFacts facts;
    facts.partitions = {{.name = "cpu", .isDefault = true, .nodes = 4},
                        {.name = "gpu", .nodes = 2, .gres = "gpu:h100:8(S:0-1)"}};
    ClusterProfile profile;
    profile.setup = {"module load x"};
    const auto all = withDefaults({}, profile, facts);
    EXPECT_EQ(all.nodes, 4);
    EXPECT_EQ(all.ranksPerNode, 1);
    PreflightRequest wanted;
    wanted.partition = "gpu";
    const auto script = preflightScript("/w/it's/preflight/x", "/w/dailies-train",
                                        withDefaults(wanted, profile, facts), profile);
    for (const char* line :
         {"#SBATCH --partition=gpu\n", "#SBATCH --nodes=2\n", "#SBATCH --ntasks-per-node=8\n",
          "#SBATCH --gres=gpu:8\n", "\nmodule load x\n", "folder='/w/it'\\''s/preflight/x'\n"})
        EXPECT_THAT(script, HasSubstr(line));
    wanted.nodes = 3;
    EXPECT_THROW(withDefaults(wanted, profile, facts), InputError);
    wanted.partition = "gpuu";
    EXPECT_THROW(withDefaults(wanted, profile, facts), InputError);
}

TEST_F(ArrayScriptRun, TermAsksTheTrainerToStopAndWaitsForIt) {
    program("srun",
            "trap 'sleep 0.2; touch \"$OUT/saved\"; exit 0' USR1\nkill -TERM $(ps -o ppid= -p $PPID)\nfor i "
            "in {1..100}; do "
            "sleep 0.05; done\n");
    EXPECT_EQ(run(), 0);
    EXPECT_TRUE(fs::exists(m_folder.path() / "saved"));
    EXPECT_FALSE(fs::exists(m_folder.path() / "scontrol")) << "who cancels a job does not want it back";
}

TEST_F(ArrayScriptRun, ARunOfAChainBeginsWithTheNewestCheckpointOfTheOneBeforeIt) {
    const std::string before(32, 'd');
    writeFileAtomically(sweepFolder() / "array.tsv", "1\t" + kRun + "\t" + before + "\n");
    EXPECT_EQ(run(), 66) << "there is none yet";
    EXPECT_THAT(readFile(runFolder() / "logs/77_1.out"), HasSubstr("has no checkpoint"));
    EXPECT_FALSE(fs::exists(m_folder.path() / "srun"));

    const fs::path checkpoints = fs::path(m_job.workspace) / "runs" / before / "checkpoints";
    for (const char* step : {"step-000000100", "step-000000200"})
        writeFileAtomically(checkpoints / step / "manifest.json", step);
    fs::create_directories(checkpoints / "step-000000300");  // not complete
    EXPECT_EQ(run(), 0);
    const fs::path own = runFolder() / "checkpoints";
    EXPECT_EQ(readFile(own / "step-000000200/manifest.json"), "step-000000200");
    EXPECT_FALSE(fs::exists(own / "step-000000100"));
    fs::remove_all(own / "step-000000200");
    EXPECT_TRUE(fs::exists(checkpoints / "step-000000200/manifest.json")) << "the other run keeps its own";
    EXPECT_EQ(run(), 0);
    EXPECT_FALSE(fs::exists(own / "step-000000200")) << "a further attempt goes on by itself";
}

TEST_F(ArrayScriptRun, ARunBeginsWithTheBestWeightsOfTheSweepBeforeItChosenOnce) {
    const std::string one(32, 'd'), other(32, 'e');
    const fs::path workspace = m_job.workspace, chosen = workspace / "runs" / other / "checkpoints/step-7";
    m_job.program = trainerPartsWithInit((m_folder.path() / "bin/dailies-train").string());
    writeFileAtomically(runFolder() / "init-from", "pose error\nmaximize\n" + one + "\n" + other + "\n");
    program("dailies-train", "exit 2\n");
    EXPECT_EQ(run(), 66) << "none is to be begun from";
    EXPECT_THAT(log(), HasSubstr("no run of the sweep before"));
    EXPECT_FALSE(fs::exists(m_folder.path() / "srun"));

    program("dailies-train", "printf '%s\\n' \"$@\" >\"$OUT/asked\"\necho \"${@: -1}/checkpoints/step-7\"\n");
    fs::create_directories(chosen);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(output("asked"), "best\n--metric\npose error\n--goal\nmaximize\n" +
                                   (workspace / "runs" / one).string() + "\n" +
                                   (workspace / "runs" / other).string() + "\n");
    EXPECT_EQ(fs::read_symlink(runFolder() / "init"), chosen);
    EXPECT_THAT(log(), HasSubstr("begins with the weights of " + chosen.string()));

    program("dailies-train", "exit 2\n");
    EXPECT_EQ(run(), 0) << "a further attempt begins with the same";
}

TEST_F(ArrayScriptRun, SetupLinesRunInTheScript) {
    m_profile.setup = {"export FROM_SETUP='@WORKSPACE@ stays'"};
    program("srun", "echo \"$FROM_SETUP $OMP_NUM_THREADS\" >\"$OUT/env\"\n");
    m_job.resources.cpusPerRank = 3;
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(output("env"), "@WORKSPACE@ stays 3\n");
}

}  // namespace
}  // namespace dailies::remote
