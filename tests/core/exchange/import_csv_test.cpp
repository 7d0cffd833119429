#include "tests/core/exchange/exchange_fixture.h"

#include <cmath>

namespace dailies::exchange {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using CsvImport = ExchangeTest;

TEST_F(CsvImport, AFileIsARunWithACurveForEveryColumnOfNumbers) {
    const auto file = write("grid/baseline.csv",
                            "step,timestamp,loss,val/acc,remark\n"
                            "10,1700000000,0.5,,started\n"
                            "20,1700000001.5,NaN,0.25,\n"
                            "30,1700000002,1e-3,-inf,\n");
    const auto summary = import(file);
    EXPECT_EQ(summary.sources.at(0).kind, SourceKind::Csv);
    EXPECT_EQ(summary.total().runsAdded, 1);
    EXPECT_EQ(summary.total().pointsAdded, 5);
    EXPECT_THAT(steps("baseline", "loss"), ElementsAre(10, 20, 30));
    EXPECT_TRUE(std::isnan(values("baseline", "loss")[1]));
    EXPECT_THAT(values("baseline", "val/acc"), ElementsAre(0.25, -INFINITY));
    const auto run = runNamed("baseline");
    EXPECT_EQ(run.experiment, "grid");
    EXPECT_EQ(run.startMs, 1'700'000'000'000);
    EXPECT_EQ(run.endMs, 1'700'000'002'000);
    ASSERT_EQ(summary.skipped.size(), 1u);
    EXPECT_THAT(summary.skipped[0].what, HasSubstr("remark"));
}

TEST_F(CsvImport, ImportingAgainAddsOnlyTheLinesThatAreNew) {
    write("a.csv", "step,loss\n1,0.5\n2,0.4\n");
    EXPECT_EQ(import(place("a.csv")).total().pointsAdded, 2);
    const auto same = import(place("a.csv"));
    EXPECT_EQ(same.total().pointsAdded, 0);
    EXPECT_EQ(same.total().runsUnchanged, 1);
    write("a.csv", "step,loss\n1,0.5\n2,0.4\n3,0.3\n");
    const auto more = import(place("a.csv"));
    EXPECT_EQ(more.total().runsExtended, 1);
    EXPECT_EQ(more.total().pointsAdded, 1) << "lines without a time must get the same one the next time";
    EXPECT_THAT(values("a", "loss"), ElementsAre(0.5, 0.4, 0.3));
}

TEST_F(CsvImport, InLongFormALineIsAPointAndAFileHoldsManyRuns) {
    const auto file = write("all.csv",
                            "run,key,step,value\n"
                            "one,loss,1,0.5\n"
                            "two,loss,1,0.7\n"
                            "one,loss,2,0.4\n"
                            "one,,2,0.4\n"
                            "two,loss,x,0.4\n");
    const auto summary = import(file, {.experiment = "mine"});
    EXPECT_EQ(summary.total().runsAdded, 2);
    EXPECT_EQ(summary.total().pointsAdded, 3);
    EXPECT_THAT(values("one", "loss"), ElementsAre(0.5, 0.4));
    EXPECT_EQ(runNamed("two").experiment, "mine");
    ASSERT_EQ(summary.skipped.size(), 1u);
    EXPECT_EQ(summary.skipped[0].count, 2);
    EXPECT_THAT(summary.skipped[0].what, HasSubstr("5")) << "the line number of the first";
}

TEST_F(CsvImport, LinesWithoutAStepColumnAreCounted) {
    import(write("plain.csv", "loss\n3\n2\n1\n"));
    EXPECT_THAT(steps("plain", "loss"), ElementsAre(0, 1, 2));
}

TEST_F(CsvImport, AColumnThatComesAgainIsKeptUnderAnotherName) {
    const auto summary = import(write("twice.csv", "step,loss,loss,loss.1\n1,0.5,0.7,9\n2,0.4,0.6,9\n"));
    EXPECT_THAT(values("twice", "loss"), ElementsAre(0.5, 0.4));
    EXPECT_THAT(values("twice", "loss.2"), ElementsAre(0.7, 0.6));
    EXPECT_THAT(values("twice", "loss.1"), ElementsAre(9, 9));
    EXPECT_THAT(summary.notes, ElementsAre(testing::AllOf(HasSubstr("Column loss"), HasSubstr("loss.2"))));
}

TEST_F(CsvImport, AColumnWithoutANameIsPandasIndexOrHasItsPlaceForAName) {
    auto summary = import(write("index.csv", ",loss\n0,0.5\n1,0.4\n"));
    EXPECT_THAT(steps("index", "loss"), ElementsAre(0, 1));
    EXPECT_EQ(runNamed("index").metrics.size(), 1u);
    EXPECT_THAT(summary.notes, ElementsAre(HasSubstr("counts the rows")));
    summary = import(write("both.csv", ",step,loss,\n0,10,0.5,7\n1,20,0.4,8\n"));
    EXPECT_THAT(steps("both", "loss"), ElementsAre(10, 20));
    EXPECT_THAT(values("both", "column_4"), ElementsAre(7, 8));
    EXPECT_EQ(runNamed("both").metrics.size(), 2u);
    EXPECT_THAT(summary.notes, testing::Contains(HasSubstr("column_4")));
}

TEST_F(CsvImport, HeadersInLatin1AreReadAndTold) {
    const auto summary = import(write("latin.csv", "step,Qualit\xE4t\n1,0.5\n"));
    EXPECT_THAT(values("latin", "Qualität"), ElementsAre(0.5));
    EXPECT_THAT(summary.notes, ElementsAre(HasSubstr("Latin-1")));
    EXPECT_THAT(import(write("utf8.csv", "step,Qualität\n1,0.5\n")).notes, testing::IsEmpty());
    EXPECT_THAT(complaint([&] { import(write("wide.csv", std::string_view("\xFF\xFEs\0t\0\n\0", 8))); }),
                HasSubstr("UTF-16"));
}

TEST_F(CsvImport, CommasAreDecimalWhereSemicolonsSeparate) {
    const auto summary =
        import(write("excel.csv", "step;loss;speed\r\n1;0,5;1.234,5\r\n2;-1,25e-3;2.5\r\n3;1.2,5;7\r\n"));
    EXPECT_THAT(values("excel", "loss"), ElementsAre(0.5, -1.25e-3));
    EXPECT_THAT(values("excel", "speed"), ElementsAre(1234.5, 2.5, 7));
    ASSERT_EQ(summary.skipped.size(), 1u) << "1.2,5 is no number anywhere";
    EXPECT_EQ(summary.skipped[0].count, 1);
}

TEST_F(CsvImport, AFileWithoutNumbersIsRefusedWithWhatWouldBeAccepted) {
    const auto file = write("notes.csv", "who,what\nme,nothing\n");
    EXPECT_THAT(complaint([&] { import(file); }), HasSubstr("a step column and metric columns"));
    EXPECT_THAT(complaint([&] { import(write("empty.csv", "")); }), HasSubstr("it is empty"));
    EXPECT_THROW(import(place("absent.csv")), InputError);
    EXPECT_THROW(import(write("picture.bin", "\x89PNG")), InputError);
}

}  // namespace
}  // namespace dailies::exchange
