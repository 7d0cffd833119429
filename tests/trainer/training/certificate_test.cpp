#include "trainer/training/certificate.h"

#include "core/config/schema.h"
#include "tests/trainer/parallel/thread_ranks.h"
#include "trainer/data/vocabulary.h"
#include "trainer/models/model_with_text_encoder.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace dailies::trainer {
namespace {

using testing::HasSubstr;

/// What a rank of a run has at hand when it proves its layout.
struct RankOfRun {
    explicit RankOfRun(const config::TrainConfig& wanted)
        : config(wanted),
          source(makeDataSource(config)),
          vocabulary(Vocabulary::ofCaptions(source->captions())),
          text(makeTextEncoder(config, vocabulary, source->textWidth(), at::kCPU)),
          objective(makeObjective(config.diffusion)),
          shape{config.model,
                config.data.frames,
                config.data.height,
                config.data.width,
                vocabulary.tokenCount(),
                3,
                text->width(),
                config.text},
          scale(source->valueScale()) {}

    events::Certificate certify(ProcessGroup& world) {
        const auto ranks = ranksOf(world);
        const Mesh mesh(config, ranks);
        const ParallelDims groups(mesh, world);
        return *trainer::certify({config, shape, *objective, *source, *text, scale, at::kCPU}, ranks, mesh,
                                 groups, world);
    }

    config::TrainConfig config;
    std::unique_ptr<DataSource> source;
    Vocabulary vocabulary;
    std::unique_ptr<TextEncoder> text;
    std::unique_ptr<Objective> objective;
    ModelShape shape;
    ValueScale scale;
};

config::TrainConfig aRun(const Json& changes) {
    Json nested = Json::object();
    config::setByKey(nested, "model.depth", 6);
    config::setByKey(nested, "data.batch_size", 16);
    config::setByKey(nested, "data.workers", 0);
    for (const auto& [key, value] : changes.items()) config::setByKey(nested, key, value);
    return config::resolve(nested);
}

/// What a rank does to the gradients that it gives to the others, and to what it exchanges and sends within a
/// pass.
struct Fault {
    std::function<void(at::Tensor& gradients)> spoilGradients = {};
    std::function<void(at::Tensor& given)> spoilExchange = {};
    std::function<void(at::Tensor& given)> spoilSends = {};
};

/// Ranks of which some give something else than they should.
class Faulty : public ProcessGroup {
public:
    Faulty(ProcessGroup& ranks, const Fault& fault) : m_ranks(ranks), m_fault(fault) {}
    Faulty(std::unique_ptr<ProcessGroup> ranks, const Fault& fault)
        : m_own(std::move(ranks)), m_ranks(*m_own), m_fault(fault) {}

    std::int64_t rank() const override { return m_ranks.rank(); }
    std::int64_t size() const override { return m_ranks.size(); }
    std::string name() const override { return m_ranks.name(); }
    void allReduce(at::Tensor& tensor) override { m_ranks.allReduce(tensor); }
    void broadcastFromRank0(at::Tensor& tensor) override { m_ranks.broadcastFromRank0(tensor); }
    WorkHandle startAllReduce(const at::Tensor& tensor) override {
        return m_ranks.startAllReduce(spoiled(tensor, m_fault.spoilGradients));
    }
    WorkHandle startReduceScatter(const at::Tensor& part, const at::Tensor& whole) override {
        return m_ranks.startReduceScatter(part, spoiled(whole, m_fault.spoilGradients));
    }
    WorkHandle startAllGather(const at::Tensor& whole, const at::Tensor& part) override {
        return m_ranks.startAllGather(whole, part);
    }
    WorkHandle startAllToAll(const at::Tensor& taken, const at::Tensor& given,
                             std::vector<std::int64_t> takenRows,
                             std::vector<std::int64_t> givenRows) override {
        return m_ranks.startAllToAll(taken, spoiled(given, m_fault.spoilExchange), std::move(takenRows),
                                     std::move(givenRows));
    }
    WorkHandle startSend(const at::Tensor& tensor) override {
        return m_ranks.startSend(spoiled(tensor, m_fault.spoilSends));
    }
    WorkHandle startReceive(const at::Tensor& tensor) override { return m_ranks.startReceive(tensor); }
    std::unique_ptr<ProcessGroup> newGroup(const std::string& name,
                                           const std::vector<std::int64_t>& members) override {
        return std::make_unique<Faulty>(m_ranks.newGroup(name, members), m_fault);
    }

private:
    static at::Tensor spoiled(const at::Tensor& tensor, const std::function<void(at::Tensor&)>& spoil) {
        auto same = tensor;
        if (spoil) spoil(same);
        return same;
    }

