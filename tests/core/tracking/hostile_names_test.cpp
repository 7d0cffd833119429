// Names that nobody planned for: they come from configs, prompts and other people's scripts.
#include "core/base/text.h"
#include "tests/core/tracking/store_fixture.h"

#include <gmock/gmock.h>

namespace dailies::tracking {
namespace {

using testing::SizeIs;

const std::vector<std::string> kNames = {
    "quote ' \" ; DROP TABLE metrics; --",
    std::string(10'000, 'k'),
    std::string("nul\0inside", 10),
    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d / \xd8\xb3\xd9\x84\xd8\xa7\xd9\x85",  // right to left
    "\xf0\x9f\x8e\xac\xf0\x9f\x94\xa5",                                     // emoji
    "line\nbreak\tand tab",
    "%_*?[a-z]",
    "",
    " ",
    "loss",
    "LOSS",
};

using HostileNames = StoreTest;

TEST_F(HostileNames, MetricsOfAnyNameAreKeptApartAndComeBackAsTheyWere) {
    Store store(file());
    const auto run = aRun();
    store.createRun(run);
    std::map<std::string, double> values;
    for (const auto& name : kNames) values[name] = static_cast<double>(values.size());
    std::vector<events::Event> batch;
    for (int step = 1; step <= 200; ++step) batch.push_back(metrics(1, step, values));
    store.ingest(run.id, batch, 1);
    const Store reader(file(), Store::Mode::ReadOnly);
    EXPECT_THAT(reader.run(run.id)->metrics, SizeIs(kNames.size()));
    for (const auto& [name, value] : values) {
        const auto points = reader.history(run.id, name);
        ASSERT_THAT(points, SizeIs(200)) << name.substr(0, 40);
        EXPECT_EQ(points.back().value, value) << name.substr(0, 40);
        EXPECT_EQ(reader.curves({{run.id, name}}, std::nullopt, 10)[0].buckets.back().last, value);
        EXPECT_EQ(reader.run(run.id)->metrics.at(name).value, value);
    }
    store.ingest(run.id, {at(2, events::Resume{100})}, 2);
    for (const auto& [name, value] : values) EXPECT_THAT(store.history(run.id, name), SizeIs(100));
}

TEST_F(HostileNames, ParamsTagsExperimentsAndViewsOfAnyNameAreHarmless) {
    Store store(file());
    for (const auto& name : kNames) {
        if (trim(name).empty()) continue;
        auto run = aRun(name);
        run.experiment = name;
        run.params = {{name, name}};
        run.tags = {{name, name}};
        store.createRun(run);
        store.setTags({run.id}, name, "set " + name);
        store.putView(sanitizedText(trim(name)), name, {{"name", sanitizedText(name)}});
        const auto read = *store.run(run.id);
        EXPECT_EQ(read.tags.at(sanitizedText(name)), "set " + sanitizedText(name));
        EXPECT_EQ(read.params.at(sanitizedText(name)), sanitizedText(name));
        EXPECT_THAT(store.runs(read.experiment), SizeIs(1));
        EXPECT_THAT(store.views(read.experiment), SizeIs(1));
        store.removeTag({run.id}, name);
        EXPECT_EQ(store.run(run.id)->tags.count(sanitizedText(name)), 0u);
    }
    EXPECT_THAT(store.runs(), SizeIs(kNames.size() - 2));
}

TEST_F(HostileNames, TenThousandMetricsOfARunAreAllThere) {
    Store store(file());
    const auto run = aRun();
    store.createRun(run);
    std::map<std::string, double> values;
    for (int i = 0; i < 10'000; ++i) values["layer." + std::to_string(i) + "/grad_norm"] = i;
    store.ingest(run.id, {metrics(1, 1, values), metrics(1, 2, values)}, 1);
    EXPECT_THAT(store.metricKeys({run.id}), SizeIs(10'000));
    EXPECT_THAT(store.run(run.id)->metrics, SizeIs(10'000));
    std::vector<CurveKey> keys;
    for (const auto& [name, value] : values) keys.push_back({run.id, name});
    const auto curves = store.curves(keys, std::nullopt, 100);
    ASSERT_THAT(curves, SizeIs(10'000));
    for (const auto& curve : curves) ASSERT_THAT(curve.buckets, SizeIs(2));
}

}  // namespace
}  // namespace dailies::tracking
