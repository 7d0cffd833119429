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

TEST_F(Export, AStoppedOrFailedExportLeavesTheFileThatWasThere) {
    const auto file = write("out.csv", "before");
    std::stop_source stop;
    stop.request_stop();
    for (const auto table : {ExportTable::Runs, ExportTable::Metrics})
        EXPECT_THROW(exportRuns(m_store, m_store.runs(), table, file, {}, stop.get_token()), Cancelled);
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
