#include "core/exchange/export.h"

#include "core/exchange/csv.h"
#include "tests/core/exchange/exchange_fixture.h"

#include <cmath>
#include <fstream>

namespace dailies::exchange {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Export : public ExchangeTest {
protected:
    void SetUp() override {
        tracking::Run run;
        run.id = std::string(32, 'a');
        run.name = "with, comma";
        run.experiment = "shapes";
        run.status = tracking::RunStatus::Finished;
        run.startMs = 1'700'000'000'000;
        run.endMs = 1'700'000'001'000;
        run.params = {{"prompt", "say \"hi\"\ntwice"}};
        m_store.importRun(run, {{"loss", {{1, 10, 0.1}, {2, 20, NAN}, {3, 30, -INFINITY}}}});
        run.id = std::string(32, 'b');
        run.name = "plain";
        run.params = {{"lr", "1e-4"}};
        m_store.importRun(run, {});
    }

    static std::vector<std::vector<std::string>> read(const std::filesystem::path& file) {
        std::ifstream text(file);
        CsvReader reader(text);
        std::vector<std::vector<std::string>> all;
        for (std::vector<std::string> fields; reader.next(fields);) all.push_back(fields);
        return all;
    }
};

TEST_F(Export, TheTableOfRunsHasAColumnForEveryKey) {
    const auto summary = exportRuns(m_store, m_store.runs(), ExportTable::Runs, place("out.csv"));
    EXPECT_EQ(summary.runs, 2);
    const auto rows = read(summary.file);
    ASSERT_EQ(rows.size(), 3u);
    const auto column = [&](const std::string& name) {
        const auto found = std::find(rows[0].begin(), rows[0].end(), name);
        return static_cast<std::size_t>(found - rows[0].begin());
    };
    for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
    const auto& full = rows[1][1] == "plain" ? rows[2] : rows[1];
    const auto& plain = rows[1][1] == "plain" ? rows[1] : rows[2];
    EXPECT_EQ(full[column("name")], "with, comma");
    EXPECT_EQ(full[column("params.prompt")], "say \"hi\"\ntwice");
    EXPECT_EQ(full[column("metrics.loss")], "-Infinity");
    EXPECT_EQ(full[column("params.lr")], "");
    EXPECT_EQ(plain[column("params.lr")], "1e-4");
    EXPECT_THAT(readFile(summary.file), HasSubstr("\r\n")) << "RFC 4180's line end";
}

TEST_F(Export, PointsComeBackWhenTheyAreImportedElsewhere) {
    std::filesystem::create_directory(place("folder"));
    const auto summary = exportRuns(m_store, m_store.runs(), ExportTable::Metrics, place("folder"));
    EXPECT_EQ(summary.file, place("folder/metrics.csv"));
    EXPECT_EQ(summary.points, 3);
    const std::string id(32, 'a');
    EXPECT_THAT(read(summary.file)[1], ElementsAre(id, "with, comma", "loss", "1", "10", "0.1"));

    tracking::Store other(place("other.db"));
    importFrom(other, summary.file);
    const auto mine = m_store.history(id, "loss"), theirs = other.history(id, "loss");
    ASSERT_EQ(theirs.size(), 3u) << "the run keeps its id";
    EXPECT_EQ(theirs[0].value, mine[0].value);
    EXPECT_TRUE(std::isnan(theirs[1].value));
    EXPECT_EQ(theirs[2].value, -INFINITY);
}

TEST_F(Export, ForeignTextsAreNoFormulasAndNumbersStayNumbers) {
    tracking::Run run;
    run.id = std::string(32, 'c');
    run.name = "=cmd|' /C calc'!A0";
    run.experiment = "shapes";
    run.params = {{"prompt", "@SUM(A1:A9)"}, {"shift", "-1e-3"}};
    m_store.importRun(run, {{"=loss", {{1, 10, -0.5}}}});

    const auto runs = exportRuns(m_store, {*m_store.run(run.id)}, ExportTable::Runs, place("runs.csv"));
    EXPECT_THAT(read(runs.file)[1],
                testing::AllOf(testing::Contains("'=cmd|' /C calc'!A0"), testing::Contains("'@SUM(A1:A9)"),
                               testing::Contains("-1e-3"), testing::Contains("-0.5")));
    const auto raw = exportRuns(m_store, {*m_store.run(run.id)}, ExportTable::Runs, place("raw.csv"),
                                {.text = CsvEscaping::Raw});
    EXPECT_THAT(read(raw.file)[1],
                testing::AllOf(testing::Contains("=cmd|' /C calc'!A0"), testing::Contains("@SUM(A1:A9)")));

    const auto points =
        exportRuns(m_store, {*m_store.run(run.id)}, ExportTable::Metrics, place("points.csv"));
    EXPECT_EQ(read(points.file)[1][2], "'=loss");
    tracking::Store other(place("other.db"));
    importFrom(other, points.file);
    EXPECT_EQ(other.runs().front().name, run.name) << "what comes back is what was there";
    EXPECT_EQ(other.history(run.id, "=loss").size(), 1u);
}

TEST_F(Export, AsJsonItIsOneDocument) {
    const auto runs = Json::parse(readFile(exportRuns(m_store, m_store.runs(), ExportTable::Runs,
                                                      place("runs.json"), {.format = ExportFormat::Json})
                                               .file));
    ASSERT_EQ(runs.size(), 2u);
    const auto& full = runs[0]["name"] == "plain" ? runs[1] : runs[0];
    EXPECT_EQ(full["params"]["prompt"], "say \"hi\"\ntwice");
    EXPECT_EQ(full["metrics"]["loss"], "-Infinity");
    std::filesystem::create_directory(place("points"));
    const auto points = exportRuns(m_store, m_store.runs(), ExportTable::Metrics, place("points"),
                                   {.format = ExportFormat::Json});
    EXPECT_EQ(points.file, place("points/metrics.json"));
    const auto list = Json::parse(readFile(points.file));
    ASSERT_EQ(list.size(), 3u);
    EXPECT_EQ(list[0]["value"], 0.1);
    EXPECT_EQ(list[1]["value"], "NaN");
    EXPECT_EQ(Json::parse(readFile(exportRuns(m_store, {}, ExportTable::Runs, place("none.json"),
                                              {.format = ExportFormat::Json})
                                       .file)),
              Json::array());
}

TEST_F(Export, ShortNamesAreThoseThatNoTwoColumnsShare) {
    tracking::Run run;
    run.id = std::string(32, 'c');
    run.experiment = "shapes";
    run.params = {{"optimizer.lr", "1"}, {"model.loss", "l2"}, {"model.name", "dit"}};
    m_store.importRun(run, {{"loss", {{1, 10, 0.5}}}});
    const auto rows = read(exportRuns(m_store, {*m_store.run(run.id)}, ExportTable::Runs, place("short.csv"),
                                      {.shortNames = true})
                               .file);
    EXPECT_THAT(rows[0],
                testing::IsSupersetOf({"lr", "params.model.loss", "metrics.loss", "params.model.name"}));
}

TEST_F(Export, AStoppedOrFailedExportLeavesTheFileThatWasThere) {
    const auto file = write("out.csv", "before");
    std::stop_source stop;
    stop.request_stop();
    for (const auto table : {ExportTable::Runs, ExportTable::Metrics})
        EXPECT_THROW(exportRuns(m_store, m_store.runs(), table, file, {}, {}, stop.get_token()), Cancelled);
    EXPECT_EQ(readFile(file), "before");
    EXPECT_THAT(
        complaint([&] { exportRuns(m_store, m_store.runs(), ExportTable::Runs, "/proc/nowhere/out.csv"); }),
        HasSubstr("/proc/nowhere/out.csv"));
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(m_folder.path())) ++files;
    EXPECT_EQ(files, 2u) << "the store's folder and the file; no temporary one";
}

}  // namespace
}  // namespace dailies::exchange
