#include "remote/cluster/environment_script.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "remote/job_script/job_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sys/wait.h>

// Modules, Pyxis and containers are not on the machines that run this: scripts of our own stand for them on
// PATH, and the real bash reads every script.

namespace dailies::remote {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class EnvironmentScripts : public testing::Test {
protected:
    struct Outcome {
        int code = 0;
        std::string out;
    };

    void program(const std::string& name, const std::string& body) const {
        writeFileAtomically(m_folder.path() / "bin" / name, "#!/bin/bash\n" + body, fs::perms::owner_all);
    }

    /// Runs shell lines by the real bash, with our programs before all others.
    Outcome run(const std::string& lines) const {
        const fs::path script = m_folder.path() / "script.sh", out = m_folder.path() / "out";
        writeFileAtomically(script, lines);
        const std::string command = "env HOME=" + shellQuote(m_folder.path().string()) +
                                    " PATH=" + shellQuote((m_folder.path() / "bin").string()) +
                                    ":$PATH bash " + shellQuote(script.string()) + " >" +
                                    shellQuote(out.string()) + " 2>&1";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, readFile(out)};
    }

    static std::string linesOf(const sweep::Environment& environment,
                               const std::vector<std::string>& setup = {}) {
        return join(setupLines(environment, setup), "\n") + "\n";
    }

    TemporaryFolder m_folder{"it's an environment"};
};

TEST_F(EnvironmentScripts, LoadModulesInOrderThenTheSetupLinesThenActivateThenSetVariables) {
    const fs::path venv = m_folder.path() / "my env";
    writeFileAtomically(venv / "bin/activate", "echo activated\n");
    sweep::Environment environment;
    environment.modules = {"gcc/12", "cuda/12.4"};
    environment.venv = "~/my env";
    environment.variables = {{"QUOTED", "it's $HOME \"and\" `more`"}};
    const auto outcome = run("module() { echo \"module $*\"; }\n" + linesOf(environment, {"echo own line"}) +
                             "printf '%s\\n' \"$QUOTED\"\n");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out,
              "module load gcc/12\nmodule load cuda/12.4\nown line\nactivated\nit's $HOME \"and\" `more`\n");
}

TEST_F(EnvironmentScripts, AModuleThatDoesNotLoadEndsTheJobWithItsName) {
    sweep::Environment environment;
    environment.modules = {"cuda/99"};
    const auto outcome = run("module() { false; }\n" + linesOf(environment) + "echo went on\n");
    EXPECT_EQ(outcome.code, 78);
    EXPECT_EQ(outcome.out, "dailies: the module cuda/99 could not be loaded (module avail lists them).\n");
}

TEST_F(EnvironmentScripts, ACondaEnvironmentIsActivatedByItsOwnHook) {
    program("conda", "[ \"$1\" = shell.bash ] && echo 'conda() { echo \"conda $*\"; }'\n");
    sweep::Environment environment;
    environment.conda = "my-env";
    EXPECT_EQ(run(linesOf(environment)).out, "conda activate my-env\n");
    fs::remove(m_folder.path() / "bin/conda");
    EXPECT_EQ(run("PATH=/nowhere\n" + linesOf(environment)).code, 78);
}

TEST_F(EnvironmentScripts, AFabricsVariablesGiveWayToSetupLinesAndToVariables) {
    sweep::Environment environment;
    environment.fabric = "infiniband";
    environment.variables = {{"NCCL_IB_TIMEOUT", "23"}};
    const auto outcome = run(linesOf(environment, {"export NCCL_SOCKET_IFNAME=ib0"}) +
                             "echo \"$NCCL_NET $NCCL_SOCKET_IFNAME $NCCL_IB_TIMEOUT\"\n");
    EXPECT_EQ(outcome.out, "IB ib0 23\n");
}

ArrayJob environmentJob() {
    ArrayJob job;
    job.sweepId = std::string(32, 'a');
    job.sweepName = "s";
    job.workspace = "/scratch/it's mine";
    job.program = trainerParts("/scratch/it's mine/trainer/0/build/bin/dailies-train", "train");
    return job;
}

TEST_F(EnvironmentScripts, ApptainerStartsTheTrainerWithTheWorkspaceAndTheGpus) {
    program("apptainer", "printf '%s\\n' \"$@\"\n");
    ArrayJob job = environmentJob();
    job.resources.gpusPerNode = 1;
    job.environment.container = {"~/images/a b.sif", "", {"/data:/data:ro"}};
    const std::string script = arrayScript(job, {});
    const auto launcher = script.find("launcher=(");
    ASSERT_NE(launcher, std::string::npos);
    const auto outcome =
        run(script.substr(launcher, script.find('\n', launcher) - launcher) + "\n\"${launcher[@]}\" train\n");
    EXPECT_EQ(outcome.out, "exec\n--nv\n--bind\n/scratch/it's mine\n--bind\n/data:/data:ro\n" +
                               (m_folder.path() / "images/a b.sif").string() + "\ntrain\n");
    EXPECT_THAT(script, HasSubstr("\"${srun_options[@]}\" \"${launcher[@]}\" \"$program\" train"));
}

TEST_F(EnvironmentScripts, PyxisGetsImageAndMountsAsOptionsOfSrun) {
    ArrayJob job = environmentJob();
    job.workspace = "/scratch/mine";
    job.environment.container = {"nvcr.io#nvidia/pytorch:24.01-py3", "pyxis", {"/data"}};
    const std::string script = arrayScript(job, {});
    EXPECT_THAT(script, HasSubstr("srun_options=(--container-image='nvcr.io#nvidia/pytorch:24.01-py3' "
                                  "--container-mounts='/scratch/mine:/scratch/mine,/data:/data')\n"));
    EXPECT_THAT(script, HasSubstr("\nlauncher=()"));
}

TEST_F(EnvironmentScripts, TheTrainerIsBuiltWhereItWillRun) {
    ClusterProfile profile;
    profile.environment.container = {"/images/torch.sif", "", {}};
    EXPECT_THAT(trainerBuildScript("/w/trainer/0", "", 2, profile),
                testing::AllOf(HasSubstr("run=(apptainer exec --bind '/w/trainer/0' '/images/torch.sif')"),
                               HasSubstr("torch_dir=$(\"${run[@]}\" python3 -c ")));
    profile.environment.container.runtime = "pyxis";
    EXPECT_THAT(trainerBuildScript("/w/trainer/0", "", 2, profile),
                HasSubstr("run=(srun --container-image='/images/torch.sif' --container-mounts="));
    EXPECT_THAT(trainerBuildScript("/w", "/torch", 2, {}), HasSubstr("run=() "));
}

TEST_F(EnvironmentScripts, EveryScriptIsOneThatBashCanRead) {
    for (const auto* runtime : {"", "apptainer", "pyxis"}) {
        ClusterProfile profile;
        profile.environment.modules = {"it's; a $(module)"};
        profile.environment.conda = "a\"b";
        profile.environment.fabric = "efa";
        profile.environment.variables = {{"A", "line one\nline 'two'"}};
        if (*runtime) profile.environment.container = {"/it's an image.sif", runtime, {"/a b"}};
        for (const auto& script :
             {arrayScript(environmentJob(), profile), trainerBuildScript("/w it's", "", 1, profile),
              nodeCheckScript("/w it's", 1, profile)}) {
            const fs::path file = m_folder.path() / "read.sh";
            writeFileAtomically(file, script);
            EXPECT_EQ(std::system(("bash -n " + shellQuote(file.string())).c_str()), 0) << script;
        }
    }
}

}  // namespace
}  // namespace dailies::remote
