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
    EXPECT_THAT(
        summary.notes,
        ElementsAre(HasSubstr("twice.csv: column loss appears twice; the second is kept as loss.2.")));
}

TEST_F(CsvImport, AColumnThatComesAgainIsToldWhateverBecomesOfIt) {
    auto notes = import(write("thrice.csv", "step,loss,loss,loss\n1,1,2,3\n")).notes;
    EXPECT_THAT(
        notes,
        ElementsAre(HasSubstr("column loss appears 3 times; the others are kept as loss.1 and loss.2.")));
    notes = import(write("text.csv", "step,loss,loss\n1,0.5,good\n")).notes;
    EXPECT_THAT(notes, ElementsAre(HasSubstr("column loss appears twice; the second holds no numbers.")));
    notes = import(write("long.csv", "run,key,step,value,value\na,loss,1,0.5,0.7\n")).notes;
    EXPECT_THAT(notes, ElementsAre(HasSubstr("column value appears twice; the first is read.")));
    EXPECT_THAT(values("a", "loss"), ElementsAre(0.5));
}

TEST_F(CsvImport, AColumnThatNamesRunsPartsAWideFileIntoThem) {
    for (const std::string column : {"run", "run_id", "run_name", "name", "Name", "Run ID"}) {
        const auto summary =
            import(write(column + ".csv", column + ",step,loss,acc\n" + column + " one,1,0.5,0\n" + column +
                                              " two,1,0.7,\n" + column + " one,2,0.4,1\n"));
        EXPECT_EQ(summary.total().runsAdded, 2) << column;
        EXPECT_THAT(summary.skipped, testing::IsEmpty()) << column;
        EXPECT_THAT(values(column + " one", "loss"), ElementsAre(0.5, 0.4));
        EXPECT_THAT(values(column + " two", "loss"), ElementsAre(0.7));
        EXPECT_EQ(runNamed(column + " two").metrics.size(), 1u) << column;
        EXPECT_EQ(import(place(column + ".csv")).total().runsUnchanged, 2) << column;
    }
}

TEST_F(CsvImport, AWideFilesRunsHaveTheirIdsAndNamesFromTheirColumns) {
    const std::string id(32, 'b');
    auto summary = import(write("both.csv", "run_id,name,step,loss\n" + id + ",calm,1,0.5\nx7,wild,1,0.7\n"));
    EXPECT_EQ(runNamed("calm").id, id);
    EXPECT_THAT(values("wild", "loss"), ElementsAre(0.7));
    summary = import(write("same.csv", "run_id,name,step,loss\nx8,twin,1,0.5\nx9,twin,1,0.7\n"));
    EXPECT_EQ(summary.total().runsAdded, 2) << "the id tells apart what has one name";
    summary = import(write("gaps.csv", "run,step,loss\nnamed,1,0.5\n,1,0.7\n,2,0.6\n"));
    EXPECT_THAT(values("gaps", "loss"), ElementsAre(0.7, 0.6));
    EXPECT_THAT(summary.notes,
                ElementsAre(testing::AllOf(HasSubstr("2 lines name no run"), HasSubstr("gaps"))));
    summary = import(write("mute.csv", "run,step,loss\nloud,1,0.5\nmute,1,\n"));
    EXPECT_EQ(summary.total().runsAdded, 1);
    ASSERT_EQ(summary.skipped.size(), 1u);
    EXPECT_THAT(summary.skipped[0].what, HasSubstr("mute.csv"));
}

TEST_F(CsvImport, NumbersNameRunsWhereStepsBeginAgainAndAreAMetricElsewhere) {
    EXPECT_EQ(import(write("seeds.csv", "run,step,loss\n1,1,0.5\n1,2,0.4\n2,1,0.7\n")).total().runsAdded, 2);
    EXPECT_THAT(values("1", "loss"), ElementsAre(0.5, 0.4));
    EXPECT_EQ(import(write("counted.csv", "run,step,loss\n1,1,0.5\n2,2,0.4\n")).total().runsAdded, 1);
    EXPECT_THAT(values("counted", "run"), ElementsAre(1, 2));
}

TEST_F(CsvImport, NamesOfRunsInHeadersAndTextsWithoutStepsPartNothing) {
    auto summary = import(write("wandb.csv",
                                "\"Step\",\"calm-1 - loss\",\"calm-1 - loss__MIN\",\"wild-2 - loss\"\n"
                                "1,0.5,0.5,0.7\n2,0.4,0.4,\n"));
    EXPECT_EQ(summary.total().runsAdded, 1);
    EXPECT_THAT(values("wandb", "calm-1 - loss"), ElementsAre(0.5, 0.4));
    summary = import(write("clips.csv", "name,seconds\na.mp4,2\nb.mp4,3\n"));
    EXPECT_EQ(summary.total().runsAdded, 1);
    EXPECT_EQ(summary.skipped.at(0).count, 2);
}

TEST_F(CsvImport, PandasIndexIsNoMetricOfAnyRun) {
    import(write("concat.csv", ",run,step,loss\n0,p,1,0.5\n1,p,2,0.4\n0,q,1,0.7\n1,q,2,0.6\n"));
    import(write("ignored.csv", ",run,step,loss\n0,r,1,0.5\n1,s,1,0.4\n2,r,2,0.7\n"));
    for (const char* run : {"p", "q", "r", "s"}) EXPECT_EQ(runNamed(run).metrics.size(), 1u) << run;
}

TEST_F(CsvImport, AColumnWithoutANameIsPandasIndexOrHasItsPlaceForAName) {
    auto summary = import(write("index.csv", ",loss\n0,0.5\n1,0.4\n"));
    EXPECT_THAT(steps("index", "loss"), ElementsAre(0, 1));
    EXPECT_EQ(runNamed("index").metrics.size(), 1u);
    EXPECT_THAT(summary.notes, ElementsAre(HasSubstr("unnamed row index")));
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
    ASSERT_EQ(summary.skipped.size(), 1u) << "1.2,5 is not a number anywhere";
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
