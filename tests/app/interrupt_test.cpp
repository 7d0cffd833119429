#include "core/tracking/store.h"
#include "tests/app/command_line_fixture.h"

#include <gmock/gmock.h>

#include <fstream>

// Ctrl-C, SIGTERM and a closed terminal end what takes long, at once, and leave nothing half done.

namespace {

using namespace dailies;
namespace fs = std::filesystem;

constexpr auto kAtOnce = std::chrono::seconds(2);  // a second; other tests run beside this one

class Interrupts : public test::CommandLine {
protected:
    /// A small run and one that takes many seconds.
    fs::path makeSource() {
        const fs::path folder = place("source");
        fs::create_directories(folder);
        std::ofstream(folder / "a.csv") << "step,loss\n1,0.5\n2,0.25\n";
        std::ofstream large(folder / "b.csv");
        large << "step";
        for (int column = 0; column < 20; ++column) large << ",metric" << column;
        large << '\n';
        for (int row = 0; row < kRows; ++row) {
            large << row;
            for (int column = 0; column < 20; ++column) large << ',' << row % 97 << '.' << column;
            large << '\n';
        }
        return folder;
    }

    bool writes() const {
        std::error_code absent;
        const auto bytes = fs::file_size(m_dailies.store().string() + "-wal", absent);
        return !absent && bytes > (4u << 20);
    }

    template <class Condition>
    static void waitFor(Condition condition) {
        for (int tries = 0; tries < 3'000 && !condition(); ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        ASSERT_TRUE(condition());
    }

    void expectWholeRuns() {
        const tracking::Store store(m_dailies.store());
        for (const auto& run : store.runs()) {
            std::size_t points = 0;
            for (const auto& key : store.metricKeys({run.id})) points += store.history(run.id, key).size();
            EXPECT_EQ(points, run.name == "a" ? 2u : 20u * kRows) << run.name;
        }
    }

    static constexpr int kRows = 60'000;
};

TEST_F(Interrupts, AnImportLeavesWholeRuns) {
    const auto source = makeSource();
    {
        SCOPED_TRACE("while it reads");
        const auto import = m_dailies.start({"import", source.string()});
        waitFor([&] { return fs::exists(m_dailies.store()); });
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        ::kill(import, SIGINT);
        EXPECT_EQ(test::DailiesProgram::end(import, kAtOnce), 1);
        expectWholeRuns();
    }
    {
        SCOPED_TRACE("while it writes");
        const auto import = m_dailies.start({"import", source.string()});
        waitFor([&] { return writes(); });
        ::kill(import, SIGTERM);
        EXPECT_EQ(test::DailiesProgram::end(import, kAtOnce), 1);
        expectWholeRuns();
        EXPECT_EQ(tracking::Store(m_dailies.store()).runs().size(), 1u);
    }
}

TEST_F(Interrupts, AClosedTerminalLeavesNoPartOfAFile) {
    const auto source = makeSource();
    ASSERT_EQ(m_dailies.run({"import", source.string()}).status, 0);
    const fs::path folder = place("out");
    fs::create_directory(folder);
    const auto exporting = m_dailies.start({"export", "--what", "metrics", "--to", folder.string()});
    waitFor([&] { return !fs::is_empty(folder); });
    ::kill(exporting, SIGHUP);
    const int status = test::DailiesProgram::end(exporting, kAtOnce);
    for (const auto& entry : fs::directory_iterator(folder))
        EXPECT_TRUE(status == 0 && entry.path().filename() == "metrics.csv") << entry.path();
}

}  // namespace
