#include "trainer/training/cuda_graph_cache.h"

#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What a CPU can do of a recording: the same work on the same tensors again.
class DoneAgain : public CapturedGraph {
public:
    explicit DoneAgain(std::function<void()> work) : m_work(std::move(work)) {}
    void replay() override { m_work(); }

private:
    std::function<void()> m_work;
};

class RecordedPassesTest : public testing::Test {
protected:
    /// Losses of clips by a weight, whose gradient they add to.
    static at::Tensor pass(const MicroBatch& input, const at::Tensor& weight) {
        std::vector<at::Tensor> losses;
        for (const auto& group : input.groups) {
            const auto error = group.clips * weight - group.noise * group.levels.view({-1, 1}) * group.fps;
            losses.push_back(at::square(error).mean(1));
        }
        const auto all = at::cat(losses);
        (all.sum() / static_cast<double>(input.globalClips)).backward();
        return all.detach();
    }

    static MicroBatch input(std::uint64_t key, std::int64_t clips) {
        return {{{.clips = normalTensor(key, {clips, 3}),
                  .noise = normalTensor(key + 1000, {clips, 3}),
                  .levels = normalTensor(key + 2000, {clips})}},
                {},
                clips};
    }

    GraphCaptureFn recorder() {
        return [this](const std::function<void()>& work) {
            ++recordings;
            return std::make_unique<DoneAgain>(work);
        };
    }

    /// Passes over shapes in turn, recorded and as ever: the losses and the gradient agree bit for bit.
    void expectSameAsPlain(CudaGraphCache& passes, const std::vector<std::int64_t>& clipCounts) {
        const auto plain = weight.detach().clone().set_requires_grad(true);
        for (std::size_t i = 0; i < clipCounts.size(); ++i) {
            const auto given = input(i, clipCounts[i]);
            const auto losses = passes.run(given);
            EXPECT_TRUE(at::equal(losses, pass(given, plain))) << "pass " << i;
            EXPECT_TRUE(at::equal(weight.grad(), plain.grad())) << "pass " << i;
        }
    }

    at::Tensor weight = normalTensor(7, {3}).set_requires_grad(true);
    int recordings = 0;
    CudaGraphCache::Pass ofWeight = [this](const MicroBatch& given) { return pass(given, weight); };
};

TEST_F(RecordedPassesTest, ReplayTheRecordingOfTheirShapeOnTheirOwnNumbers) {
    CudaGraphCache passes(recorder(), ofWeight);
    expectSameAsPlain(passes, {2, 5, 2, 5, 5, 2, 2, 5, 2, 5, 2, 5});
    EXPECT_EQ(recordings, 2) << "once for each shape";
    EXPECT_THAT(passes.takeNotes(), IsEmpty());
}

TEST_F(RecordedPassesTest, TrainAsEverUntilAShapeHasWarmedUp) {
    CudaGraphCache passes(recorder(), ofWeight);
    for (int i = 0; i < CudaGraphCache::kWarmUps; ++i) passes.run(input(1, 2));
    EXPECT_EQ(recordings, 0);
    passes.run(input(1, 2));
    EXPECT_EQ(recordings, 1);
}

TEST_F(RecordedPassesTest, LossesOutliveTheNextReplay) {
    CudaGraphCache passes(recorder(), ofWeight);
    for (int i = 0; i < CudaGraphCache::kWarmUps; ++i) passes.run(input(1, 2));
    const auto kept = passes.run(input(1, 2)), before = kept.clone();
    passes.run(input(2, 2));
    EXPECT_TRUE(at::equal(kept, before));
}

TEST_F(RecordedPassesTest, AShapeThatCannotBeRecordedTrainsAsEverAndSaysWhyOnce) {
    int tries = 0;
    CudaGraphCache passes(
        [&](const std::function<void()>&) -> std::unique_ptr<CapturedGraph> {
            ++tries;
            throw std::runtime_error("operation not permitted when stream is capturing\nframe #0");
        },
        ofWeight);
    expectSameAsPlain(passes, std::vector<std::int64_t>(8, 2));
    EXPECT_EQ(tries, 1);
    EXPECT_THAT(passes.takeNotes(),
                ElementsAre("Batches of one size are not recorded as a CUDA graph: operation "
                            "not permitted when stream is capturing"));
    EXPECT_THAT(passes.takeNotes(), IsEmpty());
}

TEST_F(RecordedPassesTest, ShapesBeyondTheMostTrainAsEver) {
    CudaGraphCache passes(recorder(), ofWeight, 1);
    expectSameAsPlain(passes, {2, 2, 2, 2, 5, 5, 5, 5, 5, 2, 5});
    EXPECT_EQ(recordings, 1);
    EXPECT_THAT(passes.takeNotes(), ElementsAre(HasSubstr("there are graphs of 1 already")));
}

TEST(PassInputTest, ShapesAreToldApartByAllThatARecordingWouldKeep) {
    const MicroBatch plain{{{at::zeros({2, 3}), at::zeros({2, 3}), at::zeros({2})}}, {}, 4};
    auto other = plain;
    other.groups[0].clips = at::ones({2, 3});
    EXPECT_EQ(other.shapeKey(), plain.shapeKey()) << "numbers are copied in";
    const std::vector<std::function<void(MicroBatch&)>> changes = {
        [](MicroBatch& x) {
            x.groups[0].clips = at::zeros({3, 2});
        },
        [](MicroBatch& x) {
            x.groups[0].clips = at::zeros({2, 3}, at::kDouble);
        },
        [](MicroBatch& x) {
            x.groups[0].conditioning = at::zeros({2, 4});
        },
        [](MicroBatch& x) { x.groups[0].fps = 8; },
        [](MicroBatch& x) { x.groups.push_back(x.groups[0]); },
        [](MicroBatch& x) {
            x.text.bytes = at::zeros({2, 7}, at::kLong);
        },
        [](MicroBatch& x) { x.globalClips = 5; }};
    for (std::size_t i = 0; i < changes.size(); ++i) {
        auto changed = plain;
        changes[i](changed);
        EXPECT_NE(changed.shapeKey(), plain.shapeKey()) << "change " << i;
    }
}

TEST(CudaGraphCache, AreOffWhereTheyCannotHelpWithAWordWhy) {
    config::TrainConfig config;
    EXPECT_THAT(whyNotCaptured(config, true), HasSubstr("cuda_graphs is off"));
    config.runtime.cuda_graphs = true;
    EXPECT_EQ(whyNotCaptured(config, true), "");
    EXPECT_THAT(whyNotCaptured(config, false), HasSubstr("CPU"));
    config.data.packing = true;
    EXPECT_THAT(whyNotCaptured(config, true), HasSubstr("data.packing"));
}

}  // namespace
}  // namespace dailies::trainer
