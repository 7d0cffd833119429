#include "trainer/rehearsal/rehearsal.h"

#include "core/base/error.h"
#include "core/config/schema.h"
#include "core/planner/memory.h"
#include "tests/trainer/parallel/thread_ranks.h"
#include "trainer/data/vocabulary.h"
#include "trainer/denoising/batch_loader.h"
#include "trainer/models/model_with_text_encoder.h"
#include "trainer/optim/optimizer.h"
#include "trainer/rehearsal/recording_process_group.h"
#include "trainer/text/text_encoder.h"
#include "trainer/training/step.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <iostream>

namespace dailies::trainer {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

config::TrainConfig configOf(const Json& changes) {
    Json nested = Json::object();
    config::setByKey(nested, "model.depth", 3);
    config::setByKey(nested, "data.batch_size", 8);
    config::setByKey(nested, "data.workers", 0);
    for (const auto& [key, value] : changes.items()) config::setByKey(nested, key, value);
    return config::resolve(nested);
}

RehearsedRun runOf(const config::TrainConfig& config, std::int64_t ranks) {
    return {config, planner::DataShape::expected(config), ranks, 2};
}

/// Real ranks, of which one writes down what it asks for.
class Noting : public ProcessGroup {
public:
    Noting(ProcessGroup& real, std::unique_ptr<ProcessGroup> notes)
        : m_real(real), m_notes(std::move(notes)) {}
    Noting(std::unique_ptr<ProcessGroup> real, std::unique_ptr<ProcessGroup> notes)
        : m_own(std::move(real)), m_real(*m_own), m_notes(std::move(notes)) {}

    std::int64_t rank() const override { return m_real.rank(); }
    std::int64_t size() const override { return m_real.size(); }
    std::string name() const override { return m_real.name(); }
    void allReduce(at::Tensor& tensor) override { startAllReduce(tensor).wait(); }
    void broadcastFromRank0(at::Tensor& tensor) override {
        m_notes->broadcastFromRank0(tensor);
        m_real.broadcastFromRank0(tensor);
    }
    WorkHandle startAllReduce(const at::Tensor& tensor) override {
        return both(m_notes->startAllReduce(tensor), m_real.startAllReduce(tensor));
    }
    WorkHandle startReduceScatter(const at::Tensor& part, const at::Tensor& whole) override {
        return both(m_notes->startReduceScatter(part, whole), m_real.startReduceScatter(part, whole));
    }
    WorkHandle startAllGather(const at::Tensor& whole, const at::Tensor& part) override {
        return both(m_notes->startAllGather(whole, part), m_real.startAllGather(whole, part));
    }
    WorkHandle startAllToAll(const at::Tensor& taken, const at::Tensor& given,
                             std::vector<std::int64_t> takenRows,
                             std::vector<std::int64_t> givenRows) override {
        return both(m_notes->startAllToAll(taken, given, takenRows, givenRows),
                    m_real.startAllToAll(taken, given, takenRows, givenRows));
    }
    WorkHandle startSend(const at::Tensor& tensor) override {
        return both(m_notes->startSend(tensor), m_real.startSend(tensor));
    }
    WorkHandle startReceive(const at::Tensor& tensor) override {
        return both(m_notes->startReceive(tensor), m_real.startReceive(tensor));
    }
    std::unique_ptr<ProcessGroup> newGroup(const std::string& name,
                                           const std::vector<std::int64_t>& members) override {
        return std::make_unique<Noting>(m_real.newGroup(name, members), m_notes->newGroup(name, members));
    }

private:
    static WorkHandle both(WorkHandle notes, WorkHandle real) {
        return WorkHandle([notes, real]() mutable {
            notes.wait();
            real.wait();
        });
    }

