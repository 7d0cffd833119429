#pragma once

#include "core/base/files.h"
#include "core/base/text.h"
#include "remote/job_script/job_script.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>

namespace dailies::remote {

namespace fs = std::filesystem;

inline const std::string kSweep(32, 'a');
inline const std::string kRun(32, 'b');

inline ArrayJob exampleJob() {
    ArrayJob job;
    job.sweepId = kSweep;
    job.sweepName = "shapes lr";
    job.tasks = 4;
    job.resources.partition = "main";
    job.resources.cpusPerRank = 2;
    job.resources.memory = "2G";
    job.resources.timeLimit = "0:20:00";
    job.workspace = "/scratch/it's mine";
    job.program = trainerParts("/scratch/it's mine/trainer/0123/build/bin/dailies-train", "train");
    return job;
}

/// Runs the script by the real bash as Slurm would, with programs of our own in place of srun and scontrol.
class ArrayScriptRun : public testing::Test {
protected:
    ArrayScriptRun() {
        m_job.workspace = (m_folder.path() / "it's \"a\" $HOME workspace").string();
        m_job.program = trainerParts("dailies-train", "train");
        m_job.sweepId = kSweep;
        writeFileAtomically(sweepFolder() / "array.tsv",
                            "0\t" + std::string(32, 'c') + "\n1\t" + kRun + "\n");
        program("srun", "printf '%s\\n' \"$@\" >\"$OUT/srun\"\n");
        program("scontrol", "printf '%s\\n' \"$@\" >\"$OUT/scontrol\"\n");
    }

    fs::path sweepFolder() const { return fs::path(m_job.workspace) / "sweeps" / kSweep; }
    fs::path runFolder() const { return fs::path(m_job.workspace) / "runs" / kRun; }
    std::string output(const char* name) const { return readFile(m_folder.path() / name); }

    std::string log() const { return readFile(runFolder() / "logs/77_1.out"); }

    void program(const std::string& name, const std::string& body) {
        using fs::perms;
        writeFileAtomically(m_folder.path() / "bin" / name, "#!/bin/bash\n" + body, perms::owner_all);
    }

    /// Exit code of the script as task 1 of array 77.
    int run(const std::string& environment = "", const std::string& arrayJob = "77") {
        const fs::path script = m_folder.path() / "job.sh";
        writeFileAtomically(script, arrayScript(m_job, m_profile));
        const std::string command = "env OUT=" + shellQuote(m_folder.path().string()) +
                                    " PATH=" + shellQuote((m_folder.path() / "bin").string()) +
                                    ":$PATH SLURM_ARRAY_JOB_ID=" + arrayJob +
                                    " SLURM_ARRAY_TASK_ID=1 SLURM_JOB_ID=78 " + environment + " bash " +
                                    shellQuote(script.string()) + " >" +
                                    shellQuote((m_folder.path() / "slurm.out").string()) + " 2>&1";
        const int status = std::system(command.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    TemporaryFolder m_folder;
    ArrayJob m_job;
    ClusterProfile m_profile;
};

}  // namespace dailies::remote
