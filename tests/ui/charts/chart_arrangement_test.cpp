#include "ui/charts/chart_arrangement.h"

#include "ui/charts/chart_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::ElementsAre;

std::vector<std::string> ids(const ChartSection& section) {
    std::vector<std::string> result;
    for (const auto& slot : section.charts) {
        result.push_back(slot.id);
    }
    return result;
}

ChartArrangement arrangementOf(const std::vector<std::string>& keys) {
    ChartArrangement arrangement;
    arrangement.setMetrics(keys);
    return arrangement;
}

TEST(ChartArrangement, MetricsAreInSectionsByTheirPrefixLossFirst) {
    const auto sections =
        arrangementOf({"val/loss", "grad_norm", "loss", "val/fvd", "system/gpu", "adherence"}).sections();
    ASSERT_EQ(sections.size(), 3u);
    EXPECT_THAT(ids(sections[0]), ElementsAre("metric:loss", "metric:adherence", "metric:grad_norm"));
    EXPECT_EQ(sections[1].name, "val");
    EXPECT_THAT(ids(sections[1]), ElementsAre("metric:val/loss", "metric:val/fvd"));
    EXPECT_TRUE(sections[1].open);
    EXPECT_FALSE(sections[2].open);
}

TEST(ChartArrangement, EveryWordOfTheSearchMustOccurInTheName) {
    auto arrangement = arrangementOf({"val/loss", "val/fvd", "system/gpu_loss"});
    arrangement.setOpen("val", false);
    const auto sections = arrangement.sections("LOSS v");
    ASSERT_EQ(sections.size(), 1u);
    EXPECT_THAT(ids(sections[0]), ElementsAre("metric:val/loss"));
    EXPECT_TRUE(sections[0].open);
    EXPECT_TRUE(arrangement.sections("nothing").empty());
}

TEST(ChartArrangement, AMovedChartStaysWhereItWasPutWhenMetricsCome) {
    auto arrangement = arrangementOf({"a", "b", "c"});
    arrangement.move("metric:c", 0);
    EXPECT_THAT(ids(arrangement.sections()[0]), ElementsAre("metric:c", "metric:a", "metric:b"));
    arrangement.move("metric:c", 2);
    EXPECT_THAT(ids(arrangement.sections()[0]), ElementsAre("metric:a", "metric:c", "metric:b"));
    arrangement.setMetrics({"0", "a", "b", "c", "d"});
    EXPECT_THAT(ids(arrangement.sections()[0]),
                ElementsAre("metric:a", "metric:c", "metric:b", "metric:0", "metric:d"));
}

TEST(ChartArrangement, ARemovedMetricComesBackWhenItIsAdded) {
    auto arrangement = arrangementOf({"a", "b"});
    arrangement.remove("metric:a");
    EXPECT_THAT(ids(arrangement.sections()[0]), ElementsAre("metric:b"));
    EXPECT_THAT(arrangement.removedMetrics(), ElementsAre("a"));
    arrangement.addMetric("a");
    EXPECT_THAT(ids(arrangement.sections()[0]), ElementsAre("metric:a", "metric:b"));
}

TEST(ChartArrangement, WhatWasArrangedSurvivesBeingSaved) {
    const std::string hostile = "x/\"<b>\\\n\u202e\xF0\x9F\x8E\xAC";
    auto arrangement = arrangementOf({"a", "b", hostile});
    arrangement.remove("metric:a");
    arrangement.setOpen("x", false);
    arrangement.setPanelState("metric:" + hostile, {{"log_y", true}});
    arrangement.columns = 3;
    arrangement.tall = true;
    arrangement.settings = {.smoothing = 0.75,
                            .x = {XAxis::Kind::Metric, hostile},
                            .logX = true,
                            .logY = true,
                            .spread = series::Spread::Confidence,
                            .showAll = true};
    auto again = ChartArrangement::fromJson(arrangement.toJson());
    again.setMetrics({"a", "b", hostile});
    EXPECT_EQ(again.toJson(), arrangement.toJson());
    EXPECT_EQ(again.settings, arrangement.settings);
    EXPECT_THAT(again.removedMetrics(), ElementsAre("a"));
    EXPECT_EQ(again.panelState("metric:" + hostile).value("log_y").toBool(), true);
    EXPECT_FALSE(again.sections().back().open);
}

TEST(ChartArrangement, NonsenseIsReadAsTheDefaults) {
    const auto read =
        ChartArrangement::fromJson({{"columns", 99},
                                    {"added", 3},
                                    {"order", "x"},
                                    {"settings", QJsonObject{{"smoothing", 7}, {"x", "metric"}}}});
    EXPECT_EQ(read.columns, 4);
    EXPECT_LT(read.settings.smoothing, 1);
    EXPECT_EQ(read.settings.x.kind, XAxis::Kind::Step);
}

TEST(ChartArrangement, OnlyMetricsThatGrowAreOfferedAsX) {
    EXPECT_THAT(monotonicMetrics({"loss", "train/samples", "tokens", "tokens_per_s", "epoch", "throughput"}),
                ElementsAre("train/samples", "tokens", "epoch"));
}

TEST(ChartLayout, CardsFillRowsAndClosedSectionsTakeNoRoom) {
    const auto places = layOutGrid({{5, true, true}, {3, false, true}, {1, true, true}}, {1000, 2, 200});
    EXPECT_EQ(places.cards[0][0].top(), places.cards[0][1].top());
    EXPECT_GT(places.cards[0][2].top(), places.cards[0][0].bottom());
    EXPECT_LE(places.cards[0][1].right(), 1000);
    EXPECT_TRUE(places.cards[1].empty());
    EXPECT_GT(places.headers[2].top(), places.headers[1].top());
    EXPECT_EQ(layOutGrid({{9, true, false}}, {400, 0, 200}).columns, 1);
    EXPECT_EQ(layOutGrid({{9, true, false}}, {3800, 0, 200}).columns, 4);
    EXPECT_EQ(layOutGrid({{2, true, false}}, {3800, 0, 200}).columns, 2);
}

TEST(ChartLayout, ADroppedCardGoesBeforeTheOneItIsNearest) {
    const auto cards = layOutGrid({{4, true, false}}, {1000, 2, 200}).cards[0];
    EXPECT_EQ(dropIndex(cards, cards[0].center() - QPoint(20, 0)), 0);
    EXPECT_EQ(dropIndex(cards, cards[1].center() - QPoint(20, 0)), 1);
    EXPECT_EQ(dropIndex(cards, cards[1].center() + QPoint(20, 0)), 2);
    EXPECT_EQ(dropIndex(cards, QPoint(5000, 5000)), 4);
}

}  // namespace
}  // namespace dailies::ui
