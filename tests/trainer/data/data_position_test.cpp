#include "trainer/data/data_position.h"

#include "core/config/schema.h"

#include <gmock/gmock.h>

namespace dailies::trainer {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Clips of so many shards.
class Shards : public DataSource {
public:
    Shards(std::vector<std::string> names, std::int64_t clipsOfEach)
        : m_names(std::move(names)), m_clips(clipsOfEach) {}

    std::int64_t size() const override { return static_cast<std::int64_t>(m_names.size()) * m_clips; }
    Example example(std::int64_t) override { return {}; }
    std::vector<std::string> parts() const override {
        auto parts = m_names;
        for (auto& part : parts) part += " " + std::to_string(m_clips);
        return parts;
    }
    std::vector<std::string> captions() const override { return {}; }
    ValueScale valueScale() const override { return {}; }

private:
    std::vector<std::string> m_names;
    std::int64_t m_clips;
};

Json configWith(const Json& changes) {
    Json nested = {{"data", {{"source", "webdataset"}, {"shards", {"/data/a.tar"}}, {"batch_size", 8}}}};
    for (const auto& [key, value] : changes.items()) config::setByKey(nested, key, value);
    return config::toJson(config::resolve(nested));
}

config::TrainConfig positionConfig(const Json& changes) {
    return config::resolve(configWith(changes));
}

/// What the checkpoint of step 100 says of a run with these settings.
Json savedBy(const DataSource& source, const Json& changes) {
    return DataPosition::atStartOf(source, positionConfig(changes), 0).toJson();
}

TEST(DataPosition, OfAnUnchangedRunIsTheSavedOneAndNothingIsSaid) {
    const Shards data({"a.tar"}, 40);
    const auto saved = savedBy(data, {});
    const auto resumed = resumedPosition(data, positionConfig({}), 100, saved, configWith({}));
    EXPECT_EQ(resumed.position.toJson(), saved);
    EXPECT_THAT(resumed.note, IsEmpty());
}

TEST(DataPosition, WithAnotherBatchSizeGoesOnBehindTheClipsTakenAndSaysSo) {
    const Shards data({"a.tar"}, 40);
    const Json smaller = {{"data.batch_size", 4}};
    const auto resumed =
        resumedPosition(data, positionConfig(smaller), 100, savedBy(data, {}), configWith({}));
    EXPECT_EQ(resumed.position.segments, (std::vector<DataSegment>{{0, 8, 0, {}}, {100, 4, 0, {}}}));
    EXPECT_FALSE(resumed.startsOver);
    EXPECT_EQ(resumed.note,
              "data.batch_size 4 from step 101 on, data.batch_size 8 before: the run goes on behind the 800 "
              "clips taken so far; none is skipped or repeated.");

    const auto again = resumedPosition(data, positionConfig({{"data.batch_size", 2}}), 110,
                                       resumed.position.toJson(), configWith(smaller));
    EXPECT_THAT(again.note, HasSubstr("behind the 840 clips"));
    auto order =
        makeBatchOrder(positionConfig({{"data.batch_size", 2}}), {40}, {1}, 1, again.position.segments);
    auto next = makeBatchOrder(positionConfig({{"data.batch_size", 2}}), {40}, {1}, 1);
    EXPECT_EQ(order->batch(111), next->batch(421)) << "840 clips on";
}

TEST(DataPosition, OfOtherShardsStartsAtTheirStartAndNamesThem) {
    const Shards before({"a.tar"}, 40), now({"a.tar", "b.tar"}, 40);
    const Json more = {{"data.shards", {"/data/a.tar", "/data/b.tar"}}};
    const auto resumed = resumedPosition(now, positionConfig(more), 100, savedBy(before, {}), configWith({}));
    EXPECT_TRUE(resumed.startsOver);
    EXPECT_THAT(resumed.note,
                HasSubstr("data.shards [\"/data/a.tar\"] before, "
                          "[\"/data/a.tar\",\"/data/b.tar\"] now; 40 clips before, 80 clips now"));
    auto order = makeBatchOrder(positionConfig(more), {80}, {1}, 1, resumed.position.segments);
    auto fresh = makeBatchOrder(positionConfig(more), {80}, {1}, 1);
    EXPECT_EQ(order->batch(101), fresh->batch(1));
    EXPECT_EQ(order->batch(105), fresh->batch(5));
}

TEST(DataPosition, OfOtherFilesUnderTheSameNamesStartsOver) {
    const Shards before({"a.tar"}, 40), now({"a.tar"}, 41);
    const auto resumed = resumedPosition(now, positionConfig({}), 100, savedBy(before, {}), configWith({}));
    EXPECT_TRUE(resumed.startsOver);
    EXPECT_THAT(resumed.note,
                HasSubstr("the files are others under the same names; 40 clips before, 41 clips"));
}

TEST(DataPosition, OfTheSameShardsElsewhereGoesOn) {
    const Shards data({"a.tar"}, 40);
    const Json moved = {{"data.shards", {"/scratch/a.tar"}}};
    const auto resumed = resumedPosition(data, positionConfig(moved), 100, savedBy(data, {}), configWith({}));
    EXPECT_THAT(resumed.note, IsEmpty());
}

TEST(DataPosition, OfAnOldCheckpointFollowsItsConfiguration) {
    const Shards data({"a.tar"}, 40);
    const auto config = positionConfig({{"data.batch_size", 4}});
    const auto resumed = resumedPosition(data, config, 100, Json(), configWith({}));
    EXPECT_EQ(resumed.position.segments, (std::vector<DataSegment>{{0, 8, 0, {}}, {100, 4, 0, {}}}));
    const Json others = {{"data.shards", {"/data/c.tar"}}};
    EXPECT_TRUE(resumedPosition(data, positionConfig(others), 100, Json(), configWith({})).startsOver);
}

TEST(DataPosition, OfGeneratedClipsGoesOnWhateverChanges) {
    const Shards none({}, 0);
    const Json before = {{"data.source", "shapes"}};
    const Json now = {{"data.source", "shapes"}, {"data.packing", true}, {"data.batch_size", 4}};
    const auto resumed =
        resumedPosition(none, positionConfig(now), 100, savedBy(none, before), configWith(before));
    EXPECT_FALSE(resumed.startsOver);
    auto order = makeBatchOrder(positionConfig(now), {0}, {1}, 1, resumed.position.segments);
    EXPECT_EQ(order->batch(101), (std::vector<std::int64_t>{800, 801, 802, 803}));
}

}  // namespace
}  // namespace dailies::trainer
