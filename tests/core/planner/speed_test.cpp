#include "core/planner/speed.h"

#include "core/base/error.h"
#include "core/planner/fit.h"
#include "tests/core/planner/latent_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dailies::planner {
namespace {

constexpr double kTera = 1e12;

/// A row of table 1 of NVIDIA's "Training Video Foundation Models with NVIDIA NeMo" (arXiv 2503.12964).
struct Published {
    std::string name;
    std::int64_t depth, width, tokens;
    std::int64_t tp, cp, pp;
    double teraflops;        ///< a GPU
    double tokensPerSecond;  ///< a GPU
};

const std::vector<Published>& published() {
    static const std::vector<Published> rows{
        {"7B 8k CP2", 28, 4096, 8192, 1, 2, 1, 457, 8969},
        {"7B 74k TP4 CP4", 28, 4096, 73728, 4, 4, 1, 414, 2933},
        {"28B 8k TP2 PP2", 48, 6144, 8192, 2, 1, 2, 435, 2392},
        {"28B 74k TP8 CP4 PP4", 48, 6144, 73728, 8, 4, 4, 411, 994},
    };
    return rows;
}

// What the publication leaves unsaid. GPUs: as many as its largest layout takes, 16 nodes of eight. Batch:
// 256 clips a step, one at a time, as in NeMo's own recipe for 8,192 tokens (pretrain_7b_256p_joint).
// Optimizer: distributed, of which zero1 is our counterpart, nothing computed again. Networks: 400 Gb/s a
// GPU. Context parallelism: a ring, Megatron's default. Pipelines: not interleaved.
const Machines kNodes{16, 8};

config::TrainConfig nemo(const Published& row) {
    auto config = latentModel(row.width, row.depth, row.tokens / 1024, 256);
    config.sampling.every = 0;  // its figures are of training alone
    return config;
}

const DataShape kNemoData{.channels = 16, .textWidth = 1024, .textTokens = 512};

Layout layoutOf(const Published& row) {
    const auto dp = kNodes.ranks() / (row.tp * row.cp * row.pp);
    return {.dp = dp,
            .ring = row.cp,
            .tp = row.tp,
            .pp = row.pp,
            .shard = "zero1",
            .shardRanks = dp * row.cp,
            .microBatches = 256 / dp};
}

StepSpeed predicted(const Published& row, const Layout& layout, const MachineRates& rates) {
    return estimateSpeed(nemo(row), kNemoData, layout, kNodes, rates);
}

double teraflopsOf(const StepSpeed& step) {
    return step.standardFlops / step.seconds() / static_cast<double>(step.ranks) / kTera;
}

MachineRates h100() {
    return publishedRates("h100", true).value();
}

MachineRates calibratedOn(const Published& row) {
    return calibratedRates(nemo(row), kNemoData, layoutOf(row), kNodes, h100(),
                           row.tokensPerSecond * static_cast<double>(kNodes.ranks()));
}

TEST(Speed, CountsTheOperationsOfNemosModelsWithinHalfAPercent) {
    for (const auto& row : published()) {
        const auto step = predicted(row, layoutOf(row), h100());
        const double ofToken = row.teraflops * kTera / row.tokensPerSecond;
        EXPECT_NEAR(step.standardFlops / step.tokens / ofToken, 1, 0.005) << row.name;
    }
}

TEST(Speed, IsWithinATenthOfNemosTableWhicheverRowCalibratesIt) {
    for (const auto& calibrating : published()) {
        const auto rates = calibratedOn(calibrating);
        for (const auto& row : published()) {
            const auto step = predicted(row, layoutOf(row), rates);
            EXPECT_NEAR(teraflopsOf(step) / row.teraflops, 1, 0.1)
                << row.name << " calibrated on " << calibrating.name;
            if (&calibrating == &published().front())
                RecordProperty(row.name, std::to_string(teraflopsOf(step)));
        }
    }
}

TEST(Speed, OfPublishedRatesAloneIsWithinATenthOfNemosTable) {
    for (const auto& row : published())
        EXPECT_NEAR(teraflopsOf(predicted(row, layoutOf(row), h100())) / row.teraflops, 1, 0.1) << row.name;
}

/// The layouts of NeMo's kind that fit, fastest first, one for each tp, cp and pp. A published one ran, hence
/// fits, and so does what takes no more memory: of 28B weights ours would take 118 and 101 GiB, as sums
/// between layers are float32 here.
std::vector<Layout> ranked(const Published& row, const MachineRates& rates) {
    const auto config = nemo(row);
    const double most =
        std::max(*gpuMemory("h100"), layoutMemory(config, kNemoData, layoutOf(row), true).gpuBytes());
    std::vector<std::pair<double, Layout>> found;
    for (const auto& layout : layoutsOf(config, kNodes)) {
        const bool isNemos = layout.ulysses == 1 && layout.recompute == "none" && layout.shard == "zero1" &&
                             layout.ppChunks == 1 && layout.shardRanks == layout.dp * layout.cp() &&
                             layout.microBatches * layout.dp == config.data.batch_size;
        if (!isNemos) continue;
        if (layoutMemory(config, kNemoData, layout, true).gpuBytes() > most) continue;
        found.emplace_back(predicted(row, layout, rates).tokensPerSecond(), layout);
    }
    std::ranges::sort(found, std::ranges::greater(), [](const auto& each) { return each.first; });
    std::vector<Layout> layouts;
    for (const auto& [speed, layout] : found) layouts.push_back(layout);
    return layouts;
}

TEST(Speed, RanksThePublishedLayoutsAmongTheFirstThree) {
    const auto rates = calibratedOn(published().front());
    for (const auto& row : published()) {
        const auto layouts = ranked(row, rates);
        ASSERT_GE(layouts.size(), 5u) << row.name;
        const auto place = std::ranges::find(layouts, layoutOf(row)) - layouts.begin() + 1;
        EXPECT_LE(place, 3) << row.name << ": before it " << layouts[0].text();
        RecordProperty(row.name, std::to_string(place));
    }
}

TEST(Speed, WithoutAnyParallelismNemosSevenBillionWeightsDoNotFit) {
    const auto config = nemo(published().front());
    const Layout plain{.dp = 128, .microBatches = 2};
    EXPECT_GT(layoutMemory(config, kNemoData, plain, true).gpuBytes(), 1.2 * *gpuMemory("h100"));
    auto divided = plain;
    divided.shard = "zero2";
    divided.shardRanks = 128;
    EXPECT_GT(layoutMemory(config, kNemoData, divided, true).gpuBytes(), *gpuMemory("h100"));
}

/// 7B on eight GPUs of a node.
struct Small {
    config::TrainConfig config = nemo(published().front());
    Machines machines{1, 8};
    Layout layout{.dp = 8, .shard = "zero3", .shardRanks = 8, .microBatches = 32};

