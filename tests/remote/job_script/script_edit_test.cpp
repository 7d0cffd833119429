#include "remote/job_script/script_edit.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/job_script/job_script.h"
#include "remote/job_script/three_way_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::remote {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kShown(32, 'a');
const std::string kSent(32, 'b');
constexpr const char* kWorkspace = "~/dailies";

ArrayJob jobOf(const std::string& id, const std::string& workspace) {
    ArrayJob job;
    job.sweepId = id;
    job.sweepName = "shapes";
    job.tasks = 4;
    job.workspace = workspace;
    job.program = trainerParts(workspace + "/trainer/VERSION/build/bin/dailies-train", "train");
    return job;
}

/// As a person saw it, and as it would be sent now.
std::string shown() {
    return arrayScript(jobOf(kShown, kWorkspace), {});
}
std::string sent() {
    ArrayJob job = jobOf(kSent, "/home/ada/dailies");
    job.program = trainerParts("/home/ada/dailies/trainer/0123/build/bin/dailies-train", "train");
    return arrayScript(job, {});
}

std::string with(std::string script, const std::string& was, const std::string& now) {
    const auto at = script.find(was);
    EXPECT_NE(at, std::string::npos) << was;
    return script.replace(at, was.size(), now);
}

std::string refusal(const std::string& text) {
    try {
        applyEdit({text}, sent(), kWorkspace);
    } catch (const InputError& error) {
        return error.full();
    }
    return "taken";
}

TEST(ScriptEdit, AScriptThatWasPrintedAndNotChangedIsTheGeneratedOne) {
    EXPECT_EQ(applyEdit({shown()}, sent(), kWorkspace), sent());
    EXPECT_EQ(applyEdit({sent()}, sent(), kWorkspace), sent()) << "as it lies on the cluster";
}

TEST(ScriptEdit, AScriptThatHasCheckpointsSampledCanBeChangedToo) {
    ArrayJob job = jobOf(kSent, "/home/ada/dailies");
    sweep::CheckpointSampling sampling;
    sampling.command = {"generate.sh", "${checkpoint}"};
    sampling.checkpoints = "checkpoint-*";
    job.program = ownProgramParts("/code", {}, {}, sampling);
    const auto generated = arrayScript(job, {});
    EXPECT_EQ(applyEdit({generated}, generated, kWorkspace), generated);
    const auto slower = with(generated, "--time=0-01:00:00\n)", "--time=0-02:00:00\n)");
    EXPECT_EQ(applyEdit({slower}, generated, kWorkspace), slower);
    EXPECT_THROW(
        applyEdit({with(generated, "read -r -t 10 -u 3 code && continue", "break")}, generated, kWorkspace),
        InputError);
}

TEST(ScriptEdit, WhatDailiesDoesNotNeedIsThePersonsToChange) {
    std::string mine =
        with(shown(), "#SBATCH --nodes=1\n", "#SBATCH --nodes=1\n#SBATCH --licenses=video:1\n");
    mine = with(mine, "#SBATCH --array=0-3%2", "#SBATCH --array=0-3%4");
    mine = with(mine, "@60", "@300");
    mine = with(mine, "exec srun ", "exec srun --cpu-bind=cores ");
    mine = with(mine, "\"$program\" train", "nsys profile -o \"$run/trace\" \"$program\" train");
    mine = with(mine, "export OMP_NUM_THREADS=$cpus_per_rank", "export OMP_NUM_THREADS=1\nulimit -c 0");
    const std::string script = applyEdit({mine}, sent(), kWorkspace);
    for (const char* edit :
         {"--licenses=video:1\n", "--array=0-3%4\n", "USR1@300\n", "exec srun --cpu-bind=cores ",
          "nsys profile -o \"$run/trace\" \"$program\" train", "\nulimit -c 0\n"})
        EXPECT_THAT(script, HasSubstr(edit));
    EXPECT_THAT(script, AllOf(HasSubstr("sweep_id=" + shellQuote(kSent)), HasSubstr("--comment=" + kSent),
                              HasSubstr("/home/ada/dailies/trainer/0123/"), Not(HasSubstr(kShown))))
        << "what each launch has of its own is filled in";
}

