#pragma once

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/dailies_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dailies::test {

namespace fs = std::filesystem;

inline constexpr const char* kMinSnrSweep = R"(program: train.py
command: [python3, "${program}", --name, "${envvar:USER}", "${args}"]
project: animate
method: grid
metric: {name: loss, goal: minimize}
parameters:
  min_snr_gamma: {values: [0, 1, 2, 3]}
  lr: {value: 1e-5}
resources: {memory: 100M, parallel_runs: 4, time_limit: "0:05:00"}
)";

/// Writes what it was started with into the run's folder.
inline constexpr const char* kTellingProgram = R"(import json, os, sys
from helpers import describe
folder = os.environ["DAILIES_RUN_DIR"]
with open(os.path.join(folder, "seen.json"), "w") as out:
    json.dump({"argv": sys.argv, "cwd": os.getcwd(), "wandb": os.environ["WANDB_DIR"]}, out)
print(describe(sys.argv[-2]))
)";

/// A program of the user's own in a folder of this machine, launched from the command line on a real Slurm
/// over a real sshd.
class OwnProgram : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_home = std::make_unique<TemporaryFolder>("own-program");
        s_dailies = std::make_unique<DailiesProgram>(s_home->path());
        const auto up = s_dailies->run({"sandbox", "up", "--dir", (s_home->path() / "s").string()});
        ASSERT_EQ(up.status, 0) << up.err;
    }
    static void TearDownTestSuite() {
        s_dailies->run({"sandbox", "down", "--yes", "--dir", (s_home->path() / "s").string()});
        s_dailies.reset();
        s_home.reset();
    }

    OwnProgram() {
        write("train.py", kTellingProgram);
        write("helpers.py", "def describe(word):\n    return 'trains with ' + word\n");
        write("sweep.yaml", kMinSnrSweep);
    }

    fs::path code() const { return m_folder.path() / "it's mine"; }
    std::string write(const std::string& name, const std::string& text) const {
        fs::create_directories((code() / name).parent_path());
        writeFileAtomically(code() / name, text);
        return (code() / name).string();
    }

    DailiesProgram::Answer launch(std::vector<std::string> words) const {
        words.insert(words.begin(), "launch");
        words.insert(words.end(), {"--cluster", "sandbox", "--format", "json", "--wait"});
        return s_dailies->run(words);
    }
    static Json runOf(const Json& runs, const std::string& key, const std::string& value) {
        const auto run = std::ranges::find_if(
            runs, [&](const Json& candidate) { return candidate.at("params").at(key) == value; });
        EXPECT_NE(run, runs.end());
        return run == runs.end() ? Json::object() : *run;
    }
    static fs::path folderOf(const Json& run) {
        return run.at("tags").at("dailies.folder").get<std::string>();
    }

    static inline std::unique_ptr<TemporaryFolder> s_home;
    static inline std::unique_ptr<DailiesProgram> s_dailies;
    TemporaryFolder m_folder{"own-code"};
};

}  // namespace dailies::test
