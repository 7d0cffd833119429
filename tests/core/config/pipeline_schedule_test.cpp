#include "core/config/pipeline_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace dailies::config {
namespace {

const PipelineShape kShapes[] = {{1, 1, 3}, {2, 1, 1}, {2, 1, 5}, {3, 1, 2}, {4, 1, 8}, {8, 1, 9},
                                 {2, 2, 2}, {2, 3, 4}, {4, 2, 4}, {4, 2, 8}, {3, 3, 9}, {4, 4, 12}};

/// Every pass takes one tick; a stage begins its next as soon as what it reads is there. How many ticks all
/// take; 0 where they wait for each other forever.
std::int64_t ticksOf(const PipelineShape& shape) {
    std::vector<std::vector<PipelineTask>> tasks;
    for (std::int64_t stage = 0; stage < shape.stages; ++stage)
        tasks.push_back(pipelineSchedule(shape, stage));
    std::vector<std::size_t> next(tasks.size());
    const auto runs = shape.stages * shape.chunks;
    std::set<std::tuple<bool, std::int64_t, std::int64_t>> done;  // direction, run of blocks, micro-batch
    const auto isReady = [&](const PipelineTask& task, std::int64_t run) {
        if (!task.backward) return run == 0 || done.contains({false, run - 1, task.microBatch});
        return done.contains({false, run, task.microBatch}) &&
               (run + 1 == runs || done.contains({true, run + 1, task.microBatch}));
    };
    for (std::int64_t tick = 0;; ++tick) {
        std::vector<std::tuple<bool, std::int64_t, std::int64_t>> made;
        bool left = false;
        for (std::size_t stage = 0; stage < tasks.size(); ++stage) {
            if (next[stage] == tasks[stage].size()) continue;
            left = true;
            const auto& task = tasks[stage][next[stage]];
            const auto run = task.chunk * shape.stages + static_cast<std::int64_t>(stage);
            if (!isReady(task, run)) continue;
            made.emplace_back(task.backward, run, task.microBatch);
            ++next[stage];
        }
        if (!left) return tick;
        if (made.empty()) return 0;
        done.insert(made.begin(), made.end());
    }
}

TEST(PipelineSchedule, TakesEveryMicroBatchThroughEveryChunkForwardAndThenBackward) {
    for (const auto& shape : kShapes)
        for (std::int64_t stage = 0; stage < shape.stages; ++stage) {
            const auto tasks = pipelineSchedule(shape, stage);
            EXPECT_EQ(static_cast<std::int64_t>(tasks.size()), 2 * shape.chunks * shape.microBatches);
            std::map<std::pair<std::int64_t, std::int64_t>, int> passes;
            for (const auto& task : tasks)
                EXPECT_EQ(passes[std::pair(task.chunk, task.microBatch)]++, task.backward ? 1 : 0);
            EXPECT_EQ(static_cast<std::int64_t>(passes.size()), shape.chunks * shape.microBatches);
        }
}

TEST(PipelineSchedule, HoldsNoMoreForwardPassesThanItSays) {
    for (const auto& shape : kShapes)
        for (std::int64_t stage = 0; stage < shape.stages; ++stage) {
            std::int64_t held = 0, most = 0;
            for (const auto& task : pipelineSchedule(shape, stage)) {
                held += task.backward ? -1 : 1;
                most = std::max(most, held);
            }
            EXPECT_EQ(most, maxInFlight(shape, stage));
            if (shape.chunks > 1) continue;
            EXPECT_LE(most, shape.stages - stage) << "1F1B holds one for each stage behind";
        }
}

TEST(PipelineSchedule, WaitsAsLongAsTheFormulaSays) {
    for (const auto& shape : kShapes)
        EXPECT_EQ(ticksOf(shape), 2 * (shape.microBatches * shape.chunks + shape.stages - 1))
            << shape.stages << " stages, " << shape.chunks << " chunks, " << shape.microBatches
            << " micro-batches";
}

TEST(PipelineSchedule, LetsTheLastStageAlternateFromTheBeginning) {
    EXPECT_EQ(pipelineSchedule({2, 1, 2}, 1),
              (std::vector<PipelineTask>{{false, 0, 0}, {true, 0, 0}, {false, 0, 1}, {true, 0, 1}}));
    EXPECT_EQ(pipelineSchedule({2, 1, 2}, 0),
              (std::vector<PipelineTask>{{false, 0, 0}, {false, 0, 1}, {true, 0, 0}, {true, 0, 1}}));
}

}  // namespace
}  // namespace dailies::config
