#pragma once

#include "core/base/files.h"
#include "remote/sandbox/sandbox.h"
#include "remote/ssh/session.h"
#include "tests/remote/ssh/failure_of.h"
#include "tests/remote/ssh/prompter.h"

#include <memory>

namespace dailies::remote::ssh {

/// One sandbox for all tests of a program; a session and a scratch folder for each.
class ClusterTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        if (!s_folder) {
            s_folder = std::make_unique<TemporaryFolder>("ssh-test");
            s_profile = *sandbox::up({.folder = s_folder->path() / "s", .nodes = 1}).profile;
            std::atexit([] {
                sandbox::down(s_folder->path() / "s");
                s_folder.reset();
            });
        }
    }

    static Endpoint endpoint() {
        return {.host = s_profile.host,
                .port = s_profile.port,
                .user = s_profile.user,
                .identityFile = s_profile.identityFile,
                .knownHostsFile = s_profile.knownHostsFile,
                .readUserConfig = false};
    }

    std::unique_ptr<Session> connect(std::chrono::seconds timeout = Endpoint{}.timeout) {
        auto mine = endpoint();
        mine.timeout = timeout;
        return std::make_unique<Session>(mine, prompter);
    }

    /// sshd's process that serves a session: the parent of the shell.
    static pid_t serverOf(Session& session) {
        return static_cast<pid_t>(std::stol(session.run("echo $PPID").out));
    }

    std::string remotePath(const std::string& name) const { return (scratch.path() / name).string(); }

    ScriptedPrompter prompter;
    TemporaryFolder scratch{"ssh-scratch"};
    static inline std::unique_ptr<TemporaryFolder> s_folder;
    static inline ClusterProfile s_profile;
};

}  // namespace dailies::remote::ssh
