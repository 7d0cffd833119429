#include "core/sources/registry.h"
#include "tests/core/sources/source_fixture.h"

namespace dailies::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kHead =
    "[\"runs\", 1]\n[\"param\", \"lr\", \"0.1\"]\n[\"tag\", \"mlflow.note.content\", \"a n\\u00f6te\"]\n";
const std::string kRows =
    "[\"metric\", 3, 1700000000000, 0.5, 1, \"train/loss\"]\n"
    "[\"metric\", 5, 1700000001000, null, 2, \"train/loss\"]\n"
    "[\"metric\", 9, 1700000002000, -1.7976931348623157e+308, 3, \"a b\"]\n";

Reading read(std::string_view rows, const Cursor& cursor, std::int64_t newest = 9) {
    return mlflowDatabase().read({.path = "mlflow.db", .bytes = rows, .fileSize = newest, .readMs = kReadMs},
                                 cursor);
}

TEST(MlflowDatabase, KnowsItsFilesByTheirNames) {
    EXPECT_EQ(sourceOf("out/mlflow.db"), &mlflowDatabase());
    EXPECT_EQ(sourceOf("mlruns.db"), &mlflowDatabase());
    EXPECT_EQ(sourceOf("my-mlflow.db"), nullptr);
}

TEST(MlflowDatabase, RowsArePointsAndTheOffsetIsTheLastOnesNumber) {
    const auto reading = read(kHead + kRows, {});
    EXPECT_EQ(reading.next.offset, 9);
    const auto& found = reading.findings;
    ASSERT_THAT(found.metrics.at("train/loss"), SizeIs(2));
    EXPECT_EQ(found.metrics.at("train/loss")[0], (tracking::MetricPoint{1, 1'700'000'000'000, 0.5}));
    EXPECT_TRUE(std::isnan(found.metrics.at("train/loss")[1].value));
    EXPECT_EQ(found.metrics.at("a b")[0].value, -INFINITY);
    EXPECT_EQ(found.params.at("lr"), "0.1");
    EXPECT_EQ(found.tags.at("mlflow.note.content"), "a nöte");
    EXPECT_THAT(found.problems, IsEmpty());
}

TEST(MlflowDatabase, WhatWasCutIsAskedForAgainFromTheLastWholeRow) {
    const std::string all = kHead + kRows;
    const std::int64_t rowids[] = {3, 5, 9};
    for (std::size_t cut = 0; cut <= all.size(); ++cut) {
        auto first = read(std::string_view(all).substr(0, cut), {});
        // as the reader asks: the rows behind the offset
        std::string rest = kHead;
        std::size_t at = 0;
        for (const auto rowid : rowids) {
            const auto end = kRows.find('\n', at) + 1;
            if (rowid > first.next.offset) rest += kRows.substr(at, end - at);
            at = end;
        }
        auto second = read(rest, first.next);
        EXPECT_EQ(second.next.offset, 9) << cut;
        Followed followed;
        followed.add(std::move(first.findings));
        followed.add(std::move(second.findings));
        ASSERT_THAT(followed.steps("train/loss"), ElementsAre(1, 2)) << cut;
        ASSERT_THAT(followed.steps("a b"), ElementsAre(3)) << cut;
    }
}

TEST(MlflowDatabase, OneOfManyRunsIsNotRead) {
    const auto reading = read("[\"runs\", 9]\n" + kRows, {});
    EXPECT_TRUE(reading.next.stopped);
    EXPECT_THAT(reading.findings.metrics, IsEmpty());
    EXPECT_THAT(reading.findings.problems, ElementsAre(HasSubstr("dailies import")));
}

TEST(MlflowDatabase, SeveralRunsAndOddRowsAreToldOrLeftOut) {
    const auto reading = read(
        "[\"runs\", 3]\nnoise\n[]\n[1,2]\n[\"metric\", \"1\", 2, 3, 4, \"k\"]\n[\"metric\", 2, 1, 1, 1]\n"
        "[\"param\", 3, null]\n[\"metric\", 4, 1, \"x\", 1, null]\n",
        {});
    EXPECT_THAT(reading.findings.problems, ElementsAre(HasSubstr("several runs")));
    EXPECT_THAT(reading.findings.metrics, IsEmpty());
    EXPECT_EQ(reading.next.offset, 0);
}

}  // namespace
}  // namespace dailies::sources