    StepSpeed speed(const MachineRates& rates = h100()) const {
        return estimateSpeed(config, kNemoData, layout, machines, rates);
    }
};

TEST(Speed, PartsAddUpToTheStepAndWhatIsComputedAgainTakesLonger) {
    Small run;
    const auto none = run.speed();
    double sum = 0;
    for (const auto& part : none.parts()) sum += part.seconds;
    EXPECT_DOUBLE_EQ(sum, none.seconds());
    EXPECT_LT(none.mfu(), 1);
    run.layout.recompute = "selective";
    const auto selective = run.speed();
    run.layout.recompute = "full";
    const auto full = run.speed();
    EXPECT_LT(none.seconds(), selective.seconds());
    EXPECT_LT(selective.seconds(), full.seconds());
    EXPECT_NEAR(full.products / none.products, 4.0 / 3, 1e-9);
    EXPECT_EQ(full.operations, none.operations) << "MFU does not count what is computed again";
}

// What hides communication is how long a pass lasts, whichever of a GPU's computing and a CPU's starting of
// kernels that is.
TEST(Speed, WhereStartingKernelsTakesTheTimeComputingAgainSavesNone) {
    const auto config = latentModel(512, 24, 2, 16);
    const Machines machines{2, 8};
    int startedSlowly = 0;
    for (auto layout : layoutsOf(config, machines)) {
        if (layout.recompute != "none") continue;
        const auto none = estimateSpeed(config, {}, layout, machines, h100());
        startedSlowly += none.launches > 0 ? 1 : 0;
        for (const auto* recompute : {"selective", "full"}) {
            layout.recompute = recompute;
            EXPECT_GE(estimateSpeed(config, {}, layout, machines, h100()).seconds(),
                      (1 - 1e-9) * none.seconds())
                << layout.text();
        }
    }
    EXPECT_GT(startedSlowly, 100);
}

TEST(Speed, SlowerLinksAndSlowerProductsNeverMakeAStepFaster) {
    const Small run;
    auto crossing = run;
    crossing.machines = {4, 2};
    EXPECT_GE(crossing.speed().seconds(), run.speed().seconds());
    auto slower = h100();
    slower.interNodeBandwidth /= 20;
    EXPECT_GT(crossing.speed(slower).exposedCommunication(), crossing.speed().exposedCommunication());
    EXPECT_DOUBLE_EQ(run.speed(slower).seconds(), run.speed().seconds()) << "one node has no such link";
    EXPECT_GT(run.speed(h100().faster(0.8)).seconds(), run.speed().seconds());
}

TEST(Speed, MuonsProductsAreCountedWithItsUpdate) {
    Small run;
    run.layout = {.dp = 1, .shard = "none"};
    run.machines = {1, 1};
    const auto adam = run.speed();
    run.config.optimizer.name = "muon";
    const auto muon = run.speed();
    // of each block four matrices of attention and two of the MLP, four times as wide: 30 w³ and 22.5 w² · 4
    // w
    const double width = static_cast<double>(run.config.model.width);
    const double products =
        static_cast<double>(run.config.model.depth) * (4 * 30 + 2 * 4 * 22.5) * std::pow(width, 3);
    EXPECT_NEAR((muon.optimizer - adam.optimizer) * h100().products / products, 1, 0.15);
    EXPECT_EQ(muon.products, adam.products);
}

TEST(Speed, MoreMicroBatchesShortenThePipelinesBubble) {
    auto run = Small();
    run.layout = {.dp = 2, .pp = 4, .shard = "none", .microBatches = 4};
    const auto few = run.speed();
    run.layout.microBatches = 64;
    const auto many = run.speed();
    const auto share = [](const StepSpeed& step) {
        return step.bubble / (step.seconds() - step.optimizer - step.gradientSums);
    };
    EXPECT_NEAR(share(few), 3.0 / 7, 1e-3) << "(p - 1) / (m + p - 1)";
    EXPECT_NEAR(share(many), 3.0 / 67, 1e-3);
    run.layout.ppChunks = 7;
    EXPECT_NEAR(share(run.speed()), 3.0 / (7 * 64 + 3), 1e-3) << "(p - 1) / (m · v + p - 1)";
}

TEST(Speed, ARingHidesBehindLongClipsOnly) {
    auto rates = h100();
    auto run = Small();
    run.machines = {8, 1};  // every turn crosses nodes
    run.layout = {.dp = 1, .ring = 8, .shard = "zero2", .shardRanks = 8, .microBatches = 256};
    EXPECT_GT(run.speed(rates).contextParallel, 0) << "1,024 tokens a rank";
    run.config.data.frames = 256;
    EXPECT_EQ(run.speed(rates).contextParallel, 0) << "32,768 tokens a rank";
}

TEST(Speed, APreflightReplacesWhatIsPublished) {
    preflight::Report report;
    report.device = "cuda";
    report.ranks = 16;
    for (const auto* name : {"a", "b"}) {
        preflight::Node node;
        node.name = name;
        node.figures = {{"flops", 350e12}, {"link", 80e9}, {"latency", 60e-6}};
        report.nodes.push_back(node);
    }
    const auto measured = measuredRates(h100(), report).value();
    EXPECT_DOUBLE_EQ(measured.products / h100().products, 0.5);
    EXPECT_DOUBLE_EQ(measured.attentionForward / h100().attentionForward, 0.5);
    EXPECT_DOUBLE_EQ(measured.interNodeBandwidth, 10e9) << "eight ranks measured at once";
    EXPECT_DOUBLE_EQ(measured.interNodeLatency, 30e-6) << "one way";
    EXPECT_EQ(measured.intraNodeBandwidth, h100().intraNodeBandwidth) << "nothing measured it";
    const Small run;
    EXPECT_GT(run.speed(measured).seconds(), run.speed().seconds());
}

TEST(Speed, OfCpusIsToldByAPreflightOnly) {
    EXPECT_FALSE(publishedRates("EPYC", false));
    preflight::Report report;
    report.ranks = 1;
    EXPECT_FALSE(measuredRates(std::nullopt, report)) << "no products were measured";
    preflight::Node node;
    node.figures = {{"flops", 50e9}};
    report.nodes.push_back(node);
    const auto rates = measuredRates(std::nullopt, report).value();
    EXPECT_EQ(rates.products, 50e9);
    EXPECT_FALSE(rates.peak) << "hence no MFU";
    report.device = "cuda";
    EXPECT_FALSE(measuredRates(std::nullopt, report)) << "a GPU of which nothing is known";
}

}  // namespace
}  // namespace dailies::planner
