#include "tests/app/command_line_fixture.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>

// An option of the program means the same before a command as behind it.

namespace {

using namespace dailies;
using test::CommandLine;
using testing::HasSubstr;

class SharedOptions : public CommandLine {
protected:
    /// The commands that a help text lists.
    std::vector<std::string> commandsIn(const std::string& help) const {
        std::vector<std::string> commands;
        bool listing = false;
        for (const auto& line : split(help, '\n')) {
            if (line == "Subcommands:")
                listing = true;
            else if (listing && line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
                commands.push_back(line.substr(2, line.find(' ', 2) - 2));
        }
        return commands;
    }

    void eachCommand(
        std::vector<std::string> words,
        const std::function<void(const std::vector<std::string>&, const std::string& help)>& take) {
        auto asked = words;
        asked.push_back("--help");
        const auto help = m_dailies.run(asked).out;
        const auto below = commandsIn(help);
        if (below.empty()) return take(words, help);
        words.emplace_back();
        for (const auto& command : below) {
            words.back() = command;
            eachCommand(words, take);
        }
    }
};

TEST_F(SharedOptions, TheStoreMayBeNamedBeforeTheCommand) {
    const auto file = write("a.csv", "step,loss\n1,0.5\n");
    const auto store = place("other.db");
    EXPECT_EQ(m_dailies.run({"--store", store, "import", file}).status, 0);
    EXPECT_FALSE(std::filesystem::exists(m_dailies.store())) << "nothing goes to the usual one";
    EXPECT_EQ(m_dailies.json({"--store", store, "runs"}).size(), 1u);
    EXPECT_EQ(m_dailies.json({"runs", "--store", store}).size(), 1u);
    EXPECT_EQ(m_dailies.json({"runs"}).size(), 0u);
}

TEST_F(SharedOptions, EveryCommandTakesThemOrRefusesThem) {
    int commands = 0, withStore = 0;
    eachCommand({}, [&](const std::vector<std::string>& words, const std::string& help) {
        for (const std::string option : {"--store", "--cluster", "--log-level"}) {
            std::vector<std::string> before{option, option == "--log-level" ? "debug" : "x"};
            before.insert(before.end(), words.begin(), words.end());
            before.push_back("--help");
            const auto answer = m_dailies.run(before);
            const bool takes = help.find("  " + option + " ") != std::string::npos;
            EXPECT_EQ(answer.status, takes ? 0 : 2) << join(before, " ");
            if (!takes) {
                EXPECT_THAT(answer.err,
                            HasSubstr("`dailies " + join(words, " ") + "` does not take " + option));
            }
            EXPECT_TRUE(takes || option != "--log-level") << "every command takes it";
            ++commands;
            withStore += takes && option == "--store";
        }
    });
    EXPECT_GT(commands, 60);
    EXPECT_GT(withStore, 20);
}

TEST_F(SharedOptions, ACommandsOwnRulesHoldForThem) {
    const auto twice = m_dailies.run({"--store", place("a.db"), "runs", "--store", place("b.db")});
    EXPECT_EQ(twice.status, 2);
    EXPECT_THAT(twice.err, HasSubstr("--store"));
    const auto excluded = m_dailies.run({"--cluster", "lab", "launch", "--again", "x"});
    EXPECT_EQ(excluded.status, 2);
    EXPECT_THAT(excluded.err, HasSubstr("--cluster"));
    addClosedCluster();
    const auto chosen =
        m_dailies.run({"--cluster", "nowhere", "launch",
                       DAILIES_SOURCE_FOLDER "/resources/presets/shapes-lr.yaml", "--dry-run"});
    EXPECT_EQ(chosen.status, 2);
    EXPECT_THAT(chosen.err, HasSubstr("nowhere"));
}

#ifdef DAILIES_WITH_UI
TEST_F(SharedOptions, WhatOnlyTheWindowKnowsIsRefused) {
    const auto answer = m_dailies.run({"--page", "review", "runs"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("does not take --page"));
}
#endif

}  // namespace
