#include "remote/launch/forecast.h"

#include "core/base/files.h"
#include "core/config/schema.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/follow/sweep_summary.h"
#include "remote/launch/launch.h"
#include "remote/launch/price.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
namespace tag = tracking::tag;

/// A store in which earlier sweeps' runs took as long as they are told to.
class Forecasts : public testing::Test {
protected:
    struct Past {
        std::string yaml;
        double secondsPerStep = 0;
        tracking::RunStatus status = tracking::RunStatus::Finished;
        std::string cluster = "here";
    };

    void ran(const Past& past) {
        tracking::SweepRecord record;
        record.id = std::string(31, 'a') + std::to_string(m_sweeps++);
        record.name = "earlier";
        record.cluster = past.cluster;
        record.experimentId = m_store.ensureExperiment("e");
        record.yaml = past.yaml;
        record.createdMs = 1000;
        std::vector<tracking::Run> runs;
        const auto sweep = sweep::parseSweep(past.yaml, "earlier");
        for (const auto& planned : sweep::expand(sweep)) {
            tracking::Run run;
            run.id = runIdOf(record.id, runs.size());
            run.name = planned.name;
            run.experimentId = record.experimentId;
            run.startMs = 1'000'000;
            const Json flat = config::flatten(planned.config);
            for (const auto& [key, value] : flat.items())
                run.params[key] = value.is_string() ? value.get<std::string>() : value.dump();
            run.tags = {{tag::kSweep, record.id},
                        {tag::kCluster, past.cluster},
                        {tag::kTask, std::to_string(runs.size())}};
            runs.push_back(run);
        }
        m_store.createSweep(record, runs);
        for (const auto& run : runs) {
            const double steps = std::stod(run.params.at("steps"));
            m_store.setStatus(run.id, past.status,
                              run.startMs + static_cast<std::int64_t>(1000 * steps * past.secondsPerStep));
        }
        m_lastSweep = record.id;
    }

    Forecast of(const std::string& yaml) {
        const auto sweep = sweep::parseSweep(yaml, "s.yaml");
        return forecast(sweep, sweep::expand(sweep), PastRuns(m_store, "here"));
    }

    TemporaryFolder m_folder;
    tracking::Store m_store{m_folder.path() / "dailies.db"};
    int m_sweeps = 0;
    std::string m_lastSweep;
};

constexpr const char* kFour =
    "parameters: {seed: {values: [1, 2, 3, 4]}}\nconfig: {steps: 1000}\n"
    "resources: {parallel_runs: 2, cpus_per_rank: 3, ranks_per_node: 2, gpus_per_node: 1}\n";

TEST_F(Forecasts, WithoutEarlierRunsItSaysThatItDoesNotKnow) {
    const auto none = of(kFour);
    EXPECT_FALSE(none.known);
    EXPECT_THAT(none.basis, HasSubstr("No earlier run on here to estimate from"));
    ran({kFour, 0.5, tracking::RunStatus::Failed});
    ran({kFour, 0.5, tracking::RunStatus::Finished, "elsewhere"});
    EXPECT_FALSE(of(kFour).known) << "neither a failed run nor another cluster's tells";
}

TEST_F(Forecasts, HowLongAProgramOfTheUsersOwnTakesIsNotKnown) {
    ran({kFour, 0.1});
    const auto sweep =
        sweep::parseSweep("program: train.py\nparameters: {lr: {values: [0.1, 0.2]}}\nmethod: grid\n", "own");
    const auto result = forecast(sweep, sweep::expand(sweep), PastRuns(m_store, "here"));
    EXPECT_FALSE(result.known);
    EXPECT_EQ(result.basis, "How long a run of train.py takes is not known.");
    EXPECT_EQ(result.runs, 2u);
}

TEST_F(Forecasts, TheMedianOfLikeRunsGivesTimeAndHours) {
    ran({kFour, 0.36});
    const auto cost =
        of("parameters: {seed: {values: [11, 12, 13]}}\nconfig: {steps: 2000}\n"
           "resources: {parallel_runs: 2, cpus_per_rank: 3, ranks_per_node: 2, gpus_per_node: 1}\n");
    ASSERT_TRUE(cost.known);
    EXPECT_NEAR(cost.seconds, 2 * 720, 1) << "two at once, then the third";
    EXPECT_NEAR(cost.gpuHours, 3 * 720 / 3600.0, 1e-3);
    EXPECT_NEAR(cost.cpuHours, 3 * 6 * 720 / 3600.0, 1e-2);
    EXPECT_THAT(cost.basis, testing::AllOf(HasSubstr("By 4 finished runs of the same sizes"),
                                           HasSubstr("0.36 s a step")));
    EXPECT_EQ(cost.savedShare, 0);
}

TEST_F(Forecasts, RunsOfOtherSizesAreARoughGuideAndSaidToBe) {
    ran({kFour, 0.1});
    EXPECT_THAT(of("parameters: {model.depth: {values: [4]}}\n").basis, HasSubstr("Roughly"));
}

