#include "ui/charts/panels/plot_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dailies::ui {
namespace {

analysis::Column numbers(std::vector<double> values, bool logarithmic = false) {
    return {.field = {analysis::Field::Source::Metric, "m"},
            .logarithmic = logarithmic,
            .values = std::move(values)};
}

std::vector<std::string> labels(const PlotAxis& axis, int atMost = 5) {
    std::vector<std::string> result;
    for (const auto& tick : axis.ticks(atMost)) {
        result.push_back(tick.label.toStdString());
    }
    return result;
}

TEST(PlotAxis, PutsTheLeastAtZeroAndTheGreatestAtOne) {
    const PlotAxis axis(numbers({2, 6, 4}));
    EXPECT_DOUBLE_EQ(axis.place(0), 0);
    EXPECT_DOUBLE_EQ(axis.place(1), 1);
    EXPECT_DOUBLE_EQ(axis.place(2), 0.5);
    EXPECT_DOUBLE_EQ(axis.valueAt(0.5), 4);
    EXPECT_THAT(labels(axis), testing::ElementsAre("2", "3", "4", "5", "6"));
}

TEST(PlotAxis, PutsDecadesAtEqualDistances) {
    const PlotAxis axis(numbers({1e-4, 1e-2, 1e-3}, true));
    EXPECT_NEAR(axis.place(2), 0.5, 1e-12);
    EXPECT_NEAR(axis.valueAt(0.5), 1e-3, 1e-12);
    EXPECT_THAT(labels(axis), testing::ElementsAre("0.0001", "0.001", "0.01"));
}

TEST(PlotAxis, HasNoPlaceForWhatCannotBeDrawn) {
    const PlotAxis axis(numbers({NAN, INFINITY, -INFINITY, 1, 2}));
    EXPECT_TRUE(std::isnan(axis.place(0)) && std::isnan(axis.place(1)) && std::isnan(axis.place(2)));
    EXPECT_EQ(axis.placedCount(), 2U);
    EXPECT_EQ(axis.text(0), QStringLiteral("—"));
    EXPECT_EQ(axis.text(1), QStringLiteral("∞"));
    const PlotAxis log(numbers({0, -1, 1, 10}), true);
    EXPECT_EQ(log.placedCount(), 2U);
}

TEST(PlotAxis, PutsEqualValuesIntoTheMiddle) {
    EXPECT_DOUBLE_EQ(PlotAxis(numbers({3, 3})).place(0), 0.5);
    EXPECT_DOUBLE_EQ(PlotAxis(numbers({0})).place(0), 0.5);
    EXPECT_DOUBLE_EQ(PlotAxis(numbers({1e-3, 1e-3}), true).place(0), 0.5);
}

TEST(PlotAxis, ManagesTheGreatestDoublesAndNothingAtAll) {
    const PlotAxis wide(numbers({-1.7e308, 1.7e308, 0}));
    EXPECT_DOUBLE_EQ(wide.place(0), 0);
    EXPECT_DOUBLE_EQ(wide.place(1), 1);
    EXPECT_DOUBLE_EQ(wide.place(2), 0.5);
    EXPECT_LE(wide.ticks(5).size(), 8U);
    EXPECT_TRUE(PlotAxis(numbers({NAN, NAN})).ticks(5).empty());
    EXPECT_TRUE(PlotAxis(numbers({})).ticks(5).empty());
}

TEST(PlotAxis, SpacesCategoriesEvenlyAndShowsSomeOfVeryMany) {
    analysis::Column column = numbers({0, 1, 2, analysis::kMissing});
    column.kind = analysis::Column::Kind::Category;
    column.categories = {"adam", "lion", "sgd"};
    const PlotAxis axis(column);
    EXPECT_NEAR(axis.place(1), 0.5, 1e-12);
    EXPECT_TRUE(std::isnan(axis.place(3)));
    EXPECT_THAT(labels(axis), testing::ElementsAre("adam", "lion", "sgd"));
    column.categories.assign(1'000, "x");
    EXPECT_LE(PlotAxis(column).ticks(6).size(), 6U);
}

TEST(PlotAxis, MakesHostileTextHarmless) {
    analysis::Column column = numbers({0, 0});
    column.kind = analysis::Column::Kind::Category;
    column.categories = {"a\x1b[31m\nb\xe2\x80\xae"};
    const QString text = PlotAxis(column).text(0);
    EXPECT_FALSE(text.contains(QChar(0x1b)) || text.contains(u'\n') || text.contains(QChar(0x202e)));
}

TEST(PlotAxis, LabelsDurationsInUnitsOfTime) {
    analysis::Column column = numbers({0, 3'600'000});
    column.field = {analysis::Field::Source::Duration};
    for (const auto& label : labels(PlotAxis(column))) {
        EXPECT_TRUE(label.find("min") != std::string::npos || label.find(" s") != std::string::npos ||
                    label.find(" h") != std::string::npos)
            << label;
    }
}

}  // namespace
}  // namespace dailies::ui
