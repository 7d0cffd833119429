#include "trainer/text/t5/t5_encoder.h"

#include "tests/trainer/text/tiny_t5.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cstdlib>

namespace dailies::trainer {
namespace {

constexpr std::int64_t kNear = 16;  // maxDistance of the tests

double apart(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

at::Tensor ids(const std::vector<std::int64_t>& each) {
    return at::tensor(each, at::kLong).unsqueeze(0);
}

TEST(T5Buckets, FollowTheFormulaInWholeNumbers) {
    constexpr std::int64_t kTokens = 300;
    const auto buckets = t5Buckets(kTokens, 32, 128);
    for (std::int64_t query = 0; query < kTokens; query += 37)
        for (std::int64_t key = 0; key < kTokens; ++key) {
            const auto distance = std::abs(key - query);
            std::int64_t expected = distance;
            if (distance >= 8) {
                // 8 + floor(8 · log(a / 8) / log(16)), and 8 · log16(a / 8) ≥ k exactly where a² ≥ 64 · 2^k
                std::int64_t k = 0;
                while (k < 7 && distance * distance >= 64 << (k + 1)) ++k;
                expected = 8 + k;
            }
            if (key > query) expected += 16;
            ASSERT_EQ(buckets[query][key].item<std::int64_t>(), expected) << query << " → " << key;
        }
}

class EachT5 : public testing::TestWithParam<bool> {
protected:
    T5Encoder encoder(at::ScalarType type = at::kFloat) const {
        return T5Encoder(tinyT5Weights({.biasInEveryLayer = GetParam(), .type = type}), kNear);
    }
};

INSTANTIATE_TEST_SUITE_P(Families, EachT5, testing::Bool(),
                         [](const auto& each) { return each.param ? "Umt5" : "T5"; });

TEST_P(EachT5, PaddingIsNotSeenAndComesOutAsZeros) {
    const auto encode = encoder();
    const auto both = at::tensor({5, 9, 1, 0, 0, 0, 7, 5, 30, 31, 32, 1}, at::kLong).view({2, 6});
    const auto rows = encode(both);
    ASSERT_EQ(rows.sizes(), (at::IntArrayRef{2, 6, 16}));
    EXPECT_LT(apart(rows[0].slice(0, 0, 3), encode(ids({5, 9, 1}))[0]), 1e-5);
    EXPECT_LT(apart(rows[1], encode(ids({7, 5, 30, 31, 32, 1}))[0]), 1e-5);
    EXPECT_EQ(rows[0].slice(0, 3).abs().max().item<double>(), 0);
}

TEST_P(EachT5, OrderIsHeard) {
    const auto encode = encoder();
    const auto one = encode(ids({5, 9, 20, 1}))[0], other = encode(ids({9, 5, 20, 1}))[0];
    EXPECT_GT(apart(one[2], other[2]), 1e-3) << "what stands where before a word changes it";
}

TEST_P(EachT5, WeightsKeepTheirTypeAndOnlyTheirOwnRoundingIsSeen) {
    const auto weights = tinyT5Weights({.biasInEveryLayer = GetParam(), .type = at::kBFloat16});
    Params widened;
    for (const auto& name : weights.names()) widened.add(name, weights[name].to(at::kFloat));
    const auto read = ids({5, 9, 20, 1});
    const auto rows = T5Encoder(weights, kNear)(read);
    EXPECT_EQ(rows.scalar_type(), at::kFloat);
    EXPECT_TRUE(at::equal(rows, T5Encoder(widened, kNear)(read)));
    EXPECT_GT(apart(rows, encoder()(read)), 0);
}

TEST(T5Encoder, ASharedTableIsOneThatEveryLayerHas) {
    const auto shared = tinyT5Weights({.biasInEveryLayer = false});
    const std::string table = "layer.0.SelfAttention.relative_attention_bias.weight";
    auto repeated = shared, another = shared;
    repeated.add("encoder.block.1." + table, shared["encoder.block.0." + table]);
    another.add("encoder.block.1." + table, -shared["encoder.block.0." + table]);
    const auto read = ids({5, 9, 20, 33, 40, 1});
    const auto rows = T5Encoder(shared, kNear)(read);
    EXPECT_TRUE(at::equal(rows, T5Encoder(repeated, kNear)(read)));
    EXPECT_GT(apart(rows, T5Encoder(another, kNear)(read)), 1e-3);
}

TEST(T5Encoder, PositionsBeyondTheGreatestDistanceAreNotToldApart) {
    Params weights;  // of one layer: in a second one the marked word's neighbours are heard
    const auto all = tinyT5Weights();
    for (const auto& name : all.names())
        if (!name.starts_with("encoder.block.1.")) weights.add(name, all[name]);
    std::vector<std::int64_t> text(40, 5);
    text.back() = 1;
    const auto rows = [&](std::size_t marked, std::int64_t maxDistance) {
        auto changed = text;
        changed[marked] = 77;
        return T5Encoder(weights, maxDistance)(ids(changed))[0][39];
    };
    EXPECT_LT(apart(rows(2, kNear), rows(3, kNear)), 1e-5);
    EXPECT_GT(apart(rows(2, kNear), rows(36, kNear)), 1e-4);
}

}  // namespace
}  // namespace dailies::trainer
