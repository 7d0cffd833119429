#include "tests/app/command_line_fixture.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>

#include <fcntl.h>

// An answer that could not be written is no success, and where JSON was asked for nothing else is written.

namespace {

using namespace dailies;
using testing::HasSubstr;

const std::string kSweep = DAILIES_SOURCE_FOLDER "/resources/presets/shapes-lr.yaml";

class StandardOutputOfCommands : public test::CommandLine {
protected:
    void SetUp() override {
        fillStore();
        addClosedCluster();
    }

    /// Every command that has an answer without a cluster.
    std::vector<std::vector<std::string>> answers() {
        const std::string id = m_dailies.json({"runs"})[0].at("run_id");
        return {{"launch", kSweep, "--cluster", "closed", "--print-script"},
                {"launch", kSweep, "--cluster", "closed", "--dry-run"},
                {"launch", kSweep, "--cluster", "closed", "--dry-run", "--format", "json"},
                {"--help"},
                {"--version"},
                {"runs", "--help"},
                {"runs"},
                {"runs", "--format", "json"},
                {"runs", "--format", "csv"},
                {"metrics", id, "loss"},
                {"metrics", id, "loss", "--format", "csv"},
                {"morning"},
                {"mirror"},
                {"clusters", "list"},
                {"clusters", "list", "--format", "json"},
                {"clusters", "test", "closed"},
                {"sandbox", "status"},
                {"import", write("a.csv", "step,loss\n1,0.5\n")},
                {"export", "--to", place("out.csv"), "--force"}};
    }
};

TEST_F(StandardOutputOfCommands, AFullDiskIsAFailureAndSaid) {
    for (const auto& words : answers()) {
        const auto answer = m_dailies.shell(m_dailies.command(words) + " >/dev/full");
        EXPECT_EQ(answer.status, 1) << join(words, " ");
        EXPECT_THAT(answer.err, HasSubstr("Cannot write to standard output: No space left on device"))
            << join(words, " ");
    }
}

TEST_F(StandardOutputOfCommands, APipeThatNobodyReadsIsAFailureAndSaid) {
    constexpr int kInherited = 9;
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::dup2(ends[1], kInherited), kInherited);
    ::close(ends[0]);
    ::close(ends[1]);
    for (const auto& words : answers()) {
        const auto answer = m_dailies.shell(m_dailies.command(words) + " >&9");
        EXPECT_EQ(answer.status, 1) << join(words, " ");
        EXPECT_THAT(answer.err, HasSubstr("Cannot write to standard output: Broken pipe"))
            << join(words, " ");
    }
    ::close(kInherited);
}

TEST_F(StandardOutputOfCommands, OneThatIsClosedIsNoOtherFile) {
    const auto before = readFile(m_dailies.store());
    const auto answer = m_dailies.shell(m_dailies.command({"runs"}) + " >&-");
    EXPECT_EQ(answer.status, 1);
    EXPECT_THAT(answer.err, HasSubstr("Cannot write to standard output"));
    EXPECT_EQ(readFile(m_dailies.store()), before);
}

TEST_F(StandardOutputOfCommands, WhereJsonIsAskedForThereIsOneDocumentOrNothing) {
    for (std::vector<std::string> words : std::vector<std::vector<std::string>>{
             {"runs", "--experiment", "nowhere"},
             {"runs", "--filter", "metrics.loss > 1e9"},
             {"metrics", "nobody", "loss"},
             {"clusters", "test", "closed"},
             {"clusters", "test", "nowhere"},
             {"cluster", "queue", "closed"},
             {"preflight", "closed"},
             {"files", "ls", "closed"},
             {"launch", kSweep, "--cluster", "closed"},
             {"launch", kSweep, "--cluster", "closed", "--check"},
             {"launch", kSweep, "--cluster", "closed", "--print-script"},
             {"launch", kSweep, kSweep, "--chain", "--cluster", "closed", "--dry-run"},
             {"sample", "nobody", "--prompt", "x"},
             {"score", "/nowhere.pt", "--runs", "nobody"},
             {"import", "/nowhere"},
             {"export", "nobody", "--to", place("x.csv")},
             {"publish", "nobody", "--to", "http://127.0.0.1:1"},
             {"check", "/nowhere.mp4"}}) {
        words.insert(words.end(), {"--format", "json"});
        const auto answer = m_dailies.run(words);
        if (answer.out.empty())
            EXPECT_NE(answer.status, 0) << join(words, " ");
        else
            EXPECT_FALSE(Json::parse(answer.out, nullptr, false).is_discarded())
                << join(words, " ") << answer.out;
    }
}

}  // namespace
