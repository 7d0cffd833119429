// What a person waits for: the sandbox's start, a command, a download; the last two beside OpenSSH's own
// programs in the same run, because figures of a shared machine mean little without a rival.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "remote/sandbox/sandbox.h"
#include "remote/ssh/session.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using namespace dailies;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;
constexpr std::size_t kDownloadSize = 64u << 20;

class NoQuestions : public remote::ssh::Prompter {
    Trust trustHostKey(const remote::ssh::HostKey&) override { return Trust::Refuse; }
    std::optional<std::string> secret(const std::string&, bool) override { return std::nullopt; }
};

double milliseconds(const std::function<void()>& action) {
    const auto begin = Clock::now();
    action();
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double medianOf(const std::function<void()>& action) {
    std::vector<double> times;
    for (int round = 0; round < kRounds; ++round) times.push_back(milliseconds(action));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void mustSucceed(const ProcessResult& result) {
    if (!result.ok()) throw Error("The rival failed: " + result.err);
}

void print(const char* what, double ours, double theirs, const char* rival) {
    std::printf("%-34s %9.1f ms   %s %9.1f ms   %.1f times as fast\n", what, ours, rival, theirs,
                theirs / ours);
}

int run() {
    const TemporaryFolder folder("ssh-bench");
    const auto place = folder.path() / "s";
    struct Cleanup {
        std::filesystem::path place;
        ~Cleanup() { remote::sandbox::down(place); }
    } cleanup{place};

    NoQuestions prompter;
    remote::ssh::Endpoint endpoint;
    const auto connect = [&] { return std::make_unique<remote::ssh::Session>(endpoint, prompter); };
    const double first = milliseconds([&] {
        const auto profile = *remote::sandbox::up({.folder = place}).profile;
        endpoint = {.host = profile.host,
                    .port = profile.port,
                    .user = profile.user,
                    .identityFile = profile.identityFile,
                    .knownHostsFile = profile.knownHostsFile,
                    .readUserConfig = false};
        connect()->run("true");
    });
    std::printf("%-34s %9.1f ms\n", "`sandbox up` to first SSH command", first);

    const auto options = [&](const std::string& portFlag) {
        return std::vector<std::string>{"-F",     "none",
                                        "-o",     "BatchMode=yes",
                                        "-o",     "UserKnownHostsFile=" + endpoint.knownHostsFile.string(),
                                        "-i",     endpoint.identityFile.string(),
                                        portFlag, std::to_string(endpoint.port)};
    };
    const auto target = endpoint.user + "@" + endpoint.host;
    auto ssh = options("-p");
    ssh.insert(ssh.begin(), "ssh");
    ssh.insert(ssh.end(), {target, "true"});
    print("connect + one command", medianOf([&] { connect()->run("true"); }),
          medianOf([&] { mustSucceed(runProcess(ssh)); }), "ssh");
    const auto session = connect();
    print("one command, session kept", medianOf([&] { session->run("true"); }),
          medianOf([&] { mustSucceed(runProcess(ssh)); }), "ssh");

    writeFileAtomically(folder.path() / "big", std::string(kDownloadSize, 'x'));
    const auto remote = (folder.path() / "big").string();
    auto sftp = options("-P");
    sftp.insert(sftp.begin(), "sftp");
    sftp.insert(sftp.end(), {target + ":" + remote, (folder.path() / "theirs").string()});
    print("64 MiB download", medianOf([&] { session->download(remote, folder.path() / "ours"); }),
          medianOf([&] { mustSucceed(runProcess(sftp)); }), "sftp");
    return 0;
}

}  // namespace

int main() {
    try {
        return run();
    } catch (const Error& e) {
        std::fprintf(stderr, "%s\n", e.full().c_str());
        return 1;
    }
}
