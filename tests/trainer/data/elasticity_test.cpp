#include "trainer/data/batch_order.h"
#include "trainer/data/prefetch.h"

#include <gmock/gmock.h>

#include <numeric>

namespace dailies::trainer {
namespace {

const std::vector<std::int64_t> kBucketClips = {37, 64, 23};
constexpr std::int64_t kAllClips = 124, kLifeSteps = 90;

class NamedClips : public DataSource {
public:
    std::int64_t size() const override { return kAllClips; }
    std::vector<std::int64_t> bucketSizes() const override { return kBucketClips; }
    Example example(std::int64_t index) override { return {.caption = std::to_string(index)}; }
    std::vector<std::string> captions() const override { return {}; }
    ValueScale valueScale() const override { return {}; }
};

config::TrainConfig elasticConfig(bool packing) {
    config::TrainConfig config;
    config.seed = 9;
    config.data.batch_size = 12;
    config.data.packing = packing;
    config.data.tokens_per_step = 400;
    return config;
}

const BucketTokens kLengths = {64, 24, 8};

/// One rank's life from a checkpoint on, as the trainer lives it: it knows the step and nothing else.
class Rank {
public:
    Rank(const config::TrainConfig& config, std::int64_t rank, std::int64_t ranks, std::int64_t workers)
        : m_order(makeBatchOrder(config, kBucketClips, kLengths, ranks)),
          m_prefetch(
              m_source,
              [this, rank, ranks](std::int64_t step) {
                  const auto batch = m_order->batch(step);
                  std::vector<std::int64_t> tokens, mine;
                  for (const auto index : batch)
                      tokens.push_back(kLengths[index < 37 ? 0 : index < 101 ? 1 : 2]);
                  for (const auto place : indicesOfRank(tokens, rank, ranks)) mine.push_back(batch[place]);
                  return mine;
              },
              workers) {}

    std::vector<std::int64_t> take(std::int64_t step) {
        std::vector<std::int64_t> indices;
        for (const auto& example : m_prefetch.take(step)) indices.push_back(std::stoll(example.caption));
        return indices;
    }

private:
    NamedClips m_source;
    std::unique_ptr<BatchOrder> m_order;
    Prefetch m_prefetch;
};

/// What each step saw, over all ranks, in an order that does not depend on the ranks.
std::vector<std::vector<std::int64_t>> seen(const config::TrainConfig& config, std::int64_t first,
                                            std::int64_t last, std::int64_t ranks, std::int64_t workers) {
    std::vector<std::vector<std::int64_t>> steps;
    std::vector<std::unique_ptr<Rank>> all;
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        all.push_back(std::make_unique<Rank>(config, rank, ranks, workers));
    for (auto step = first; step <= last; ++step) {
        auto& together = steps.emplace_back();
        for (auto& rank : all) {
            const auto mine = rank->take(step);
            EXPECT_FALSE(mine.empty());
            together.insert(together.end(), mine.begin(), mine.end());
        }
        std::ranges::sort(together);
    }
    return steps;
}

class Elasticity : public testing::TestWithParam<bool> {};

TEST_P(Elasticity, AnyRanksWorkersAndResumptionsSeeEverySampleOfThePlanExactlyOnce) {
    const auto config = elasticConfig(GetParam());
    const auto plan = seen(config, 1, kLifeSteps, 1, 0);
    for (const std::int64_t ranks : {1, 2, 3, 4})
        for (const std::int64_t workers : {0, 1, 3})
            EXPECT_EQ(seen(config, 1, kLifeSteps, ranks, workers), plan)
                << ranks << " ranks, " << workers << " workers";

    // killed at steps 17 and 50 (work ahead of the checkpoint is lost with the process), resumed on other
    // counts
    auto lived = seen(config, 1, 17, 2, 3);
    for (const auto& [first, last, ranks, workers] :
         {std::tuple{18, 50, 4, 1}, std::tuple{51, static_cast<int>(kLifeSteps), 3, 2}}) {
        const auto more = seen(config, first, last, ranks, workers);
        lived.insert(lived.end(), more.begin(), more.end());
    }
    EXPECT_EQ(lived, plan);

    // and the plan itself skips and repeats nothing: counts differ by what the next epoch has begun, no more
    std::vector<std::int64_t> times(kAllClips);
    for (const auto& step : plan)
        for (const auto index : step) ++times[static_cast<std::size_t>(index)];
    const auto [least, most] = std::ranges::minmax(times);
    EXPECT_GE(least, 4);
    EXPECT_LE(most - least,
              GetParam() ? 3 : 2);  // packed: a window of 256 clips is about two epochs of these
}

INSTANTIATE_TEST_SUITE_P(, Elasticity, testing::Bool(),
                         [](const auto& packing) { return packing.param ? "Packed" : "InBuckets"; });

}  // namespace
}  // namespace dailies::trainer