TEST(ScriptEdit, AProgramOfOnesOwnStays) {
    const std::string was = "program='~/dailies/trainer/VERSION/build/bin/dailies-train'";
    EXPECT_THAT(applyEdit({with(shown(), was, "program=$HOME/mine/dailies-train")}, sent(), kWorkspace),
                HasSubstr("\nprogram=$HOME/mine/dailies-train\n"));
}

TEST(ScriptEdit, ALineThatDailiesNeedsIsNamedWithItsNumberWhenItIsChanged) {
    EXPECT_THAT(refusal(with(shown(), "#SBATCH --array=0-3%2", "#SBATCH --array=0-7%2")),
                AllOf(HasSubstr("Line 5 of the script"), HasSubstr("found #SBATCH --array=0-7%2"),
                      HasSubstr("expected #SBATCH --array=0-3%2")));
    EXPECT_THAT(refusal(with(shown(), "B:USR1@60", "TERM@60")), HasSubstr("found #SBATCH --signal=TERM@60"));
    EXPECT_THAT(refusal(with(shown(), "run=$workspace/runs/$run_id", "run=/tmp/run")),
                AllOf(HasSubstr("found run=/tmp/run, expected run=$workspace/runs/$run_id"),
                      HasSubstr("finds the run's folder")));
    EXPECT_THAT(refusal(with(shown(), "workspace='~/dailies'", "workspace=/elsewhere")),
                HasSubstr("found workspace=/elsewhere"));
    EXPECT_THAT(refusal(with(shown(), "\"$program\" train", "python train.py")),
                AllOf(HasSubstr("it starts the program"),
                      HasSubstr("\"$program\" train --config \"$run/config.json\"")));
    EXPECT_THAT(refusal(with(shown(), "#!/bin/bash", "#!/bin/sh")), HasSubstr("Line 1 of the script"));
    EXPECT_THAT(refusal(""), HasSubstr("Line 1"));
}

TEST(ScriptEdit, ALineThatIsGoneOrOutOfPlaceIsNamed) {
    EXPECT_THAT(refusal(with(shown(), "#SBATCH --signal=B:USR1@60\n", "")),
                HasSubstr("is missing the line #SBATCH --signal=B:USR1@60"));
    EXPECT_THAT(refusal(with(shown(), "mark start ''\n", "")),
                AllOf(HasSubstr("is missing the line mark start ''"), HasSubstr("Put it back after line")));
    EXPECT_THAT(refusal(with(shown(), "#SBATCH --nodes=1\n", "cd /tmp\n#SBATCH --nodes=1\n")),
                HasSubstr("comes after a command, where Slurm ignores it"));
    EXPECT_THAT(refusal(with(shown(), "#SBATCH --nodes=1\n", "#SBATCH -a 0-99\n")), HasSubstr("Line 6"));
    EXPECT_THAT(refusal(with(with(shown(), "mark start ''\n", ""), "#!/bin/bash\n",
                             "#!/bin/bash\n# mark start ''\n")),
                HasSubstr("is missing the line mark start ''"))
        << "a comment does nothing";
}

TEST(ScriptEdit, EveryLineThatIsNeededIsMissedInEveryKindOfScript) {
    ArrayJob job = jobOf(kSent, "/w");
    const std::string binary = "/w/trainer/0/build/bin/dailies-train";
    sweep::Program ranks;
    ranks.start = sweep::Start::Tasks;
    for (const auto& program : {trainerParts(binary, "train"), trainerParts(binary, "sample"),
                                ownProgramParts("/home/ada/src"), ownProgramParts("/home/ada/src", ranks)}) {
        job.program = program;
        const std::string generated = arrayScript(job, {});
        EXPECT_THAT(validateScript(generated, generated, "/w"), IsEmpty());
        // all but the comments, the environment, and what a person may do without
        std::size_t needed = 0;
        const auto lines = split(generated, '\n');
        for (std::size_t i = 0; i < lines.size(); ++i) {
            auto fewer = lines;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            needed += !validateScript(join(fewer, "\n"), generated, "/w").empty();
        }
        EXPECT_EQ(needed, 33u) << program.start
                               << ": shell, four directives, and 28 lines below them; a program of one's own "
                                  "has no signal, and one line more to start it";
    }
}

