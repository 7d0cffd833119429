#include "remote/ssh/known_hosts.h"

#include "core/base/files.h"
#include "core/base/process.h"

#include <gtest/gtest.h>

#include <thread>

namespace dailies::remote::ssh {
namespace {

constexpr const char* kType = "ssh-ed25519";
constexpr const char* kKey = "AAAAC3NzaC1lZDI1NTE5AAAAIGGZ/vXh6i+LlUpPBjKHXDEfnp0ZfpcCDLgNLMCTQUAK";
constexpr const char* kOther = "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";

class KnownHostsTest : public testing::Test {
protected:
    HostKeyFinding find(const std::string& content, const std::string& host = "login.example.org") {
        writeFileAtomically(file, content);
        return findHostKey({file}, host, kType, kKey);
    }
    static std::string line(const std::string& hosts, const std::string& key = kKey,
                            const std::string& type = kType) {
        return hosts + " " + type + " " + key + "\n";
    }
    TemporaryFolder folder;
    std::filesystem::path file = folder.path() / "known_hosts";
};

TEST_F(KnownHostsTest, FindsAHostByNameListPatternAndPort) {
    EXPECT_EQ(find(line("login.example.org")).state, HostKeyState::Known);
    EXPECT_EQ(find(line("other,login.example.org,10.0.0.1")).state, HostKeyState::Known);
    EXPECT_EQ(find(line("*.example.org")).state, HostKeyState::Known);
    EXPECT_EQ(find(line("login?.example.org")).state, HostKeyState::Unknown);
    EXPECT_EQ(find(line("*.example.org,!login.example.org")).state, HostKeyState::Unknown);
    EXPECT_EQ(find(line("LOGIN.Example.org")).state, HostKeyState::Known);
    EXPECT_EQ(find(line("[login.example.org]:2222"), "[login.example.org]:2222").state, HostKeyState::Known);
    EXPECT_EQ(find(line("login.example.org"), "[login.example.org]:2222").state, HostKeyState::Unknown);
    EXPECT_EQ(find(line("[lo]gin.example.org"), "lgin.example.org").state, HostKeyState::Unknown);
}

TEST_F(KnownHostsTest, ReadsTheHashedNamesThatSshKeygenWrites) {
    writeFileAtomically(file, line("[login.example.org]:2222") + line("elsewhere", kOther));
    ASSERT_TRUE(runProcess({"ssh-keygen", "-q", "-H", "-f", file.string()}).ok());
    ASSERT_EQ(readFile(file).find("login"), std::string::npos);
    EXPECT_EQ(findHostKey({file}, "[login.example.org]:2222", kType, kKey).state, HostKeyState::Known);
    EXPECT_EQ(findHostKey({file}, "elsewhere", kType, kKey).state, HostKeyState::Changed);
    EXPECT_EQ(findHostKey({file}, "login.example.org", kType, kKey).state, HostKeyState::Unknown);
}

TEST_F(KnownHostsTest, TellsChangedFromOtherTypeAndNamesTheLine) {
    const auto changed = find("# comment\n\ngarbage\n" + line("login.example.org", kOther));
    EXPECT_EQ(changed.state, HostKeyState::Changed);
    EXPECT_EQ(changed.line, 4);
    EXPECT_EQ(changed.file, file);
    EXPECT_EQ(changed.key, kOther);
    EXPECT_EQ(find(line("login.example.org", kOther, "ssh-rsa")).state, HostKeyState::OtherType);
    EXPECT_EQ(find(line("login.example.org", kOther) + line("login.example.org")).state, HostKeyState::Known)
        << "one right key among several is enough";
}

TEST_F(KnownHostsTest, RevokedBeatsKnownWhereverItStands) {
    EXPECT_EQ(find("@revoked " + line("*") + line("login.example.org")).state, HostKeyState::Revoked);
    EXPECT_EQ(find(line("login.example.org") + "@revoked " + line("login.example.org")).state,
              HostKeyState::Revoked);
    EXPECT_EQ(find("@revoked " + line("*", kOther) + line("login.example.org")).state, HostKeyState::Known);
    EXPECT_EQ(find("@cert-authority " + line("*")).state, HostKeyState::Unknown);
}

TEST_F(KnownHostsTest, AbsentFilesAreEmptyAndUnreadableOnesAreNot) {
    EXPECT_EQ(findHostKey({folder.path() / "absent"}, "h", kType, kKey).state, HostKeyState::Unknown);
    EXPECT_ANY_THROW(findHostKey({folder.path()}, "h", kType, kKey)) << "a folder in its place";
}

TEST_F(KnownHostsTest, SavesBehindWhatIsThereAndFindsItAgain) {
    writeFileAtomically(file, "# no line end");
    saveHostKey(file, "login.example.org", kType, kKey);
    saveHostKey(file, "second", kType, kOther);
    EXPECT_EQ(readFile(file), "# no line end\n" + line("login.example.org") + line("second", kOther));
    EXPECT_EQ(findHostKey({file}, "login.example.org", kType, kKey).line, 2);
}

TEST_F(KnownHostsTest, PrintsFingerprintsAsSshKeygenDoes) {
    writeFileAtomically(file, std::string(kType) + " " + kKey + "\n");
    const auto printed = runProcess({"ssh-keygen", "-l", "-f", file.string()}).out;
    EXPECT_NE(printed.find(fingerprintOf(kKey) + " "), std::string::npos) << printed;
}

}  // namespace
}  // namespace dailies::remote::ssh