TEST_F(Forecasts, EarlyStoppingsSavingAndTheRunsToComeAreCounted) {
    ran({kFour, 0.1});
    const auto stopped =
        of("metric: {name: loss}\nearly_terminate: {type: asha, min_iter: 100, eta: 2}\n"
           "parameters: {seed: {values: [11, 12]}}\nconfig: {steps: 200}\n");
    EXPECT_NEAR(stopped.savedShare, 0.25, 1e-9);
    const auto bayes =
        of("method: bayes\nrun_cap: 40\nmetric: {name: loss}\n"
           "parameters: {optimizer.lr: {min: 0.001, max: 0.1}}\nresources: {parallel_runs: 4}\n"
           "config: {steps: 1000}\n");
    EXPECT_EQ(bayes.runs, 40u);
    EXPECT_EQ(bayes.duplicateInStore.size(), 10u);
    EXPECT_NEAR(bayes.seconds, 10 * 100, 1);
}

TEST_F(Forecasts, NamesWhatRepeatsAnotherRun) {
    ran({"parameters: {optimizer.lr: {values: [0.01, 0.02]}}\n", 0.1});
    ran({"parameters: {optimizer.lr: {values: [0.04]}}\n", 0.1, tracking::RunStatus::Failed});
    const auto repeats = of("parameters: {optimizer.lr: {values: [0.02, 0.03, 0.04]}}\n");
    EXPECT_THAT(repeats.duplicateInStore, testing::ElementsAre("lr=0.02", "", ""))
        << "a failed run is worth another try";
    EXPECT_EQ(repeats.repeatedRuns().size(), 1u);
    const auto drawn =
        of("method: random\nrun_cap: 20\nparameters: {model.depth: {values: [1, 2]}}\nconfig: {steps: 70}\n");
    EXPECT_EQ(drawn.repeatedRuns().size(), 18u);
}

TEST_F(Forecasts, ThePriceAndTheEndAreToldWhereTheyAreKnown) {
    ClusterProfile profile;
    const auto none = of(kFour);
    EXPECT_EQ(priceText(none, profile), "");
    EXPECT_EQ(endText(none, 1000), "");
    ran({kFour, 0.36});
    const auto cost =
        of("parameters: {seed: {values: [11, 12]}}\nconfig: {steps: 10000}\n"
           "resources: {parallel_runs: 2, cpus_per_rank: 3, ranks_per_node: 2, gpus_per_node: 1}\n");
    ASSERT_NEAR(cost.gpuHours, 2, 1e-3);
    EXPECT_EQ(priceText(cost, profile), "") << "the profile has no price";
    profile.gpuHourPrice = 2.5;
    profile.currency = "EUR";
    EXPECT_EQ(priceText(cost, profile), "about 5.00 EUR");
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    const std::int64_t sunday = 1795305600;  // 22 Nov 2026, 00:00 UTC
    EXPECT_EQ(endText(cost, sunday), "Ends about Sun 01:00 if it starts now.");
    EXPECT_EQ(endText(cost, sunday, sunday + 7200),
              "Ends about Sun 03:00 if it starts at Sun 02:00, as Slurm expects.");
}

TEST_F(Forecasts, RepeatsCanBeLeftOutOfAPlan) {
    const auto sweep =
        sweep::parseSweep("parameters: {optimizer.lr: {values: [0.01, 0.02, 0.03]}}\n", "s.yaml");
    const auto plan = planLaunch(sweep, {}, "/w", {}, {1});
    ASSERT_EQ(plan.runs.size(), 2u);
    EXPECT_EQ(plan.runs[1].name, "lr=0.03");
    EXPECT_THAT(plan.script, HasSubstr("--array=0-1%"));
    EXPECT_THROW(planLaunch(sweep, {}, "/w", {}, {0, 1, 2}), InputError);
}

TEST_F(Forecasts, ASummarySaysWhatWasStoppedAndWhatThatSpared) {
    ran({"metric: {name: loss}\nparameters: {seed: {values: [1, 2, 3]}}\nconfig: {steps: 100}\n", 0.1});
    const auto log = [&](std::size_t task, std::int64_t step, double loss) {
        events::Event event;
        event.seq = 1;
        event.attempt = 1;
        events::Metrics metrics;
        metrics.step = step;
        metrics.values = {{"loss", loss}};
        event.payload = metrics;
        m_store.ingest(runIdOf(m_lastSweep, task), {event}, 10);
    };
    log(0, 100, 0.2), log(1, 100, 0.3), log(2, 10, 0.1);
    m_store.setTag(runIdOf(m_lastSweep, 2), tag::kStoppedWhy, "Stopped early at step 10: …");
    m_store.setStatus(runIdOf(m_lastSweep, 2), tracking::RunStatus::Killed, 5000);
    const auto summary = summarize(m_store, m_lastSweep);
    EXPECT_EQ(summary.text(),
              "3 runs: 2 finished, 1 stopped early, saving 30 % of the steps. Best: seed=1 with loss 0.2.");
    ASSERT_EQ(summary.stopped.size(), 1u);
    EXPECT_EQ(summary.stopped[0].run, "seed=3");
}

}  // namespace
}  // namespace dailies::remote