TEST(ScriptEdit, TheSignalIsNeededByAProgramThatIsAskedToStop) {
    sweep::Program program;
    program.resume = sweep::Resume{.stop = {sweep::StopRequest::Way::Signal, "USR1", 90}};
    ArrayJob job = jobOf(kSent, kWorkspace);
    job.program = ownProgramParts("/home/ada/src", program);
    const std::string generated = arrayScript(job, {});
    EXPECT_THAT(validateScript(with(generated, "@90", "@200"), generated, kWorkspace), IsEmpty());
    EXPECT_THAT(validateScript(with(generated, "#SBATCH --signal=B:USR1@90\n", ""), generated, kWorkspace)
                    .at(0)
                    .found,
                HasSubstr("is missing the line #SBATCH --signal"));
}

TEST(ScriptEdit, WaitsForWhatTheSweepWaitsForNow) {
    ArrayJob job = jobOf(kSent, kWorkspace);
    job.after.jobs = {"12"};
    const std::string script = applyEdit({shown()}, arrayScript(job, {}), kWorkspace);
    EXPECT_THAT(script, HasSubstr("#SBATCH --dependency=afterok:12\n#SBATCH --kill-on-invalid-dep=yes\n"));
    const std::string mine =
        with(shown(), "#SBATCH --nodes=1\n", "#SBATCH --nodes=1\n#SBATCH --dependency=singleton\n");
    EXPECT_THAT(applyEdit({mine}, sent(), kWorkspace), HasSubstr("--dependency=singleton\n"));
}

TEST(ScriptEdit, FollowsTheSweepAsItIsChanged) {
    const ScriptEdit edit{
        with(shown(), "#SBATCH --array=0-3%2\n", "#SBATCH --array=0-3%2\n#SBATCH --nice=7\n"), shown()};
    ArrayJob job = jobOf(kSent, kWorkspace);
    job.tasks = 6;
    job.resources.memory = "3G";
    const auto followed = rebaseEdit(edit, arrayScript(job, {}));
    EXPECT_THAT(followed.edit.text, AllOf(HasSubstr("#SBATCH --array=0-5%2\n#SBATCH --nice=7\n"),
                                          HasSubstr("#SBATCH --mem=3G\n"), Not(HasSubstr(kShown))));
    EXPECT_THAT(followed.conflicts, IsEmpty());
    EXPECT_EQ(applyEdit(edit, arrayScript(job, {}), kWorkspace), followed.edit.text);
}

TEST(ScriptEdit, KeepsThePersonsLineWhereTheSweepChangedTheSameOne) {
    const ScriptEdit edit{with(shown(), "--time=0-01:00:00", "--time=0-02:00:00"), shown()};
    ArrayJob job = jobOf(kShown, kWorkspace);
    job.resources.timeLimit = "0-03:00:00";
    const auto followed = rebaseEdit(edit, arrayScript(job, {}));
    EXPECT_THAT(followed.edit.text, AllOf(HasSubstr("--time=0-02:00:00\n"), Not(HasSubstr("--time=0-03"))));
    ASSERT_EQ(followed.conflicts.size(), 1u);
    EXPECT_EQ(split(followed.edit.text, '\n').at(followed.conflicts[0] - 1), "#SBATCH --time=0-02:00:00");
}

TEST(LineMerge, DoesOnesChangesToTheOthers) {
    EXPECT_EQ(mergeLines("a\nb\nc\nd", "a\nB\nc\nd", "a\nb\nc\nD\ne").text, "a\nB\nc\nD\ne");
    EXPECT_EQ(mergeLines("a\nb", "a\nb\nmine", "a\nb").text, "a\nb\nmine");
    EXPECT_EQ(mergeLines("a\nb\nc\nd", "a\nc\nd", "a\nb\nc\nD").text, "a\nc\nD")
        << "what was taken out stays out";
    EXPECT_THAT(mergeLines("a\nb\nc", "a\nx\nc", "a\ny\nc").conflicts, ElementsAre(2u));
    EXPECT_THAT(changedLines("a\nb\nc", "a\nx\nb\nc"), ElementsAre(false, true, false, false));
}

}  // namespace
}  // namespace dailies::remote