    std::unique_ptr<ProcessGroup> m_own;
    ProcessGroup& m_ranks;
    Fault m_fault;
};

/// What the ranks found; each of them the same. `fault` is that of the last rank.
events::Certificate certificateOf(int size, const config::TrainConfig& config, const Fault& fault = {}) {
    std::vector<events::Certificate> found(static_cast<std::size_t>(size));
    onRanks(size, [&](ProcessGroup& world) {
        Faulty faulty(world, world.rank() + 1 == size ? fault : Fault{});
        RankOfRun rank(config);
        found[static_cast<std::size_t>(world.rank())] = rank.certify(faulty);
    });
    for (auto each : found) {
        each.seconds = found[0].seconds;
        EXPECT_TRUE(each == found[0] || std::isnan(each.gradientError)) << "all ranks agree";
    }
    std::cout << textOf(found[0]) << " (" << config.runtime.precision << ")\n";
    return found[0];
}

struct ProvenLayout {
    std::string name;
    int ranks = 2;
    Json run;
};

/// For messages of a test that fails.
void PrintTo(const ProvenLayout& which, std::ostream* out) {
    *out << which.ranks << " ranks, " << which.run;
}

class CertificateOfALayout : public testing::TestWithParam<ProvenLayout> {};

TEST_P(CertificateOfALayout, SaysThatItComputesWhatOneProcessDoes) {
    const auto config = aRun(GetParam().run);
    const auto found = certificateOf(GetParam().ranks, config);
    EXPECT_TRUE(found.proven) << detailsOf(found);
    EXPECT_EQ(found.ranks, GetParam().ranks);
    const auto needed = config.model.full_attention_every > 0 ? 3 : 2;
    EXPECT_EQ(found.blocks, std::max<std::int64_t>(needed, config.layout.pp * config.layout.pp_chunks))
        << "of the run's six";
    EXPECT_GT(found.gradientError, 0) << "sums in another order round differently";
    EXPECT_GT(found.seconds, 0);
    EXPECT_THAT(textOf(found), HasSubstr("Layout verified: loss "));
}

const Json kBf16 = {{"runtime.precision", "bf16"}};

Json with(Json run, const Json& more) {
    run.update(more);
    return run;
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, CertificateOfALayout,
    testing::Values(
        ProvenLayout{"copies", 2, Json::object()},
        ProvenLayout{"copies_in_parts", 4, {{"optimizer.accumulate", 2}}},
        ProvenLayout{"zero1", 2, {{"layout.shard", "zero1"}}},
        ProvenLayout{"zero2_in_parts", 4, {{"layout.shard", "zero2"}, {"optimizer.accumulate", 2}}},
        ProvenLayout{"zero3", 2, {{"layout.shard", "zero3"}}},
        ProvenLayout{"zero3_in_pairs",
                     4,
                     {{"layout.shard", "zero3"}, {"layout.shard_ranks", 2}, {"model.recompute", "full"}}},
        ProvenLayout{"ulysses", 2, {{"layout.cp", 2}}},
        ProvenLayout{"ring", 2, {{"layout.cp", 2}, {"layout.ring", 2}}},
        ProvenLayout{
            "ulysses_and_ring", 4, {{"layout.cp", 4}, {"layout.ring", 2}, {"layout.shard", "zero2"}}},
        ProvenLayout{"zero3_ulysses", 4, {{"layout.cp", 2}, {"layout.shard", "zero3"}}},
        ProvenLayout{"st_dit_ulysses",
                     4,
                     {{"model.family", "st-dit"}, {"layout.cp", 2}, {"model.recompute", "selective"}}},
        ProvenLayout{"st_dit_ring_zero2",
                     4,
                     {{"model.family", "st-dit"},
                      {"model.full_attention_every", 3},
                      {"layout.cp", 2},
                      {"layout.ring", 2},
                      {"layout.shard", "zero2"}}},
        ProvenLayout{"st_dit_usp_of_slices",
                     8,
                     {{"model.family", "st-dit"},
                      {"data.frames", 16},
                      {"model.full_attention_every", 3},
                      {"layout.cp", 4},
                      {"layout.ring", 2},
                      {"layout.tp", 2}}},
        ProvenLayout{
            "st_dit_with_full_attention",
            2,
            {{"model.family", "st-dit"}, {"model.full_attention_every", 6}, {"layout.shard", "zero3"}}},
        ProvenLayout{"slices", 2, {{"layout.tp", 2}}},
        ProvenLayout{"slices_zero2_in_parts",
                     4,
                     {{"layout.tp", 2}, {"layout.shard", "zero2"}, {"optimizer.accumulate", 2}}},
        ProvenLayout{
            "slices_ulysses_zero3", 4, {{"layout.tp", 2}, {"layout.cp", 2}, {"layout.shard", "zero3"}}},
        ProvenLayout{"slices_of_wan", 4, {{"model.family", "wan"}, {"layout.tp", 4}}},
        ProvenLayout{"wan_in_text_places_ulysses_of_slices",
                     4,
                     {{"model.family", "wan"},
                      {"model.text_places", 48},
                      {"text.encoder", "bytes"},
                      {"layout.cp", 2},
                      {"layout.tp", 2}}},
        ProvenLayout{"slices_with_bytes", 2, {{"text.encoder", "bytes"}, {"layout.tp", 2}}},
        ProvenLayout{"stages", 2, {{"layout.pp", 2}, {"optimizer.accumulate", 4}}},
        ProvenLayout{"stages_with_chunks_of_copies",
                     4,
                     {{"layout.pp", 2},
                      {"layout.pp_chunks", 3},
                      {"layout.shard", "zero1"},
                      {"optimizer.accumulate", 2}}},
        ProvenLayout{
            "stages_of_slices",
            4,
            {{"layout.pp", 2}, {"layout.tp", 2}, {"text.encoder", "bytes"}, {"optimizer.accumulate", 2}}},
        ProvenLayout{"bf16", 4, kBf16}, ProvenLayout{"bf16_slices", 4, with(kBf16, {{"layout.tp", 4}})},
        ProvenLayout{"bf16_slices_zero3", 4,
                     with(kBf16, {{"layout.tp", 2},
                                  {"layout.shard", "zero3"},
                                  {"optimizer.master_weights", true},
                                  {"optimizer.accumulate", 2}})},
        ProvenLayout{"bf16_st_dit_of_slices", 4,
                     with(kBf16, {{"model.family", "st-dit"},
                                  {"model.full_attention_every", 3},
                                  {"layout.cp", 2},
                                  {"layout.ring", 2},
                                  {"layout.tp", 2}})},
        ProvenLayout{"bf16_ring", 4, with(kBf16, {{"layout.cp", 4}, {"layout.ring", 4}})},
        ProvenLayout{"bf16_ulysses_zero3", 4,
                     with(kBf16, {{"layout.cp", 2},
                                  {"layout.shard", "zero3"},
                                  {"optimizer.master_weights", true},
                                  {"optimizer.accumulate", 2}})}),
    [](const auto& which) { return which.param.name; });

/// Not the few numbers that ranks agree on otherwise.
bool areGradients(const at::Tensor& tensor) {
    return tensor.numel() > 1000;
}

TEST(Certificate, RefusesARankThatGivesOnlyHalfOfItsGradients) {
    const Fault halved{[](at::Tensor& gradients) {
        if (areGradients(gradients)) gradients.mul_(0.5);
    }};
    for (const auto* precision : {"fp32", "bf16"})
        for (const auto* shard : {"none", "zero1", "zero2", "zero3"}) {
            const auto found =
                certificateOf(2, aRun({{"layout.shard", shard}, {"runtime.precision", precision}}), halved);
            EXPECT_FALSE(found.proven) << shard << " in " << precision;
            EXPECT_LT(found.lossError, found.lossTolerance) << "the loss alone tells nothing of it";
            EXPECT_GT(found.gradientError, 2 * found.gradientTolerance) << shard << " in " << precision;
        }
}

TEST(Certificate, NamesTheWeightWhoseGradientIsWrong) {
    const auto config = aRun(Json::object());
    const RankOfRun run(config);
    auto shape = run.shape;
    shape.model.depth = 2;
    const auto weights = makeModelWithTextEncoder(shape, at::kCPU)->weightsOnMeta();
    const FlatLayout layout(weights, 1);
    for (const std::string name : {"blocks.0.qkv.weight", "blocks.1.mlp_out.bias"}) {
        ASSERT_TRUE(weights.contains(name));
        const auto place = layout.of(
            static_cast<std::size_t>(std::ranges::find(weights.names(), name) - weights.names().begin()));
        const auto found = certificateOf(2, config, {[&](at::Tensor& gradients) {
                                             if (areGradients(gradients))
                                                 gradients.narrow(0, place.offset, place.elements).mul_(1.01);
                                         }});
        EXPECT_FALSE(found.proven);
        EXPECT_EQ(found.weight, name);
        const LayoutMismatchError refusal(found, true);
        EXPECT_THAT(refusal.full(), HasSubstr("Layout verification failed: loss "));
        EXPECT_THAT(refusal.full(), HasSubstr("gradients 5e-3"));
        EXPECT_THAT(refusal.full(), HasSubstr("(" + name + ")"));
        EXPECT_THAT(refusal.full(), HasSubstr("2 ranks, dp 2"));
        EXPECT_THAT(refusal.full(), HasSubstr("Then try layout.shard none"));
    }
}

TEST(Certificate, RefusesKeysThatGetLostOnTheirWay) {
    const Fault lost{{}, [](at::Tensor& given) { given = given.detach() * 0; }};
    for (const auto ring : {1, 2}) {
        const auto found = certificateOf(2, aRun({{"layout.cp", 2}, {"layout.ring", ring}}), lost);
        EXPECT_FALSE(found.proven);
        EXPECT_GT(found.lossError, found.lossTolerance);
    }
}

TEST(Certificate, RefusesASliceWhosePartOfTheSumsIsWrong) {
    const Fault tooMuch{[](at::Tensor& part) {
        if (areGradients(part)) part.mul_(1.01);
    }};
    const auto found = certificateOf(2, aRun({{"layout.tp", 2}}), tooMuch);
    EXPECT_FALSE(found.proven);
    EXPECT_GT(found.lossError, found.lossTolerance);
}

TEST(Certificate, RefusesWhatIsNoNumber) {
    const auto found = certificateOf(2, aRun(Json::object()), {[](at::Tensor& gradients) {
                                         if (areGradients(gradients)) gradients.fill_(NAN);
                                     }});
    EXPECT_FALSE(found.proven);
    EXPECT_THAT(textOf(found), HasSubstr("gradients NaN"));
}

TEST(Certificate, TakesAsFewClipsAsShowEveryKindOfPass) {
    auto config = aRun({{"data.batch_size", 256}, {"optimizer.accumulate", 8}});
    const auto slice = sliceOf(config, config::layoutOf(config, 4));
    EXPECT_EQ(slice.data.batch_size, 16) << "two clips in each of two passes on each of four ranks";
    EXPECT_EQ(slice.optimizer.accumulate, 2);
    EXPECT_EQ(slice.model.depth, 2);
    EXPECT_EQ(slice.model.width, config.model.width);
    EXPECT_EQ(slice.data.frames, config.data.frames);
    config.data.batch_size = 4;
    config.optimizer.accumulate = 1;
    EXPECT_EQ(sliceOf(config, config::layoutOf(config, 4)).data.batch_size, 4);
}

}  // namespace
}  // namespace dailies::trainer
