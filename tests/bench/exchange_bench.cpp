// Import and publishing against MLflow's own client doing the same job, in one run. Import is compared in CPU
// seconds, publishing in wall seconds of one server. Needs build/interop (bash tests/interop/setup.sh).
//
//   exchange_bench import [POINTS]          an MLflow file of that many points (default 4,000,000) into a new
//   store exchange_bench publish STORE RUN URL    a run of a store to a tracking server; the client sends it
//   too
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/exchange/import.h"
#include "core/exchange/publish.h"
#include "core/tracking/store.h"
#include "tests/bench/peer.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

namespace {

using namespace dailies;

constexpr int kRuns = 4, kKeys = 10;
constexpr std::int64_t kRivalPoints = 40'000;  // the client needs minutes for millions

struct Cost {
    double cpu = 0, wall = 0;
};

template <class Work>
Cost measured(Work&& work) {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu = test::cpuSeconds();
    work();
    return {test::cpuSeconds() - cpu,
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

void fill(const std::filesystem::path& file, std::int64_t points) {
    tracking::Store store(file);
    for (int number = 0; number < kRuns; ++number) {
        tracking::Run run;
        run.id = std::string(31, '0') + std::to_string(number);
        run.name = "run" + std::to_string(number);
        run.experiment = "bench";
        run.status = tracking::RunStatus::Finished;
        run.startMs = 1'700'000'000'000;
        run.endMs = run.startMs + 1'000'000;
        tracking::MetricHistories histories;
        for (int key = 0; key < kKeys; ++key) {
            auto& history = histories["metric" + std::to_string(key)];
            for (std::int64_t step = 0; step < points / kRuns / kKeys; ++step)
                history.push_back({step, run.startMs + 10 * step, std::sin(static_cast<double>(step * key))});
        }
        store.importRun(run, histories);
    }
}

void benchImport(std::int64_t points) {
    const TemporaryFolder folder("dailies-bench");
    const auto source = folder.path() / "source.db", small = folder.path() / "small.db";
    fill(source, points);
    fill(small, kRivalPoints);
    tracking::Store store(folder.path() / "ours.db");
    exchange::ImportSummary first, second;
    const auto cost = measured([&] { first = exchange::importFrom(store, source); });
    const auto again = measured([&] { second = exchange::importFrom(store, source); });
    if (first.total().pointsAdded != points || second.total().pointsAdded != 0)
        throw Error("the import is wrong");
    const Json theirs = test::mlflowPeer("exchange_peer.py",
                                         {"copy", small.string(), (folder.path() / "theirs.db").string()});
    const double ours = static_cast<double>(points) / cost.cpu;
    const double client = theirs.at("points").get<double>() / theirs.at("cpu").get<double>();
    std::printf("import %lld points: %.1f s (%.1f CPU s), %.0f points per CPU second; again: %.1f CPU s\n",
                static_cast<long long>(points), cost.wall, cost.cpu, ours, again.cpu);
    std::printf("MLflow's client copies %.0f points per CPU second: ratio %.1f\n", client, ours / client);
}

void benchPublish(const std::string& file, const std::string& runId, const std::string& url) {
    const tracking::Store store(file, tracking::Store::Mode::ReadOnly);
    const auto run = store.run(runId);
    if (!run) throw InputError("There is no run " + runId + ".");
    const Json theirs = test::mlflowPeer("exchange_peer.py",
                                         {"publish", std::filesystem::absolute(file).string(), url, runId});
    const double client = theirs.at("points").get<double>() / theirs.at("wall").get<double>();
    std::printf("MLflow's client: %.0f points/s\n", client);
    exchange::PublishSummary sent;
    const auto cost = measured([&] { sent = exchange::publish(store, {*run}, url); });
    const double ours = static_cast<double>(sent.points) / cost.wall;
    std::printf("publish %lld points: %.1f s (%.1f CPU s here), %.0f points/s: ratio %.2f\n",
                static_cast<long long>(sent.points), cost.wall, cost.cpu, ours, ours / client);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    try {
        if (!words.empty() && words[0] == "import" && words.size() <= 2)
            benchImport(words.size() == 2 ? std::stoll(words[1]) : 4'000'000);
        else if (words.size() == 4 && words[0] == "publish")
            benchPublish(words[1], words[2], words[3]);
        else
            throw InputError("usage: exchange_bench import [POINTS] | publish STORE RUN URL");
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
}
