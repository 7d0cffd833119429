#include "core/base/json.h"
#include "tests/app/command_line_fixture.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

// Which page the desktop program opens with, seen in what it keeps of its window.

namespace {

using namespace dailies;

constexpr auto kToEnd = std::chrono::seconds(20);

class DesktopPage : public test::CommandLine {
protected:
    void SetUp() override { ::setenv("QT_QPA_PLATFORM", "offscreen", 1); }

    std::filesystem::path settings() const { return m_home.path() / "config" / "dailies" / "settings.json"; }

    /// The page that is kept once a window with these words was open and closed.
    std::string pageAfter(const std::vector<std::string>& words, const std::string& kept) {
        writeFileAtomically(settings(), R"({"window": {"page": ")" + kept + R"("}})");
        std::filesystem::remove_all(m_home.path() / "data");
        const auto program = m_dailies.start(words);
        const auto isOpen = [this] { return std::filesystem::exists(m_dailies.store()); };
        for (int tries = 0; tries < 3'000 && !isOpen(); ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        EXPECT_TRUE(isOpen());
        ::kill(program, SIGTERM);
        EXPECT_EQ(test::DailiesProgram::end(program, kToEnd), 0) << "with what it had to write written";
        const Json json = parseJson(readFile(settings()), "settings.json");
        return json.at("window").value("page", "");
    }
};

TEST_F(DesktopPage, IsTheOneThatWasLeftUnlessAnotherIsAskedFor) {
    EXPECT_EQ(pageAfter({}, "launch"), "launch");
    EXPECT_EQ(pageAfter({"--page", "cluster"}, "launch"), "cluster");
    EXPECT_EQ(pageAfter({"--page", "runs"}, "launch"), "runs") << "also where it is the usual one";
}

}  // namespace
