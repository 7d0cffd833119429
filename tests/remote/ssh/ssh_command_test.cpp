#include "remote/ssh/host_config.h"

#include <gtest/gtest.h>

namespace dailies::remote::ssh {
namespace {

TEST(SshCommand, SaysAllThatReachesTheHost) {
    EXPECT_EQ(sshCommand({.host = "hopper"}, "true"), "ssh hopper true") << "as ~/.ssh/config has it";
    Endpoint sandbox{.host = "127.0.0.1",
                     .port = 2222,
                     .user = "ada",
                     .identityFile = "/home/ada/.cache/a key",
                     .knownHostsFile = "/home/ada/.cache/known_hosts",
                     .readUserConfig = false};
    EXPECT_EQ(sshCommand(sandbox, "true"),
              "ssh -F none -p 2222 -i '/home/ada/.cache/a key' "
              "-o UserKnownHostsFile=/home/ada/.cache/known_hosts ada@127.0.0.1 true");
    EXPECT_EQ(sshCommand({.host = "inner", .jumps = "ada@gate:22"}, "true"), "ssh -J ada@gate:22 inner true");
}

}  // namespace
}  // namespace dailies::remote::ssh
