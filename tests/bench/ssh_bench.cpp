// What a person waits for: the sandbox's start, a command, files both ways, near and far; beside OpenSSH's
// own programs in the same run, because figures of a shared machine mean little without a rival. A distant
// network is a relay that hands bytes on later.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "remote/sandbox/sandbox.h"
#include "remote/ssh/session.h"
#include "tests/support/delay_relay.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using namespace dailies;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;
constexpr std::size_t kFileSize = 64u << 20;
constexpr int kSmallFiles = 1000;
constexpr std::size_t kSmallSize = 40u << 10;  // as a clip of the demo
constexpr std::chrono::milliseconds kRoundTrips[] = {
    std::chrono::milliseconds(0), std::chrono::milliseconds(20), std::chrono::milliseconds(50)};

class NoQuestions : public remote::ssh::Prompter {
    Trust trustHostKey(const remote::ssh::HostKey&) override { return Trust::Refuse; }
    std::optional<std::string> secret(const std::string&, bool) override { return std::nullopt; }
};

class AcceptsAll : public NoQuestions {
    Trust trustHostKey(const remote::ssh::HostKey&) override { return Trust::Save; }
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

/// A thousand small files both ways. The rival waits for answers about each, which takes minutes: it carries
/// a tenth of them, and its time beyond that of signing in is taken ten times.
void compareManyFiles(remote::ssh::Session& session, const std::vector<std::string>& sftp,
                      const std::filesystem::path& folder, std::chrono::milliseconds roundTrip) {
    namespace fs = std::filesystem;
    const auto many = folder / "many", copy = folder / "many-copy";
    const auto afresh = [&](const std::function<void()>& action) {
        fs::remove_all(copy);
        return milliseconds(action);
    };
    const auto batch = [&](const std::string& lines) {
        return [&sftp, lines] {
            mustSucceed(runProcess(sftp, {.input = lines + "\n", .timeout = std::chrono::minutes(5)}));
        };
    };
    const double signIn = afresh(batch("pwd"));
    const auto rival = [&](const std::string& verb, const std::string& from, const std::string& to) {
        fs::create_directories(copy);
        // the names of one and of two digits
        std::string lines;
        for (const char* names : {"/?.mp4", "/??.mp4"}) lines += verb + " " + from + names + " " + to + "/\n";
        const double tenth = milliseconds(batch(lines));
        return signIn + (tenth - signIn) * 10;
    };
    const auto words = [&](const char* direction) {
        return "1,000 files " + std::string(direction) + ", " + std::to_string(roundTrip.count()) + " ms";
    };
    const double down = afresh([&] {
        std::vector<remote::ssh::BatchFile> files;
        for (const auto& [name, stat] : session.listTree(many.string(), 2))
            files.push_back({name, copy / name, stat.size});
        for (const auto arrival : session.downloadAll(many.string(), files))
            if (arrival != remote::ssh::TransferResult::Complete) throw Error("A file did not arrive.");
    });
    fs::remove_all(copy);
    print(words("download").c_str(), down, rival("get", many.string(), copy.string()), "sftp");
    const double up = afresh([&] { session.uploadFolder(many, copy.string()); });
    fs::remove_all(copy);
    print(words("upload").c_str(), up, rival("put", many.string(), copy.string()), "sftp");
}

/// 64 MiB both ways, over a way of this round trip.
void compareTransfers(remote::ssh::Endpoint endpoint, const std::filesystem::path& folder,
                      std::chrono::milliseconds roundTrip) {
    const DelayRelay relay(endpoint.port, roundTrip);
    endpoint.port = relay.port();
    endpoint.knownHostsFile = folder / "known_hosts";
    AcceptsAll prompter;
    remote::ssh::Session session(endpoint, prompter);
    const std::vector<std::string> sftp{"sftp",
                                        "-q",
                                        "-F",
                                        "none",
                                        "-o",
                                        "StrictHostKeyChecking=no",
                                        "-o",
                                        "UserKnownHostsFile=" + endpoint.knownHostsFile.string(),
                                        "-i",
                                        endpoint.identityFile.string(),
                                        "-P",
                                        std::to_string(endpoint.port),
                                        "-b",
                                        "-",
                                        endpoint.user + "@" + endpoint.host};
    const auto rival = [&](const std::string& line) {
        return medianOf([&] { mustSucceed(runProcess(sftp, {.input = line + "\n"})); });
    };
    const auto big = (folder / "big").string(), copy = (folder / "copy").string();
    const auto words = [&](const char* direction) {
        return std::string("64 MiB ") + direction + ", " + std::to_string(roundTrip.count()) + " ms";
    };
    compareManyFiles(session, sftp, folder, roundTrip);
    print(words("download").c_str(), medianOf([&] { session.download(big, copy); }),
          rival("get " + big + " " + copy), "sftp");
    print(words("upload").c_str(), medianOf([&] { session.upload(big, copy); }),
          rival("put " + big + " " + copy), "sftp");
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

    writeFileAtomically(folder.path() / "big", std::string(kFileSize, 'x'));
    std::filesystem::create_directories(folder.path() / "many");
    for (int i = 0; i < kSmallFiles; ++i)
        writeFileAtomically(folder.path() / "many" / (std::to_string(i) + ".mp4"),
                            std::string(kSmallSize, 'x'));
    for (const auto roundTrip : kRoundTrips) compareTransfers(endpoint, folder.path(), roundTrip);
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
