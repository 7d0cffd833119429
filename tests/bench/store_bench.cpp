// The tracking store against MLflow's own client on the same tables: CPU seconds, so that a busy machine
// changes both alike. Needs build/interop (bash tests/interop/setup.sh). `store_bench FILE` instead tells
// what a person waits for with that store.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/json.h"
#include "core/tracking/store.h"
#include "tests/bench/peer.h"
#include "tests/support/large_store.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <utility>

namespace {

using namespace dailies;
using tracking::Store;

constexpr int kIngestPoints = 200'000;  // of 10 metrics
constexpr int kRivalPoints = 20'000;
constexpr int kRuns = 5'000, kDetails = 30;  // params and metrics each
constexpr int kRivalRuns = 500;
constexpr int kHistoryPoints = 100'000, kLongRuns = 10;
constexpr int kSpikeStep = 65'432;
constexpr int kColumns = 1'280;  // buckets: one for each column of a chart as wide as a screen

struct Cost {
    double cpu = 0;
    double wall = 0;
};

/// The median of `times` runs.
Cost measured(int times, const std::function<void()>& work) {
    std::vector<Cost> costs;
    for (int i = 0; i < times; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        const double cpu = test::cpuSeconds();
        work();
        costs.push_back({test::cpuSeconds() - cpu,
                         std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()});
    }
    std::sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) { return a.cpu < b.cpu; });
    return costs[costs.size() / 2];
}

tracking::Run aRun(const std::string& name) {
    tracking::Run run;
    run.id = newId();
    run.name = name;
    run.experiment = "bench";
    return run;
}

/// `count` steps of ten metrics from `firstStep` on.
std::vector<events::Event> someSteps(int firstStep, int count) {
    std::vector<events::Event> batch;
    for (int step = firstStep; step < firstStep + count; ++step) {
        events::Metrics metrics{step, {}};
        for (int key = 0; key < 10; ++key) metrics.values["metric" + std::to_string(key)] = 1.0 / (step + 1);
        batch.push_back({step + 1, 1, 1.7e9 + step, std::move(metrics)});
    }
    return batch;
}

Cost ingestCost(const std::filesystem::path& file, int stepsPerCommit) {
    Store store(file);
    std::vector<std::vector<events::Event>> batches;
    for (int step = 0; step < kIngestPoints / 10; step += stepsPerCommit)
        batches.push_back(someSteps(step, stepsPerCommit));
    return measured(3, [&] {
        const auto run = aRun("ingest");
        store.createRun(run);
        for (const auto& batch : batches) store.ingest(run.id, batch, 1);
    });
}

void fillWithRuns(Store& store) {
    tracking::SweepRecord sweep{newId(), "many", "sandbox", store.ensureExperiment("bench"), "", "", "", 1};
    std::vector<tracking::Run> runs;
    for (int i = 0; i < kRuns; ++i) {
        runs.push_back(aRun("run " + std::to_string(i)));
        for (int key = 0; key < kDetails; ++key)
            runs.back().params["group.param" + std::to_string(key)] = std::to_string(i * key);
    }
    store.createSweep(sweep, runs);
    events::Metrics metrics{1, {}};
    for (int key = 0; key < kDetails; ++key) metrics.values["metric" + std::to_string(key)] = key;
    for (const auto& run : runs) store.ingest(run.id, {{1, 1, 1.7e9, metrics}}, 1);
}

/// Ten runs of 100,000 points of a noisy loss; one point of each is a spike.
std::vector<tracking::CurveKey> fillWithLongRuns(Store& store) {
    std::vector<tracking::CurveKey> keys;
    for (int i = 0; i < kLongRuns; ++i) {
        auto run = aRun("long " + std::to_string(i));
        run.startMs = 4'000'000'000'000;  // the newest
        store.createRun(run);
        std::vector<events::Event> batch;
        for (int step = 0; step < kHistoryPoints; ++step) {
            const double loss = 1.0 / (step + 1) + 1e-3 * ((step * 7919) % 101);
            batch.push_back({step + 1, 1, 1.7e9 + step,
                             events::Metrics{step, {{"loss", step == kSpikeStep ? 5.19 : loss}}}});
        }
        store.ingest(run.id, batch, 1);
        keys.push_back({run.id, "loss"});
    }
    return keys;
}

double highest(const std::vector<tracking::Curve>& curves) {
    double maximum = 0;
    for (const auto& curve : curves)
        for (const auto& bucket : curve.buckets) maximum = std::max(maximum, bucket.maximum);
    return maximum;
}

