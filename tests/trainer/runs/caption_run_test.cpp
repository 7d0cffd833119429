#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "tests/core/curation/made_film.h"
#include "tests/support/folders.h"
#include "tests/trainer/runs/trainer_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class CaptionVerb : public testing::Test {
protected:
    static constexpr int kClips = 6;

    CaptionVerb() {
        curation::MadeFilm film;
        for (int i = 0; i < kClips; ++i) film.shot(curation::Scene(i), 60, 2);
        film.write(path("films") / "film.mp4");
        writeFileAtomically(path("rules.json"),
                            R"({"verdict": {"min_side": 100, "drop_duplicates": false}})");
        EXPECT_EQ(run({"curate", path("films").string(), "--out", path("set").string(), "--config",
                       path("rules.json").string(), "--write-clips"}),
                  0)
            << output();
    }

    fs::path path(const std::string& name) const { return m_folder.path() / name; }
    std::string output() const { return readFile(path("output.txt")); }

    int run(const std::vector<std::string>& words) const {
        return TrainerProcess(words, path("output.txt")).wait();
    }

    /// A server that keeps what it is asked in the folder `name`.
    std::string serveCommand(const std::string& name, const Json& answers = Json::array()) const {
        fs::create_directories(path(name));
        writeFileAtomically(path(name) / "answers.json", answers.dump());
        return "exec python3 " +
               shellQuote(std::string(DAILIES_SOURCE_FOLDER) + "/tests/core/captioning/caption_server.py") +
               " ${port} " + shellQuote(path(name).string());
    }

    int requestsIn(const std::string& name) const {
        int count = 0;
        for (const auto& entry : fs::directory_iterator(path(name)))
            count += entry.path().filename().string().starts_with("request-") &&
                     entry.path().extension() == ".json";
        return count;
    }

    void waitForRequests(const std::string& name, int count) const {
        const auto until = std::chrono::steady_clock::now() + 60s;
        while (requestsIn(name) < count) {
            ASSERT_LT(std::chrono::steady_clock::now(), until) << output();
            std::this_thread::sleep_for(5ms);
        }
    }

private:
    TemporaryFolder m_folder;
};

TEST_F(CaptionVerb, KilledAtAnyMomentItGoesOnAndTheCaptionsReachTheShards) {
    const Json slow(5, Json{{"seconds", 0.2}});
    {
        const TrainerProcess process({"caption", path("set").string(), "--serve", serveCommand("first", slow),
                                      "--parallel", "1", "--frames", "2"},
                                     path("output.txt"));
        waitForRequests("first", 3);
        process.signal(SIGKILL);
    }
    const int before = requestsIn("first");
    EXPECT_LT(before, kClips);
    const auto again = serveCommand("second");
    ASSERT_EQ(run({"caption", path("set").string(), "--serve", again, "--frames", "2"}), 0) << output();
    EXPECT_THAT(output(), HasSubstr("6 of 6 clips have a caption"));
    EXPECT_EQ(requestsIn("second"), kClips - before + 1) << "but for the one that was under way";

    ASSERT_EQ(run({"shard", path("set").string(), "--out", path("shards").string()}), 0) << output();
    int captions = 0;
    for (const auto& entry : fs::directory_iterator(path("shards"))) {
        if (entry.path().extension() != ".tar") continue;
        const auto texts =
            runProcess({"tar", "-xO", "--wildcards", "*.txt", "-f", entry.path().string()}).out;
        for (auto at = texts.find("in 2 pictures"); at != std::string::npos;
             at = texts.find("in 2 pictures", at + 1))
            ++captions;
    }
    EXPECT_EQ(captions, kClips);
}

TEST_F(CaptionVerb, AsAJobItTellsItsRunAndEndsWhenItIsAsked) {
    fs::create_directories(path("run"));
    Json job = {{"folder", path("set").string()},
                {"serve", serveCommand("server", Json(1, Json{{"seconds", 60}}))},
                {"shared_by", "ab12"}};
    writeFileAtomically(path("run") / "config.json", job.dump());
    const std::vector<std::string> words = {"caption", "--job", (path("run") / "config.json").string()};
    {
        TrainerProcess process(words, path("output.txt"));
        waitForRequests("server", 1);
        process.signal(SIGTERM);
        EXPECT_EQ(process.wait(), 0) << output();
    }
    const auto events = [&] { return readFile(path("run") / "events.jsonl"); };
    EXPECT_THAT(events(), AllOf(HasSubstr(R"("status":"stopped")"), HasSubstr("SIGTERM")));
    job["serve"] = serveCommand("next");
    writeFileAtomically(path("run") / "config.json", job.dump());
    EXPECT_EQ(run(words), 0) << output();
    EXPECT_THAT(events(),
                AllOf(HasSubstr("6 of 6 clips have a caption"), HasSubstr(R"("status":"finished")")));
    EXPECT_FALSE(fs::exists(path("set") / "server.log")) << "it goes to the run's folder";
}

TEST_F(CaptionVerb, SaysWhatIsWrongWithItsWords) {
    EXPECT_EQ(run({"caption", path("set").string()}), 2);
    EXPECT_THAT(output(), HasSubstr("in serve a command that starts one"));
    EXPECT_EQ(run({"caption", path("set").string(), "--frames", "many"}), 2);
    EXPECT_THAT(output(), HasSubstr("--frames: found \"many\", expected a number"));
    EXPECT_EQ(run({"caption", path("nowhere").string(), "--server", "http://127.0.0.1:1/v1"}), 2);
    EXPECT_THAT(output(), HasSubstr("There is no folder"));
}

}  // namespace
}  // namespace dailies::trainer
