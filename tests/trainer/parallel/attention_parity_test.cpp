#include "tests/trainer/parallel/thread_ranks.h"
#include "trainer/parallel/rank_groups.h"
#include "trainer/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <array>
#include <cmath>

namespace dailies::trainer {
namespace {

using Three = std::array<at::Tensor, 3>;

struct SharedAttention {
    std::int64_t ulysses = 1, ring = 1, keyHeads = 4;
    int ranks() const { return static_cast<int>(ulysses * ring); }
};

std::ostream& operator<<(std::ostream& out, const SharedAttention& shape) {
    return out << "ulysses " << shape.ulysses << ", ring " << shape.ring << ", key heads " << shape.keyHeads;
}

constexpr std::int64_t kClips = 2, kTokens = 24, kHeads = 4, kHeadWidth = 6;

/// Queries, keys and values [clips, tokens, heads, headWidth]. Large numbers make the soft-max uneven, so
/// that turns of a ring differ much in weight.
Three inputs(const SharedAttention& shape) {
    const auto growth = at::linspace(0.2, 2, kTokens).view({1, -1, 1, 1});
    return {normalTensor(1, {kClips, kTokens, kHeads, kHeadWidth}),
            growth * normalTensor(2, {kClips, kTokens, shape.keyHeads, kHeadWidth}),
            normalTensor(3, {kClips, kTokens, shape.keyHeads, kHeadWidth})};
}

/// Written out, for any type: [clips, tokens, heads · headWidth].
at::Tensor plainAttention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
    const auto byHead = [&](const at::Tensor& x) {
        return x.repeat_interleave(query.size(2) / x.size(2), 2).transpose(1, 2);
    };
    const auto scores = at::matmul(byHead(query), byHead(key).transpose(2, 3)) /
                        std::sqrt(static_cast<double>(query.size(3)));
    return at::matmul(at::softmax(scores, -1), byHead(value)).transpose(1, 2).flatten(2);
}

at::Tensor lossGradient() {
    return normalTensor(4, {kClips, kTokens, kHeads * kHeadWidth});
}

/// The result and, through a loss, the gradients of the three: in float64, of what the type holds.
struct Exact {
    Exact(const SharedAttention& shape, at::ScalarType type) {
        auto leaves = inputs(shape);
        for (auto& leaf : leaves) leaf = leaf.to(type).to(at::kDouble).set_requires_grad(true);
        out = plainAttention(leaves[0], leaves[1], leaves[2]);
        (out * lossGradient().to(type)).sum().backward();
        for (std::size_t i = 0; i < 3; ++i) gradients[i] = leaves[i].grad();
        out = out.detach();
    }
    at::Tensor out;
    Three gradients;
};

double relative(const at::Tensor& found, const at::Tensor& expected) {
    return ((found.to(at::kDouble) - expected).abs().max() / expected.abs().max()).item<double>();
}

void expectTheExact(const SharedAttention& shape, at::ScalarType type, double tolerance) {
    const Exact exact(shape, type);
    onRanks(shape.ranks(), [&](Communicator& world) {
        const auto config = configWith({{"cp", shape.ranks()}, {"ring", shape.ring}});
        const RankGroups groups(Mesh(config, ranksOf(world)), world);
        const auto& share = *groups.tokens();
        auto own = inputs(shape);
        for (auto& leaf : own) leaf = share.own(leaf, 1).to(type).clone().set_requires_grad(true);
        const auto out = share.attend(own[0], own[1], own[2], plainAttention);
        EXPECT_EQ(out.scalar_type(), type);
        (out * share.own(lossGradient(), 1)).sum().backward();
        EXPECT_LT(relative(out.detach(), share.own(exact.out, 1)), tolerance) << shape;
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_LT(relative(own[i].grad(), share.own(exact.gradients[i], 1)), tolerance)
                << shape << ", input " << i << " on rank " << world.rank();
    });
}

constexpr SharedAttention kShapes[] = {
    {.ulysses = 2},
    {.ulysses = 4},
    {.ring = 2},
    {.ring = 3},
    {.ring = 4},
    {.ring = 8},
    {.ulysses = 2, .ring = 2},
    {.ulysses = 2, .keyHeads = 2},
    {.ring = 2, .keyHeads = 1},
    {.ulysses = 2, .ring = 2, .keyHeads = 2},
};

TEST(SharedTokens, AttendToEachOtherAsOnOneRank) {
    for (const auto& shape : kShapes) expectTheExact(shape, at::kFloat, 1e-6);
}

TEST(SharedTokens, AttendInHalfPrecisionWithSumsOfFloat32) {
    for (const auto& shape : kShapes)  // a ring's own turns; elsewhere plain attention rounds its scores, too
        expectTheExact(shape, at::kBFloat16, shape.ulysses == 1 ? 4e-3 : 2e-2);
}

TEST(SharedTokens, SendWhatTheFormulasSay) {
    const auto sentBy = [](const SharedAttention& shape) {
        double bytes = 0;
        onRanks(shape.ranks(), [&](Communicator& world) {
            const auto config = configWith({{"cp", shape.ranks()}, {"ring", shape.ring}});
            const RankGroups groups(Mesh(config, ranksOf(world)), world);
            auto own = inputs(shape);
            for (auto& leaf : own) leaf = groups.tokens()->own(leaf, 1).clone().set_requires_grad(true);
            groups.tokens()->attend(own[0], own[1], own[2], plainAttention).sum().backward();
            if (world.rank() == 0) bytes = world.traffic().bytes();
        });
        return bytes;
    };
    // a tensor of one rank's tokens, all heads, in bytes
    const auto tensor = [](double ranks) { return kClips * kTokens * kHeads * kHeadWidth * 4 / ranks; };
    // Ulysses: queries, keys, values there and the result back, and the same backward
    EXPECT_DOUBLE_EQ(sentBy({.ulysses = 4}), 2 * 4 * tensor(4) * 3 / 4);
    // ring: keys and values n - 1 times each way; their gradients n times
    EXPECT_DOUBLE_EQ(sentBy({.ring = 3}), (2 * 2 + 2 * 2 + 2 * 3) * tensor(3));
}

TEST(SharedTokens, AreExchangedForAllFramesOfSomePlacesAndBack) {
    onRanks(4, [&](Communicator& world) {
        const auto config = configWith({{"cp", 4}, {"ring", 2}});
        const RankGroups groups(Mesh(config, ranksOf(world)), world);
        const auto& share = *groups.tokens();
        constexpr std::int64_t kFrames = 8, kPlaces = 12;
        const auto all = normalTensor(9, {2, kFrames, kPlaces, 3}), slope = normalTensor(10, all.sizes());
        const auto placesOf = [&](const at::Tensor& x) { return share.own(x, 2).flatten(1, 2); };
        const auto framesOf = [&](const at::Tensor& x) { return share.own(x, 1).flatten(1, 2); };
        const auto own = framesOf(all).clone().set_requires_grad(true);
        const auto ofPlaces = share.toPlaces(own, kFrames);
        EXPECT_TRUE(at::equal(ofPlaces, placesOf(all)));
        EXPECT_TRUE(at::equal(share.toFrames(ofPlaces, kFrames), own));
        (ofPlaces * placesOf(slope)).sum().backward();
        EXPECT_TRUE(at::equal(own.grad(), framesOf(slope)));
    });
}

TEST(SharedTokens, AreGatheredInOrderAndGiveTheirGradientBack) {
    onRanks(4, [&](Communicator& world) {
        const auto config = configWith({{"cp", 4}, {"ring", 2}});
        const RankGroups groups(Mesh(config, ranksOf(world)), world);
        const auto all = normalTensor(7, {2, 8, 3}), weights = normalTensor(8, {2, 8, 3});
        const auto own = groups.tokens()->own(all, 1).clone().set_requires_grad(true);
        const auto gathered = groups.tokens()->gathered(own);
        EXPECT_TRUE(at::equal(gathered, all));
        (gathered * weights).sum().backward();
        EXPECT_TRUE(at::equal(own.grad(), groups.tokens()->own(weights, 1)));
    });
}

}  // namespace
}  // namespace dailies::trainer
