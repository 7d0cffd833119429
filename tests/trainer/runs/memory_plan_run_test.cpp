#include "core/planner/memory.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace dailies::trainer {
namespace {

/// A run whose memory is what `changes` make of a model of several hundred MiB of activations and states.
struct Case {
    std::string name;
    Json changes;
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.name;
}

/// A large model on few tokens: what it holds is weights, moments and masters.
Json ofStates(const Json& changes) {
    Json all = {{"model.width", 768}, {"model.depth", 6}, {"model.heads", 12},
                {"data.height", 16},  {"data.width", 16}, {"data.batch_size", 1}};
    for (const auto& [key, value] : changes.items()) all[key] = value;
    return all;
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {"Activations", {}},
        {"SelectiveRecompute", {{"model.recompute", "selective"}}},
        {"FullRecompute", {{"model.recompute", "full"}}},
        {"Accumulation", {{"optimizer.accumulate", 4}}},
        {"Gelu", {{"model.activation", "gelu"}}},
        {"Embeddings", {{"text.encoder", "bytes"}, {"text.tokens", 16}, {"text.width", 16}}},
        {"Wan", {{"model.family", "wan"}}},
        {"Ltx", {{"model.family", "ltx"}}},
        {"LtxGelu", {{"model.family", "ltx"}, {"model.activation", "gelu-tanh"}}},
        {"Animate",
         {{"model.family", "animate"},
          {"model.width", 32},
          {"model.depth", 1},
          {"model.patch_frames", 1},
          {"data.source", "figures"},
          {"data.batch_size", 24}}},
        {"AnimateFullRecompute",
         {{"model.family", "animate"},
          {"model.width", 32},
          {"model.depth", 1},
          {"model.patch_frames", 1},
          {"model.recompute", "full"},
          {"data.source", "figures"},
          {"data.batch_size", 24}}},
        {"MimicMotion",
         {{"model.family", "mimic-motion"},
          {"model.width", 32},
          {"model.depth", 1},
          {"model.patch_frames", 1},
          {"diffusion.objective", "edm"},
          {"data.source", "figures"},
          {"data.batch_size", 12}}},
        {"GroupedQueries", {{"model.kv_heads", 1}}},
        {"Bfloat16", {{"runtime.precision", "bf16"}, {"data.batch_size", 96}}},
        {"MoreThreads", {{"runtime.threads", 2}}},
        {"States", ofStates({})},
        {"EightBitMoments", ofStates({{"optimizer.name", "adamw8bit"}})},
        {"Muon", ofStates({{"optimizer.name", "muon"}})},
        {"NoAverageAndMasters", ofStates({{"model.depth", 3},
                                          {"optimizer.ema_decay", 0},
                                          {"optimizer.master_weights", true},
                                          {"runtime.precision", "bf16"}})},
    };
    return all;
}

class MemoryPlanRun : public testing::TestWithParam<Case> {};

TEST_P(MemoryPlanRun, PeaksWhereItWasPlannedTo) {
    // as on a cluster: freed memory goes back, so that the peak is what was in use
    TrainingRun run({{"steps", 2},
                     {"model.width", 64},
                     {"model.depth", 4},
                     {"model.heads", 4},
                     {"model.patch_size", 4},
                     {"data.frames", 4},
                     {"data.height", 32},
                     {"data.width", 32},
                     {"data.batch_size", 192},
                     {"sampling.every", 1},
                     {"checkpoint.every", 1}});
    run.configure(GetParam().changes);
    ASSERT_EQ(run.train(TrainerProcess::LibTorch::LoadedAnew), 0) << run.output();
    const double planned = run.all<events::Start>().at(0).facts.at("planned_memory_gib").get<double>();
    const double measured = run.metric("memory_gib").rbegin()->second;
    RecordProperty("planned_over_measured", std::to_string(planned / measured));
    EXPECT_NEAR(planned / measured, 1, planner::kMemoryError)
        << "planned " << planned << " GiB, measured " << measured << " GiB";
}

INSTANTIATE_TEST_SUITE_P(Runs, MemoryPlanRun, testing::ValuesIn(cases()),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace
}  // namespace dailies::trainer
