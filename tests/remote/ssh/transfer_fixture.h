#pragma once

#include "tests/remote/ssh/failure_of.h"
#include "tests/remote/ssh/prompter.h"
#include "tests/remote/ssh/ssh_server.h"
#include "tests/support/delay_relay.h"

#include <fstream>
#include <set>

namespace dailies::remote::ssh {

namespace fs = std::filesystem;

/// A server, and files on both sides of networks that break.
class TransferTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        ::unsetenv("SSH_AUTH_SOCK");
        s_folder = std::make_unique<TemporaryFolder>("ssh-transfer");
        s_key = makeKey(s_folder->path() / "key");
        s_server = std::make_unique<SshServer>(s_folder->path() / "lab", std::vector{s_key});
    }
    static void TearDownTestSuite() {
        s_server.reset();
        s_folder.reset();
    }

    std::unique_ptr<Session> connectBy(const DelayRelay& relay,
                                       std::chrono::seconds timeout = Endpoint{}.timeout) {
        prompter.trust = Prompter::Trust::Once;
        return std::make_unique<Session>(Endpoint{.host = "127.0.0.1",
                                                  .port = relay.port(),
                                                  .identityFile = s_key,
                                                  .knownHostsFile = scratch.path() / "known_hosts",
                                                  .readUserConfig = false,
                                                  .timeout = timeout},
                                         prompter);
    }
    fs::path path(const std::string& name) const { return scratch.path() / name; }

    /// What an action leaves in the scratch folder beside these.
    std::vector<std::string> othersThan(const std::set<std::string>& names) const {
        std::vector<std::string> others;
        for (const auto& entry : fs::directory_iterator(scratch.path()))
            if (!names.contains(entry.path().filename().string()))
                others.push_back(entry.path().filename().string());
        return others;
    }

    TemporaryFolder scratch{"ssh-transfer-scratch"};
    ScriptedPrompter prompter;
    static inline std::unique_ptr<TemporaryFolder> s_folder;
    static inline fs::path s_key;
    static inline std::unique_ptr<SshServer> s_server;
};

}  // namespace dailies::remote::ssh
