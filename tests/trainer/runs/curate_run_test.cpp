#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/core/curation/made_film.h"
#include "tests/trainer/runs/trainer_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <sstream>
#include <thread>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

std::vector<fs::path> jsonFilesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(folder, missing))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    return files;
}

/// Whether all of its threads have heard of SIGSTOP.
bool isStopped(pid_t process) {
    for (const auto& thread : fs::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
        const auto stat = readFile(thread.path() / "stat");
        if (stat[stat.rfind(')') + 2] != 'T') return false;
    }
    return true;
}

class CurateVerb : public testing::Test {
protected:
    static constexpr int kFilms = 6;

    CurateVerb() {
        curation::MadeFilm film;
        for (int i = 0; i < 4; ++i) film.shot(curation::Scene(i), 100, 2);
        film.write(path("films") / "0.mp4");
        for (int i = 1; i < kFilms; ++i)
            fs::copy_file(path("films") / "0.mp4", path("films") / (std::to_string(i) + ".mp4"));
    }

    fs::path path(const std::string& name) const { return m_folder.path() / name; }

    TrainerProcess start(const std::string& out, std::vector<std::string> more = {}) const {
        std::vector<std::string> words = {
            "curate", path("films").string(), "--out", path(out).string(), "--threads", "1"};
        words.insert(words.end(), more.begin(), more.end());
        return TrainerProcess(words, path(out + ".txt"));
    }

    std::string output(const std::string& out) const { return readFile(path(out + ".txt")); }
    std::string list(const std::string& out) const { return readFile(path(out) / "clips.jsonl"); }

private:
    TemporaryFolder m_folder;
};

TEST_F(CurateVerb, KilledAtAnyMomentItGoesOnAndWritesTheSameBytes) {
    ASSERT_EQ(start("whole").wait(), 0) << output("whole");
    EXPECT_THAT(output("whole"), HasSubstr("24 clips"));
    std::map<fs::path, fs::file_time_type> kept;
    for (const std::size_t films : {1U, 3U}) {
        const auto process = start("killed");
        const auto until = std::chrono::steady_clock::now() + 60s;
        while (jsonFilesIn(path("killed") / "films").size() < films) {
            ASSERT_LT(std::chrono::steady_clock::now(), until);
            std::this_thread::sleep_for(1ms);
        }
        process.signal(SIGKILL);
    }
    EXPECT_FALSE(fs::exists(path("killed") / "clips.jsonl")) << "the kills came before the end";
    for (const auto& file : jsonFilesIn(path("killed") / "films")) kept[file] = fs::last_write_time(file);
    EXPECT_GE(kept.size(), 3U);
    EXPECT_LT(kept.size(), std::size_t{kFilms});
    ASSERT_EQ(start("killed").wait(), 0) << output("killed");
    for (const auto& [file, time] : kept)
        EXPECT_EQ(fs::last_write_time(file), time) << file << " was made again";
    EXPECT_EQ(list("killed"), list("whole"));
    EXPECT_EQ(readFile(path("killed") / "summary.json"), readFile(path("whole") / "summary.json"));
}

TEST_F(CurateVerb, TasksOfAJobShareTheFilmsAndTakeOverWhatADeadOneLeft) {
    const Json rules = {{"verdict", {{"min_side", 100}, {"drop_duplicates", false}}}};
    writeFileAtomically(path("rules.json"), rules.dump());
    ASSERT_EQ(start("alone", {"--config", path("rules.json").string(), "--write-clips"}).wait(), 0);
    const auto task = [&](const std::string& name) {
        const Json job = {{"films", {path("films").string()}},
                          {"out", path("set").string()},
                          {"config", rules},
                          {"write_clips", true},
                          {"shared_by", "ab12"}};
        fs::create_directories(path(name));
        writeFileAtomically(path(name) / "config.json", job.dump());
        return TrainerProcess({"curate", "--job", (path(name) / "config.json").string()},
                              path(name + ".txt"));
    };
    const auto claims = path("set") / "films" / "shared-ab12";
    const auto claimOf = [&](const TrainerProcess& process) {
        std::error_code missing;
        for (const auto& entry : fs::directory_iterator(claims, missing))
            if (entry.path().extension() == ".claim" &&
                readFile(entry.path()).ends_with(" " + std::to_string(process.pid()) + "\n"))
                return entry.path();
        return fs::path();
    };
    const auto until = std::chrono::steady_clock::now() + 60s;
    auto dead = task("dead");
    while (claimOf(dead).empty()) {
        ASSERT_LT(std::chrono::steady_clock::now(), until);
        std::this_thread::sleep_for(1ms);
    }
    dead.signal(SIGSTOP);  // so that it ends nothing while it is looked at
    while (!isStopped(dead.pid())) {
        ASSERT_LT(std::chrono::steady_clock::now(), until);
        std::this_thread::sleep_for(1ms);
    }
    const auto left = claimOf(dead);
    ASSERT_FALSE(left.empty());
    dead.signal(SIGKILL);
    const auto done = jsonFilesIn(path("set") / "films").size();
    auto first = task("first"), second = task("second");
    std::this_thread::sleep_for(2s);
    EXPECT_TRUE(fs::exists(left)) << "its owner may be at work for all that the others know";
    fs::last_write_time(left, fs::file_time_type::clock::now() - 2min);
    EXPECT_EQ(first.wait(), 0) << output("first");
    EXPECT_EQ(second.wait(), 0) << output("second");
    EXPECT_EQ(list("set"), list("alone"));
    EXPECT_EQ(readFile(path("set") / "summary.json"), readFile(path("alone") / "summary.json"));
    for (const auto& entry : fs::directory_iterator(path("alone") / "clips"))
        EXPECT_EQ(readFile(path("set") / "clips" / entry.path().filename()), readFile(entry.path()));
    double films = 0;
    for (const auto* name : {"first", "second"}) {
        const auto events = readFile(path(name) / "events.jsonl");
        EXPECT_THAT(events, HasSubstr(R"("status":"finished")"));
        EXPECT_THAT(events, HasSubstr("24 kept"));
        EXPECT_THAT(events, HasSubstr("tasks: the busiest took")) << "beside equal shares";
        double own = 0;
        std::istringstream lines(events);
        for (std::string line; std::getline(lines, line);)
            if (const auto event = parseJson(line, name); event.at("type") == "metrics") {
                own = std::max(own, event.at("values").at("films").get<double>());
                EXPECT_GT(event.at("values").value("frames_per_second", 1.0), 0);
            }
        EXPECT_GE(own, 1) << name << " had its share";
        films += own;
    }
    EXPECT_EQ(films + static_cast<double>(done), kFilms) << "none was decoded twice";
}

