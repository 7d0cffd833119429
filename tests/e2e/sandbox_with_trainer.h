#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/profile.h"
#include "remote/trainer_install/source_bundle.h"
#include "tests/support/dailies_program.h"
#include "tests/support/folders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

namespace dailies::test {

/// The real program with a real Slurm and sshd of its own, and the real trainer of this build where the
/// cluster would have built one.
class SandboxWithTrainer : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_home = std::make_unique<TemporaryFolder>("dailies-trainer-jobs");
        s_dailies = std::make_unique<DailiesProgram>(s_home->path());
        const auto up = s_dailies->run({"sandbox", "up"});
        ASSERT_EQ(up.status, 0) << up.err;
        const auto profile =
            remote::ClusterProfiles(s_home->path() / "config/dailies/clusters.json").get("sandbox");
        const std::filesystem::path trainer =
            std::filesystem::path(profile.workspace) / "trainer" / remote::makeSourceBundle().hash;
        std::filesystem::create_directories(trainer / "build/bin");
        std::filesystem::create_symlink(DAILIES_BINARY_FOLDER "/dailies-train",
                                        trainer / "build/bin/dailies-train");
        writeFileAtomically(trainer / "ready", "");
    }

    static void TearDownTestSuite() {
        s_dailies->run({"sandbox", "down", "--yes"});
        s_dailies.reset();
        s_home.reset();
    }

    /// Trains a sweep of a model that learns nothing in a second; `changes` are further keys of its config,
    /// as YAML. The answer is the runs as JSON.
    static DailiesProgram::Answer train(const std::string& name, const std::string& parameters,
                                        const std::string& changes,
                                        const std::vector<std::string>& words = {}) {
        const auto file = s_home->path() / (name + ".yaml");
        writeFileAtomically(
            file,
            "name: " + name + "\nexperiment: tiny\nmethod: grid\nmetric: {name: loss, goal: minimize}\n" +
                "parameters: {" + parameters +
                "}\n"
                "config: {model.width: 24, model.heads: 2, model.depth: 1, data.frames: 4, data.height: 16, "
                "data.width: 16, data.batch_size: 4, sampling.every: 20, sampling.steps: 2, "
                "sampling.adherence_clips: 0, sampling.prompts: [\"red square left\"], checkpoint.every: 10, "
                "optimizer.warmup_steps: 2, " +
                changes + "}\nresources: {parallel_runs: 2, memory: 800M, time_limit: \"0:20:00\"}\n");
        std::vector<std::string> all{"launch", file.string(), "--cluster", "sandbox",
                                     "--wait", "--format",    "json"};
        all.insert(all.end(), words.begin(), words.end());
        return s_dailies->run(all);
    }

    static tracking::Store store() {
        return tracking::Store(s_dailies->store(), tracking::Store::Mode::ReadOnly);
    }
    static std::string runId(const DailiesProgram::Answer& launch, std::size_t i = 0) {
        return parseJson(launch.out, "launch").at(i).at("run_id").get<std::string>();
    }

    static inline std::unique_ptr<TemporaryFolder> s_home;
    static inline std::unique_ptr<DailiesProgram> s_dailies;
};

}  // namespace dailies::test
