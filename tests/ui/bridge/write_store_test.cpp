#include "ui/bridge/write_store.h"

#include "core/base/files.h"
#include "tests/ui/wait_until.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace dailies::ui {
namespace {

constexpr int kChanges = 40;
const auto kNoWriteFailure = [](const Error& error) { ADD_FAILURE() << error.what(); };

/// A change that takes what the last one left one further, and loses count when they overtake each other.
void countTo(tracking::Store& store, int number) {
    const auto views = store.views();
    const int before = views.empty() ? 0 : views.front().content.get<int>();
    store.putView({}, "count", before == number - 1 ? number : -kChanges);
}

int counted(const std::filesystem::path& file) {
    const auto views = tracking::Store(file).views();
    return views.empty() ? 0 : views.front().content.get<int>();
}

class WriteStoreTest : public testing::Test {
protected:
    TemporaryFolder m_folder;
    std::filesystem::path m_file = m_folder.path() / "dailies.db";
    QObject m_context;
};

TEST_F(WriteStoreTest, ChangesAreMadeAndToldOfInTheOrderOfTheCalls) {
    std::vector<int> told;
    for (int i = 1; i <= kChanges; ++i) {
        writeStore(
            &m_context, m_file, [i](tracking::Store& store) { countTo(store, i); },
            [&told, i] { told.push_back(i); }, kNoWriteFailure);
    }
    ASSERT_TRUE(waitUntil([&] { return told.size() == kChanges; }, 20'000));
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_EQ(counted(m_file), kChanges);
}

TEST_F(WriteStoreTest, AChangeIsMadeThoughWhoeverAskedForItIsGone) {
    auto context = std::make_unique<QObject>();
    bool called = false;
    writeStore(
        context.get(), m_file, [](tracking::Store& store) { countTo(store, 1); }, [&] { called = true; },
        [&](const Error&) { called = true; });
    context.reset();
    EXPECT_TRUE(waitUntil([&] { return counted(m_file) == 1; }));
    EXPECT_FALSE(called);
}

TEST_F(WriteStoreTest, AFileThatIsNoDatabaseIsNamedAndTheNextChangeTriesAgain) {
    std::ofstream(m_file) << std::string(4096, 'x');
    std::string why;
    writeStore(
        &m_context, m_file, [](tracking::Store& store) { countTo(store, 1); },
        [] { ADD_FAILURE() << "there is nothing to write to"; },
        [&](const Error& error) { why = error.full(); });
    ASSERT_TRUE(waitUntil([&] { return !why.empty(); }));
    EXPECT_NE(why.find(m_file.string()), std::string::npos) << why;
    std::filesystem::remove(m_file);
    bool done = false;
    writeStore(
        &m_context, m_file, [](tracking::Store& store) { countTo(store, 1); }, [&] { done = true; },
        kNoWriteFailure);
    EXPECT_TRUE(waitUntil([&] { return done; }));
}

TEST_F(WriteStoreTest, AProgramThatEndsMakesItsLastChangesFirst) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a child that begins anew, for threads do not fork
    // The child makes a folder of its own, so the file is told to it by the environment.
    if (const char* told = std::getenv("DAILIES_TEST_STORE")) {
        m_file = told;
    } else {
        ::setenv("DAILIES_TEST_STORE", m_file.c_str(), 1);
    }
    EXPECT_EXIT(
        {
            for (int i = 1; i <= kChanges; ++i) {
                writeStore(
                    &m_context, m_file, [i](tracking::Store& store) { countTo(store, i); }, [] {},
                    kNoWriteFailure);
            }
            std::filesystem::remove_all(m_folder.path());
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
    ::unsetenv("DAILIES_TEST_STORE");
    EXPECT_EQ(counted(m_file), kChanges);
}

}  // namespace
}  // namespace dailies::ui