/// What a foreign file of four million points costs until its first chart: opening, listing, the copy of its
/// curves; and then again, for the next program that opens it.
void foreignFile(const std::filesystem::path& file) {
    test::makeLargeStore(file,
                         {.runs = 200, .params = 5, .metrics = 10, .points = 2'100, .mlflowOnly = true});
    std::vector<tracking::CurveKey> keys;
    Cost listed, first, again;
    std::int64_t points = 0;
    {
        const Store store(file, Store::Mode::ReadOnly);
        listed = measured(1, [&] {
            for (const auto& run : store.runs()) keys.push_back({run.id, "loss"});
        });
        first = measured(1, [&] { (void)store.curves(keys, std::nullopt, kColumns); });
        for (const auto& run : store.runs())
            for (const auto& [key, latest] : run.metrics) points += latest.step / 10;
    }
    again =
        measured(1, [&] { (void)Store(file, Store::Mode::ReadOnly).curves(keys, std::nullopt, kColumns); });
    const Cost written = measured(1, [&] { Store(file).prepareCurves(); });
    std::printf(
        "foreign file of %.1f M points, read only: listed in %.0f ms, all %zu curves in %.2f s (%.2f CPU s), "
        "opened again in %.0f ms; its own copy, for writing, in %.2f s\n",
        1e-6 * static_cast<double>(points), listed.wall * 1e3, keys.size(), first.wall, first.cpu,
        again.wall * 1e3, written.wall);
}

void compare(const char* what, double ours, double theirs, const char* unit) {
    std::printf("%-44s %12.0f %12.0f %s   %6.1f x\n", what, ours, theirs, unit, ours / theirs);
}

void bench() {
    const TemporaryFolder folder("store-bench");
    ::setenv("XDG_CACHE_HOME", (folder.path() / "caches").c_str(), 1);
    const Cost large = ingestCost(folder.path() / "large.db", 100),
               small = ingestCost(folder.path() / "small.db", 1);
    const auto bytes = std::filesystem::file_size(folder.path() / "large.db");

    const auto file = folder.path() / "read.db";
    std::vector<tracking::CurveKey> keys;
    {
        Store store(file);
        fillWithRuns(store);
        keys = fillWithLongRuns(store);
    }
    const Store store(file, Store::Mode::ReadOnly);
    std::vector<std::vector<tracking::Run>> lists;  // kept: letting go of them is not what one waits for
    const Cost list = measured(5, [&] { lists.push_back(store.runs()); });
    lists.clear();
    const Cost history = measured(9, [&] { (void)store.history(keys[0].runId, "loss"); });
    std::vector<tracking::Curve> found;
    const Cost curves = measured(9, [&] { found = store.curves(keys, std::nullopt, kColumns); });
    const Cost opened =
        measured(5, [&] { (void)Store(file, Store::Mode::ReadOnly).curves(keys, std::nullopt, kColumns); });
    const Cost zoom = measured(9, [&] {
        (void)store.curves(keys, tracking::StepRange{kSpikeStep - 500, kSpikeStep + 500}, kColumns);
    });

    std::vector<std::string> asked{(folder.path() / "rival.db").string(), std::to_string(kRivalPoints),
                                   file.string(), std::to_string(kRivalRuns)};
    for (const auto& key : keys) asked.push_back(key.runId);
    const Json theirs = test::mlflowPeer("mlflow_peer.py", std::move(asked));

    std::printf("%-44s %12s %12s\n", "per CPU second", "Dailies", "MLflow");
    const double theirIngest = kRivalPoints / theirs["ingest"].get<double>();
    compare("ingest, 1,000 points a commit", kIngestPoints / large.cpu, theirIngest, "points");
    compare("ingest, 10 points a commit (MLflow: 1,000)", kIngestPoints / small.cpu, theirIngest, "points");
    compare("runs with 30 params and 30 metrics", kRuns / list.cpu, kRivalRuns / theirs["runs"].get<double>(),
            "runs");
    compare("history of 100,000 points", kHistoryPoints / history.cpu,
            theirs["points"].get<double>() / theirs["history"].get<double>(), "points");
    compare("charts of 10 runs with 100,000 points", 1 / curves.cpu, 1 / theirs["chart"].get<double>(),
            "charts");
    std::printf("\nthe highest of those points is 5.19: Dailies shows %.2f, MLflow %.2f\n", highest(found),
                theirs["highest"].get<double>());
    std::printf(
        "runs() of %d runs in %.0f ms (%.0f CPU ms), history of %d points in %.1f ms, %.0f bytes a point\n",
        kRuns, list.wall * 1e3, list.cpu * 1e3, kHistoryPoints, history.wall * 1e3,
        static_cast<double>(bytes) / (3.0 * kIngestPoints));
    std::printf(
        "10 curves of %d points in %.1f ms (%.1f CPU ms), %.1f ms with opening the file; 1,000 steps of them "
        "in %.1f ms\n",
        kHistoryPoints, curves.wall * 1e3, curves.cpu * 1e3, opened.wall * 1e3, zoom.wall * 1e3);
    foreignFile(folder.path() / "foreign.db");
}

/// What a person waits for with this store: `large_store` makes one of any size.
void look(const std::filesystem::path& file) {
    const Cost prepared = measured(1, [&] { Store(file).prepareCurves(); });
    const Cost opened = measured(9, [&] { const Store store(file, Store::Mode::ReadOnly); });
    const Store store(file, Store::Mode::ReadOnly);
    std::vector<std::vector<tracking::Run>> lists;  // kept: letting go of them is not what one waits for
    const Cost listed = measured(9, [&] { lists.push_back(store.runs()); });
    const auto& runs = lists.front();
    std::vector<tracking::CurveKey> keys;
    for (const auto& run : runs)
        if (keys.size() < 200) keys.push_back({run.id, "loss"});
    std::int64_t points = 0;
    const Cost curves = measured(5, [&] {
        points = 0;
        for (const auto& curve : store.curves(keys, std::nullopt, kColumns)) points += curve.points;
    });
    const Cost few = measured(9, [&] { (void)store.runs({keys.front().runId, keys.back().runId}); });
    const auto print = [](const std::string& what, const Cost& cost) {
        std::printf("%-60s %9.1f ms %9.1f CPU ms\n", what.c_str(), cost.wall * 1e3, cost.cpu * 1e3);
    };
    print("completing the curves", prepared);
    print("opening", opened);
    print("runs(): " + std::to_string(runs.size()), listed);
    print("runs() of two of them", few);
    print("curves of " + std::to_string(keys.size()) + " runs, " + std::to_string(points) + " points",
          curves);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 2)
            look(argv[1]);
        else
            bench();
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
}