TEST_F(CurateVerb, AConfigDecidesAndASignalLeavesWhatWasDone) {
    writeFileAtomically(path("rules.json"), R"({"verdict": {"min_side": 100, "drop_duplicates": false}})");
    auto process = start("out", {"--config", path("rules.json").string()});
    while (jsonFilesIn(path("out") / "films").empty()) std::this_thread::sleep_for(1ms);
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait(), 1);
    EXPECT_THAT(output("out"), HasSubstr("curate was ended by SIGTERM"));
    ASSERT_EQ(start("out", {"--config", path("rules.json").string()}).wait(), 0) << output("out");
    EXPECT_THAT(output("out"), HasSubstr("24 kept"));
    ASSERT_EQ(start("out").wait(), 0) << output("out");
    EXPECT_THAT(output("out"), HasSubstr("24 kept")) << "a folder keeps its rules";
    ASSERT_EQ(start("other").wait(), 0) << output("other");
    EXPECT_THAT(output("other"), HasSubstr("0 kept")) << "144 rows are fewer than the 256 of the default";
}

TEST_F(CurateVerb, ShardsOfItAreTheSameHoweverOftenTheyAreKilled) {
    writeFileAtomically(path("rules.json"), R"({"verdict": {"min_side": 100, "drop_duplicates": false}})");
    ASSERT_EQ(start("set", {"--config", path("rules.json").string()}).wait(), 0) << output("set");
    const auto shard = [&](const char* into, std::vector<std::string> more = {}) {
        std::vector<std::string> words = {"shard", path("set").string(), "--out", path(into).string()};
        words.insert(words.end(), more.begin(), more.end());
        return TrainerProcess(words, path(into).string() + ".txt");
    };
    const auto tars = [&](const char* into) {
        std::map<std::string, std::string> found;
        for (const auto& entry : fs::directory_iterator(path(into)))
            if (entry.is_regular_file()) found[entry.path().filename().string()] = readFile(entry.path());
        return found;
    };
    ASSERT_EQ(shard("whole", {"--size-mib", "1"}).wait(), 0) << output("whole");
    EXPECT_THAT(output("whole"), HasSubstr("24 clips in "));
    for (int kill = 0; kill < 4; ++kill) {
        const auto process = shard("killed", {"--size-mib", "1", "--threads", "1"});
        const auto encoded = [&] {
            std::error_code gone;
            std::ptrdiff_t count = 0;
            for (fs::directory_iterator at(path("killed") / ".encoded", gone), end; !gone && at != end;
                 at.increment(gone))
                ++count;
            return count;
        };
        const auto until = std::chrono::steady_clock::now() + 60s;
        while (encoded() < 1 && std::chrono::steady_clock::now() < until &&
               !fs::exists(path("killed") / "index.json"))
            std::this_thread::sleep_for(1ms);
        process.signal(SIGKILL);
    }
    ASSERT_EQ(shard("killed", {"--size-mib", "1"}).wait(), 0) << output("killed");
    EXPECT_EQ(tars("killed"), tars("whole"));
    EXPECT_EQ(shard("a", {"--size-mib", "0"}).wait(), 2);
    EXPECT_THAT(output("a"), HasSubstr("--size-mib: found \"0\", expected 1 to"));
    EXPECT_EQ(shard("b", {"--sise", "1"}).wait(), 2);
    EXPECT_EQ(TrainerProcess({"shard", path("set").string()}, path("c.txt")).wait(), 2);
    EXPECT_THAT(output("c"), HasSubstr("--out is missing"));
}

TEST_F(CurateVerb, WordsThatMakeNoSenseAreRefusedWithWhatWould) {
    EXPECT_EQ(start("a", {"--treads", "2"}).wait(), 2);
    EXPECT_THAT(output("a"), HasSubstr("--treads"));
    EXPECT_EQ(start("b", {"--threads", "0"}).wait(), 2);
    EXPECT_EQ(start("c", {"--config"}).wait(), 2);
    EXPECT_EQ(TrainerProcess({"curate", path("films").string()}, path("d.txt")).wait(), 2);
    EXPECT_THAT(readFile(path("d.txt")), HasSubstr("--out is missing"));
    EXPECT_EQ(TrainerProcess({"curate", "--out", path("d").string()}, path("e.txt")).wait(), 2);
    EXPECT_EQ(
        TrainerProcess({"curate", path("none").string(), "--out", path("d").string()}, path("f.txt")).wait(),
        2);
    EXPECT_THAT(readFile(path("f.txt")), HasSubstr((path("none")).string()));
}

}  // namespace
}  // namespace dailies::trainer
