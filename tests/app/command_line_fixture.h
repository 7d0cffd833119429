#pragma once

#include "tests/support/dailies_program.h"
#include "tests/support/demo_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace dailies::test {

/// The real program with a home of its own.
class CommandLine : public testing::Test {
protected:
    /// Four finished runs of a sweep over the learning rate.
    void fillStore() {
        const auto demo = makeDemoStore(m_home.path() / "data" / "dailies",
                                        {.prompts = 1, .samples = 1, .frames = 2, .scale = 1});
        std::filesystem::rename(demo.file, m_dailies.store());
    }

    /// A cluster where nothing answers.
    void addClosedCluster() {
        ASSERT_EQ(m_dailies.run({"clusters", "add", "closed", "--host", "127.0.0.1", "--port", "1"}).status,
                  0);
    }

    std::string place(const std::string& name) const { return (m_home.path() / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        writeFileAtomically(m_home.path() / name, text);
        return place(name);
    }

    TemporaryFolder m_home{"dailies-cli"};
    DailiesProgram m_dailies{m_home.path()};
};

}  // namespace dailies::test
