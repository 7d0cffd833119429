// What it costs to follow programs that know nothing of Dailies, and how late their points are: 64 runs write
// 10 metrics a second each to TensorBoard's files on a sandbox cluster, and one folder is followed over SSH.
// The rival is TensorBoard over the same files, which reads them from its own disk. follow_bench [--runs N]
// [--seconds S]: 64 runs, and 60 s for each of the two, unless told.
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "remote/cluster/cluster.h"
#include "remote/follow/folder_watcher.h"
#include "remote/sandbox/sandbox.h"
#include "tests/bench/peer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace {

using namespace dailies;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::seconds(2);
constexpr int kMetrics = 10;  // as follow_peer.py says
constexpr auto kWarmUp = std::chrono::seconds(10);

const std::vector<std::string> kPeer = {DAILIES_SOURCE_FOLDER "/build/trainers/bin/python",
                                        DAILIES_SOURCE_FOLDER "/tests/bench/follow_peer.py"};

class AcceptsAll : public remote::ssh::Prompter {
    Trust trustHostKey(const remote::ssh::HostKey&) override { return Trust::Once; }
    std::optional<std::string> secret(const std::string&, bool) override { return std::nullopt; }
};

/// CPU seconds of the SSH daemon's processes and of what they ran to its end: the login node's share.
double sshdSeconds() {
    double ticks = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        std::error_code gone;
        if (!fs::exists(entry.path() / "stat", gone)) continue;
        std::string stat;
        try {
            stat = readFile(entry.path() / "stat");
        } catch (const Error&) {
            continue;
        }
        if (stat.find("(sshd") == std::string::npos) continue;
        const auto fields = split(stat.substr(stat.rfind(')') + 2), ' ');
        for (const std::size_t field : {11, 12, 13, 14}) ticks += std::stod(fields.at(field));
    }
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

struct Figures {
    double desktop = 0;  ///< CPU seconds a second
    double login = 0;
    double calls = 0;            ///< remote calls a poll
    double milliseconds = 0;     ///< wall time of a poll, the median
    double median = 0, p95 = 0;  ///< seconds from a point's own time until it is in the store
};

double quantile(std::vector<double>& values, double share) {
    std::ranges::sort(values);
    return values.empty() ? 0
                          : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

Figures follow(remote::Cluster& cluster, tracking::Store& store, const std::string& folder,
               std::chrono::seconds time) {
    int calls = 0;
    const auto files = remote::clusterFiles(cluster.session(), {});
    remote::FolderWatcher watcher(
        [&](const std::vector<remote::ReadFiles>& read, remote::Bring bring, std::stop_token stop) {
            ++calls;
            return files(read, bring, stop);
        },
        store, {folder}, {.cluster = cluster.profile().name});
    const auto poll = [&] {
        const auto begin = Clock::now();
        auto report = watcher.poll();
        std::this_thread::sleep_until(begin + kPoll);
        return report;
    };
    for (const auto end = Clock::now() + kWarmUp; Clock::now() < end;) poll();

    std::map<std::string, std::int64_t> seen;
    std::vector<double> late, waits;
    calls = 0;
    int polls = 0;
    const double desktop = test::cpuSeconds(), login = sshdSeconds();
    double looking = 0;  // what measuring costs is not the product's
    const auto begin = Clock::now();
    while (Clock::now() < begin + time) {
        const auto before = Clock::now();
        const auto report = watcher.poll();
        waits.push_back(std::chrono::duration<double, std::milli>(Clock::now() - before).count());
        ++polls;
        const auto now = unixMillis();
        const double cpu = test::cpuSeconds();
        for (const auto& id : report.changedRuns)
            for (const auto& point : store.history(id, "metric0"))
                if (point.step > seen[id]) {
                    seen[id] = point.step;
                    late.push_back(static_cast<double>(now - point.timestampMs) / 1000);
                }
        looking += test::cpuSeconds() - cpu;
        std::this_thread::sleep_until(before + kPoll);
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    // the first round saw what the warm-up had brought
    late.erase(late.begin(), late.begin() + static_cast<std::ptrdiff_t>(late.size() / 5));
    return {(test::cpuSeconds() - desktop - looking) / seconds,
            (sshdSeconds() - login) / seconds,
            static_cast<double>(calls) / polls,
            quantile(waits, 0.5),
            quantile(late, 0.5),
            quantile(late, 0.95)};
}

int run(int runs, std::chrono::seconds time) {
    const TemporaryFolder folder("follow-bench");
    const fs::path place = folder.path() / "s", logs = folder.path() / "logs";
    struct Cleanup {
        fs::path place;
        ~Cleanup() { remote::sandbox::down(place); }
    } cleanup{place};
    auto profile = *remote::sandbox::up({.folder = place}).profile;
    profile.knownHostsFile = (folder.path() / "known_hosts").string();
    AcceptsAll prompter;
    remote::Cluster cluster(profile, prompter);
    tracking::Store store(folder.path() / "dailies.db");
    fs::create_directories(logs);

    const auto all = 2 * time + std::chrono::seconds(60);
    std::jthread programs([&] {
        runProcess(
            {kPeer[0], kPeer[1], "write", logs.string(), std::to_string(runs), std::to_string(all.count())},
            {.timeout = all + std::chrono::minutes(1)});
    });
    while (fs::is_empty(logs)) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto ours = follow(cluster, store, logs.string(), time);
    const auto answer = runProcess({kPeer[0], kPeer[1], "watch", logs.string(), std::to_string(time.count())},
                                   {.timeout = all + std::chrono::minutes(2)});
    if (!answer.ok()) throw Error("TensorBoard could not be measured: " + answer.err);
    const auto theirs = parseJson(answer.out, "follow_peer.py");

    std::printf("%d runs, %d metrics a second each, read every %d s\n", runs, kMetrics,
                static_cast<int>(kPoll.count()));
    std::printf(
        "  Dailies      %5.1f %% of a core here, %.1f %% on the login node, %.1f remote calls a poll of %.0f "
        "ms; "
        "points are late by %.2f s (median), %.2f s (p95)\n",
        100 * ours.desktop, 100 * ours.login, ours.calls, ours.milliseconds, ours.median, ours.p95);
    const double processor = theirs.at("processor");
    std::printf(
        "  TensorBoard  %5.1f %% of a core beside the files; points are late by %.2f s (median), %.2f s "
        "(p95)\n",
        100 * processor, theirs.at("median").get<double>(), theirs.at("p95").get<double>());
    std::printf("  ratio        %.2f of its CPU time in all\n", (ours.desktop + ours.login) / processor);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    int runs = 64;
    std::chrono::seconds time(60);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--runs") == 0) runs = std::atoi(argv[i + 1]);
        if (std::strcmp(argv[i], "--seconds") == 0) time = std::chrono::seconds(std::atoi(argv[i + 1]));
    }
    try {
        return run(runs, time);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
}