    std::unique_ptr<ProcessGroup> m_own;
    ProcessGroup& m_real;
    std::unique_ptr<ProcessGroup> m_notes;
};

/// One step of a rank that really trains.
RehearsedRank trainedRank(const config::TrainConfig& config, ProcessGroup& world) {
    RehearsedRank result;
    Noting noting(world, recordingProcessGroup(world.rank(), world.size(), result.recorded));
    const auto ranks = ranksOf(world);
    const Mesh mesh(config, ranks);
    const ParallelDims groups(mesh, noting);
    const auto source = makeDataSource(config);
    const auto vocabulary = Vocabulary::ofCaptions(source->captions());
    const auto text = makeTextEncoder(config, vocabulary, source->textWidth(), at::kCPU);
    const auto objective = makeObjective(config.diffusion);
    const auto& data = config.data;
    const auto model = makeModelWithTextEncoder({config.model, data.frames, data.height, data.width,
                                                 vocabulary.tokenCount(), 3, text->width(), config.text},
                                                at::kCPU);
    TrainEngine engine(
        config, *model, *objective, groups, at::kCPU,
        [&](const WeightInitializer::Keep& keep) { return model->initialWeights(config.seed, keep); });
    auto& weights = engine.weights();
    const auto optimizer = makeOptimizer(weights.own(), config.optimizer, weights.ranges());
    BatchLoader loader(config, mesh.dataRanks(), *source, *text, source->valueScale(), at::kCPU);
    const auto batch = loader.load(1);
    HostPhaseClock clock;
    const auto losses = engine.forwardBackward(batch, config.optimizer.accumulate, clock);
    reduceStepStats(batch, {losses}, mesh, ranks, engine, noting);
    optimizerStep(config, 1, std::nullopt, {engine, *optimizer, {}});
    result.traffic = world.traffic();
    return result;
}

struct Layout {
    std::string name;
    int ranks = 2;
    Json changes;
};

void PrintTo(const Layout& layout, std::ostream* out) {
    *out << layout.ranks << " ranks, " << layout.changes;
}

const std::vector<Layout>& layouts() {
    static const std::vector<Layout> all = {
        {"Dp", 2, {}},
        {"DpOfFour", 4, {}},
        {"Zero1", 2, {{"layout.shard", "zero1"}}},
        {"Zero2OfParts", 2, {{"layout.shard", "zero2"}, {"optimizer.accumulate", 2}}},
        {"Zero3", 2, {{"layout.shard", "zero3"}}},
        {"Zero3OfParts", 4, {{"layout.shard", "zero3"}, {"optimizer.accumulate", 2}}},
        {"Zero3OfCopies",
         2,
         {{"layout.shard", "zero3"}, {"optimizer.master_weights", true}, {"runtime.precision", "bf16"}}},
        {"Zero3Recomputed", 2, {{"layout.shard", "zero3"}, {"model.recompute", "full"}}},
        {"Hybrid", 4, {{"layout.shard", "zero3"}, {"layout.shard_ranks", 2}}},
        {"HybridZero1", 4, {{"layout.shard", "zero1"}, {"layout.shard_ranks", 2}}},
        {"Ulysses", 2, {{"layout.cp", 2}}},
        {"UlyssesInBf16", 2, {{"layout.cp", 2}, {"runtime.precision", "bf16"}}},
        {"UlyssesRecomputed", 4, {{"layout.cp", 2}, {"layout.shard", "zero3"}, {"model.recompute", "full"}}},
        {"Ring", 2, {{"layout.cp", 2}, {"layout.ring", 2}}},
        {"RingInBf16", 2, {{"layout.cp", 2}, {"layout.ring", 2}, {"runtime.precision", "bf16"}}},
        {"Usp", 4, {{"layout.cp", 4}, {"layout.ring", 2}}},
        {"UspInParts",
         4,
         {{"layout.cp", 4}, {"layout.ring", 2}, {"layout.shard", "zero2"}, {"optimizer.accumulate", 2}}},
        {"StDit", 4, {{"model.family", "st-dit"}, {"layout.cp", 2}, {"layout.shard", "zero3"}}},
        {"StDitInARing",
         4,
         {{"model.family", "st-dit"},
          {"model.full_attention_every", 3},
          {"layout.cp", 4},
          {"layout.ring", 2},
          {"model.recompute", "full"}}},
        {"StDitOfSlices",
         4,
         {{"model.family", "st-dit"},
          {"model.full_attention_every", 3},
          {"layout.cp", 2},
          {"layout.ring", 2},
          {"layout.tp", 2},
          {"runtime.precision", "bf16"}}},
        {"StDitOfUndividedFrames", 2, {{"model.family", "st-dit"}, {"data.frames", 6}, {"layout.cp", 2}}},
        {"Wan",
         4,
         {{"model.family", "wan"}, {"layout.cp", 4}, {"layout.ring", 2}, {"layout.shard", "zero1"}}},
        {"Tensor", 2, {{"layout.tp", 2}}},
        {"TensorAndZero3InBf16",
         4,
         {{"layout.tp", 2},
          {"layout.shard", "zero3"},
          {"model.recompute", "full"},
          {"runtime.precision", "bf16"}}},
        {"TensorAndUlysses", 4, {{"layout.tp", 2}, {"layout.cp", 2}, {"layout.shard", "zero1"}}},
        {"WanByTensors", 4, {{"model.family", "wan"}, {"layout.tp", 4}}},
        {"LtxByTensorsAndInARing",
         4,
         {{"model.family", "ltx"}, {"layout.tp", 2}, {"layout.cp", 2}, {"layout.ring", 2}}},
        {"Stages", 2, {{"layout.pp", 2}, {"model.depth", 2}, {"optimizer.accumulate", 4}}},
        {"StagesWithChunks",
         2,
         {{"layout.pp", 2}, {"layout.pp_chunks", 2}, {"model.depth", 4}, {"optimizer.accumulate", 4}}},
        {"StagesOfSlices",
         4,
         {{"layout.pp", 2},
          {"layout.tp", 2},
          {"layout.shard", "zero1"},
          {"model.depth", 2},
          {"optimizer.accumulate", 2},
          {"runtime.precision", "bf16"}}},
        {"StagesInParallel",
         4,
         {{"layout.pp", 2},
          {"layout.shard", "zero1"},
          {"model.depth", 2},
          {"text.encoder", "bytes"},
          {"model.recompute", "full"},
          {"optimizer.accumulate", 2}}},
        {"Bytes", 2, {{"text.encoder", "bytes"}, {"layout.shard", "zero3"}}},
        {"EightBitMoments", 2, {{"optimizer.name", "adamw8bit"}, {"layout.shard", "zero2"}}},
        {"GivenFrames", 2, {{"model.conditioning", "frames"}, {"layout.cp", 2}}},
    };
    return all;
}

class RehearsedLayout : public testing::TestWithParam<Layout> {};

TEST_P(RehearsedLayout, AsksForWhatRealRanksAskForInTheirOrder) {
    const auto config = configOf(GetParam().changes);
    const auto run = runOf(config, GetParam().ranks);
    std::vector<RehearsedRank> rehearsed;
    for (std::int64_t rank = 0; rank < run.ranks; ++rank) rehearsed.push_back(rehearseRank(run, rank));
    const auto found = conclusionOf(run, rehearsed);
    EXPECT_TRUE(found.agreement.agrees()) << found.agreement.mismatch;
    EXPECT_GE(found.agreement.collectives, 3) << "the world, the step's numbers, gradients";

    std::vector<RehearsedRank> trained(rehearsed.size());
    onRanks(GetParam().ranks, [&](ProcessGroup& world) {
        trained[static_cast<std::size_t>(world.rank())] = trainedRank(config, world);
    });
    for (std::size_t rank = 0; rank < trained.size(); ++rank) {
        const auto &own = rehearsed[rank].recorded.calls, &real = trained[rank].recorded.calls;
        ASSERT_EQ(own.size(), real.size()) << "rank " << rank;
        for (std::size_t i = 0; i < own.size(); ++i) {
            ASSERT_EQ(textOf(own[i]), textOf(real[i])) << "call " << i << " of rank " << rank;
            ASSERT_EQ(own[i].group, real[i].group);
            ASSERT_EQ(own[i].given, real[i].given);
        }
        EXPECT_EQ(kindOf(rehearsed[rank].recorded), kindOf(trained[rank].recorded));
        const auto &ownSent = rehearsed[rank].traffic.sent, &realSent = trained[rank].traffic.sent;
        ASSERT_EQ(ownSent.size(), realSent.size());
        for (const auto& [collective, count] : realSent) {
            EXPECT_EQ(ownSent.at(collective).calls, count.calls) << collective;
            EXPECT_DOUBLE_EQ(ownSent.at(collective).bytes, count.bytes) << collective;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Layouts, RehearsedLayout, testing::ValuesIn(layouts()),
                         [](const auto& layout) { return layout.param.name; });

TEST(Rehearsal, NamesTheRankThatWasGivenAnotherLayout) {
    const auto right = configOf({{"layout.shard", "zero1"}}), wrong = configOf({{"layout.shard", "zero2"}});
    const auto run = runOf(right, 4);
    std::vector<RehearsedRank> ranks;
    for (std::int64_t rank = 0; rank < 4; ++rank)
        ranks.push_back(rehearseRank(rank == 2 ? runOf(wrong, 4) : run, rank));
    EXPECT_TRUE(conclusionOf(run, ranks).agreement.agrees()) << "one part of a step: they send the same";

    const auto shallow = configOf({{"layout.shard", "zero1"}, {"model.depth", 2}});
    ranks[2] = rehearseRank(runOf(shallow, 4), 2);
    const auto found = conclusionOf(run, ranks).agreement;
    EXPECT_THAT(found.mismatch, AllOf(HasSubstr("a reduce-scatter"), HasSubstr("differ in size")));

    const auto halves = configOf({{"layout.shard", "zero1"}, {"layout.shard_ranks", 2}});
    ranks[2] = rehearseRank(runOf(halves, 4), 2);
    EXPECT_THAT(conclusionOf(run, ranks).agreement.mismatch, HasSubstr("rank"));
    EXPECT_FALSE(conclusionOf(run, ranks).agreement.agrees());
}

TEST(Rehearsal, CountsWhatLeavesANode) {
    // pairs of neighbours exchange tokens within their node; the gradients' sum goes round all four
    const auto found = rehearse(runOf(configOf({{"layout.cp", 2}}), 4));
    EXPECT_EQ(found.links.nodes, 2);
    ASSERT_EQ(found.kinds.size(), 1U) << "all stand alike";
    const auto& sent = found.kinds[0].traffic.sent;
    const auto round = 4 * sent.at("all_reduce").bytes;
    EXPECT_DOUBLE_EQ(found.links.betweenNodes, round / 2) << "every second step of the ring";
    EXPECT_DOUBLE_EQ(found.links.maxNodeEgress, round / 4);
    EXPECT_NEAR(found.links.withinNodes,
                round / 2 + 4 * (sent.at("all_to_all").bytes + sent.at("all_gather").bytes), 1);
}

TEST(Rehearsal, MeasuresTheStatesThatALayoutDivides) {
    const auto states = [](const std::string& shard) {
        const auto config = configOf({{"layout.shard", shard}, {"model.width", 96}, {"model.depth", 8}});
        return rehearse(runOf(config, 4));
    };
    const auto config = configOf({{"model.width", 96}, {"model.depth", 8}});
    const auto bytes = 4.0 * static_cast<double>(planner::elementCount(
                                 planner::weightSizes(config, planner::DataShape::expected(config))));
    const auto whole = states("none"), zero1 = states("zero1"), zero3 = states("zero3");
    const auto sliced = rehearse(runOf(
        configOf({{"layout.tp", 2}, {"layout.shard", "zero1"}, {"model.width", 96}, {"model.depth", 8}}), 4));
    EXPECT_EQ(whole.memory.weights, bytes);
    EXPECT_EQ(whole.memory.gradients, bytes);
    EXPECT_EQ(whole.memory.average, bytes);
    EXPECT_NEAR(static_cast<double>(whole.memory.moments), 2 * bytes, bytes / 100);
    // pieces begin at multiples of 256 elements
    EXPECT_NEAR(static_cast<double>(zero1.memory.weights), bytes, bytes / 20);
    EXPECT_NEAR(static_cast<double>(zero1.memory.moments), bytes / 2, bytes / 20);
    EXPECT_NEAR(static_cast<double>(zero3.memory.weights), bytes / 4, bytes / 20);
    EXPECT_NEAR(static_cast<double>(zero3.memory.gradients), bytes / 4, bytes / 20);
    EXPECT_LT(zero3.memory.peak, whole.memory.peak);
    const auto planned = planner::checkpointBytes(config, planner::DataShape::expected(config));
    for (const auto* found : {&whole, &zero1, &zero3, &sliced})
        EXPECT_NEAR(static_cast<double>(found->checkpointBytes) / planned, 1, 0.01) << "each is written once";
}

TEST(Rehearsal, OfMomentsOnTheHostLeavesThemOffTheGpu) {
    const auto found = [](bool offload) {
        auto run = runOf(configOf({{"layout.shard", "zero3"}, {"optimizer.offload", offload}}), 2);
        run.gpu = true;
        return rehearse(run);
    };
    const auto kept = found(false), moved = found(true);
    EXPECT_GT(kept.memory.moments, 0);
    EXPECT_EQ(moved.memory.moments, 0);
    EXPECT_EQ(moved.memory.peak, kept.memory.peak - kept.memory.moments);
    EXPECT_EQ(moved.checkpointBytes, kept.checkpointBytes);
}

TEST(Rehearsal, OfStagesNeverWaitsInACircle) {
    struct Shape {
        std::int64_t stages, chunks, parts;
    };
    for (const auto& [stages, chunks, parts] :
         {Shape{2, 1, 1}, Shape{4, 1, 3}, Shape{4, 1, 12}, Shape{12, 1, 5}, Shape{2, 3, 2}, Shape{2, 6, 12},
          Shape{3, 4, 6}, Shape{4, 3, 12}, Shape{6, 2, 12}, Shape{6, 2, 6}}) {
        const auto found = rehearse(runOf(configOf({{"model.depth", 12},
                                                    {"model.width", 32},
                                                    {"model.heads", 2},
                                                    {"data.batch_size", parts},
                                                    {"optimizer.accumulate", parts},
                                                    {"layout.pp", stages},
                                                    {"layout.pp_chunks", chunks}}),
                                          stages));
        EXPECT_TRUE(found.agreement.agrees()) << found.agreement.mismatch;
        double sends = 0;
        for (const auto& kind : found.kinds)
            if (kind.traffic.sent.contains("send"))
                sends += static_cast<double>(kind.traffic.sent.at("send").calls) *
                         static_cast<double>(kind.ranks.size());
        EXPECT_EQ(sends, 2 * parts * (stages * chunks - 1)) << "tokens on and gradients back, run by run";
    }
}

TEST(Rehearsal, OfStagesMeasuresTheirBlocksAndWhatTheirPassesKeep) {
    const Json wide = {{"model.width", 96}, {"model.depth", 8}, {"optimizer.accumulate", 8}};
    auto staged = wide;
    staged.update({{"layout.pp", 2}});
    const auto one = rehearse(runOf(configOf(wide), 1)), two = rehearse(runOf(configOf(staged), 2));
    EXPECT_NEAR(static_cast<double>(two.memory.weights) / static_cast<double>(one.memory.weights), 0.5, 0.1);
    EXPECT_EQ(two.checkpointBytes, one.checkpointBytes) << "what both stages have is written once";
    ASSERT_EQ(two.kinds.size(), 2U) << "the first and the last";
    const auto kept = [&](std::size_t stage) {
        return static_cast<double>(two.kinds[stage].memory.savedForBackward) /
               static_cast<double>(one.memory.savedForBackward);
    };
    EXPECT_NEAR(kept(0), 1, 0.1) << "two parts under way, each through half of the blocks";
    EXPECT_NEAR(kept(1), 0.5, 0.1);
    const auto config = configOf(staged);
    const auto planned = static_cast<double>(
        planner::elementCount(planner::weightSizesOfRank(config, planner::DataShape::expected(config))));
    EXPECT_EQ(static_cast<double>(two.kinds[0].memory.weights), 4 * planned);
}

TEST(Rehearsal, DividesTheStatesOfAnAdapterAndHoldsItsBaseWhole) {
    const Json wide = {{"model.width", 96}, {"model.depth", 8}};
    auto adapter = wide;
    adapter.update({{"model.init", "base.safetensors"}, {"lora.rank", 8}, {"layout.shard", "zero2"}});
    const auto config = configOf(adapter);
    const auto data = planner::DataShape::expected(config);
    const auto base = 4.0 * static_cast<double>(planner::elementCount(planner::weightSizes(config, data)));
    const auto trained =
        4.0 * static_cast<double>(planner::elementCount(planner::trainedSizesOfRank(config, data)));
    const auto alone = rehearse(runOf(config, 1)), divided = rehearse(runOf(config, 4));
    EXPECT_EQ(alone.memory.weights, base + trained);
    EXPECT_EQ(alone.memory.gradients, trained);
    EXPECT_NEAR(static_cast<double>(divided.memory.moments), 2 * trained / 4, trained / 20);
    EXPECT_NEAR(static_cast<double>(alone.checkpointBytes), planner::checkpointBytes(config, data),
                trained / 20);
    EXPECT_LT(alone.memory.savedForBackward, rehearse(runOf(configOf(wide), 1)).memory.savedForBackward);
}

TEST(Rehearsal, KeepsLessForBackwardWhereBlocksAreComputedAgain) {
    const auto kept = [](const Json& changes) {
        return rehearse(runOf(configOf(changes), 2)).memory.savedForBackward;
    };
    const auto all = kept({{"model.recompute", "none"}});
    EXPECT_LT(kept({{"model.recompute", "selective"}}), all);
    EXPECT_LT(kept({{"model.recompute", "full"}}), kept({{"model.recompute", "selective"}}));
    EXPECT_LT(kept({{"optimizer.accumulate", 2}}), all);
    EXPECT_LT(kept({{"layout.cp", 2}}), 1.2 * static_cast<double>(all))
        << "twice the clips, half their tokens";
}

TEST(Rehearsal, RefusesWhatARunWouldRefuse) {
    EXPECT_THAT(
        [] {
            rehearse(runOf(configOf({{"layout.cp", 2}}), 3));
        },
        ThrowsMessage<InputError>(HasSubstr("layout.cp: found 2")));
    EXPECT_THAT([] { rehearse(runOf(configOf({}), 3)); },
                ThrowsMessage<InputError>(HasSubstr("data.batch_size: found 8 for 3 ranks")));
}

TEST(Rehearsal, OfOneProcessMakesNoCollectives) {
    const auto found = rehearse(runOf(configOf({}), 1));
    EXPECT_EQ(found.agreement.collectives, 0);
    EXPECT_TRUE(found.agreement.agrees());
    EXPECT_GT(found.memory.peak, 0);
}

TEST(Rehearsal, OfPackedClipsDealsThemToTheRanks) {
    const auto found =
        rehearse(runOf(configOf({{"data.packing", true}, {"data.tokens_per_step", 100000}}), 4));
    EXPECT_TRUE(found.agreement.agrees()) << found.agreement.mismatch;
    EXPECT_EQ(found.clips, 100000 / found.tokensOfClip);
}

TEST(Rehearsal, OfAHundredAndTwentyEightRanksTakesSeconds) {
    const auto config = configOf({{"model.width", 2048},
                                  {"model.heads", 16},
                                  {"model.depth", 28},
                                  {"data.batch_size", 32},
                                  {"layout.cp", 4},
                                  {"layout.ring", 2},
                                  {"layout.shard", "zero3"},
                                  {"model.recompute", "full"},
                                  {"runtime.precision", "bf16"},
                                  {"optimizer.master_weights", true}});
    auto run = runOf(config, 128);
    run.ranksPerNode = 8;
    run.gpu = true;
    const auto found = rehearse(run);
    EXPECT_TRUE(found.agreement.agrees()) << found.agreement.mismatch;
    std::cout << "128 ranks, " << found.agreement.collectives << " collectives: " << found.seconds << " s\n";
    RecordProperty("seconds", std::to_string(found.seconds));
    EXPECT_LT(found.seconds, 60);
}

}  // namespace
}  // namespace dailies::trainer
