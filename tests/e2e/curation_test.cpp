#include "core/curation/curated_folder.h"
#include "core/tracking/curating_run.h"
#include "tests/core/curation/made_film.h"
#include "tests/e2e/sandbox_with_trainer.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>

// Films of a cluster become clips by a job array.

namespace {

using namespace dailies;
using testing::HasSubstr;
namespace fs = std::filesystem;
namespace tag = tracking::tag;

class Curation : public test::SandboxWithTrainer {
protected:
    static constexpr int kFilms = 4;

    static void SetUpTestSuite() {
        SandboxWithTrainer::SetUpTestSuite();
        if (HasFatalFailure()) return;
        for (int i = 0; i < kFilms; ++i) {
            curation::MadeFilm film;
            film.shot(curation::Scene(2 * i), 60, 2);
            film.shot(curation::Scene(2 * i + 1), 60, 2);
            film.write(films() / (std::to_string(i) + ".mp4"));
        }
        writeFileAtomically(films() / "broken.mp4", "no film at all");
    }

    static fs::path films() { return s_home->path() / "films"; }

    static std::string spec(const std::string& out, const std::string& more = {}) {
        const auto file = s_home->path() / "curation.yaml";
        writeFileAtomically(
            file, "name: harbour\nfilms: [" + films().string() +
                      "]\nout: " + (s_home->path() / out).string() +
                      "\nwrite_clips: true\nwrite_previews: true\nverdict: {min_side: 100}\ntasks: 2\n"
                      "resources: {memory: 500M, time_limit: \"0:10:00\"}\n" +
                      more);
        return file.string();
    }

    /// On this machine, by no cluster.
    static int curateAlone(const std::string& out, const std::string& words) {
        const auto rules = s_home->path() / "rules.json";
        writeFileAtomically(rules, R"({"verdict": {"min_side": 100}})");
        return std::system((shellQuote(DAILIES_BINARY_FOLDER "/dailies-train") + " curate " +
                            shellQuote(films().string()) + " --out " +
                            shellQuote((s_home->path() / out).string()) + " --config " +
                            shellQuote(rules.string()) + " " + words + " >/dev/null 2>&1")
                               .c_str());
    }

    static std::string list(const std::string& out) { return readFile(s_home->path() / out / "clips.jsonl"); }
};

TEST_F(Curation, TasksOfAClusterShareTheFilmsAndGiveWhatOneMachineGives) {
    ASSERT_EQ(curateAlone("alone", "--write-clips"), 0);

    const auto curated =
        s_dailies->run({"curate", spec("set"), "--cluster", "sandbox", "--wait", "--format", "json"});
    ASSERT_EQ(curated.status, 0) << curated.err;
    const auto summary = parseJson(curated.out, "summary");
    EXPECT_EQ(summary.at("films"), kFilms + 1);
    EXPECT_EQ(summary.at("clips"), 2 * kFilms);
    EXPECT_THAT(summary.at("failed").at(0).at("source").get<std::string>(), HasSubstr("broken.mp4"));
    EXPECT_EQ(list("set"), list("alone"));
    const fs::directory_iterator previews(s_home->path() / "set" / "previews");
    EXPECT_EQ(std::distance(fs::begin(previews), fs::end(previews)), 2 * kFilms);

    double decoded = 0;
    const auto runs = store().runs("curation");
    ASSERT_EQ(runs.size(), 2u);
    for (const auto& run : runs) {
        EXPECT_EQ(run.status, tracking::RunStatus::Finished);
        EXPECT_EQ(run.tags.at(tag::kCuratedFolder), (s_home->path() / "set").string());
        EXPECT_THAT(run.params.at("curation.task"), HasSubstr(" of 2"));
        if (const auto films = run.metrics.find("films"); films != run.metrics.end()) {
            decoded += films->second.value;
            EXPECT_GT(run.metrics.at("frames_per_second").value, 0);
        }
    }
    EXPECT_EQ(decoded, kFilms) << "each once";

    const auto extended = s_dailies->run({"extend", runs.front().id, "--steps", "10"});
    EXPECT_EQ(extended.status, 2);
    EXPECT_THAT(extended.err, HasSubstr("makes a dataset; it does not train"));

    // other rules: nothing is decoded again
    const auto again = s_dailies->run({"curate", spec("set", "cuts: {max_seconds: 1}\n"), "--cluster",
                                       "sandbox", "--tasks", "1", "--wait", "--format", "json"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_GT(parseJson(again.out, "summary").at("clips"), 2 * kFilms);
    for (const auto& run : store().runs("curation"))
        EXPECT_TRUE(run.params.at("curation.task") != "1 of 1" || !run.metrics.contains("films"));
}

TEST_F(Curation, ClipsGetCaptionsFromAServerThatEachTaskStarts) {
    const auto folder = s_home->path() / "described";
    ASSERT_EQ(curateAlone("described", "--write-clips"), 0);
    const auto asked = s_home->path() / "asked";
    fs::create_directories(asked);
    const auto file = s_home->path() / "captions.yaml";
    const auto server = shellQuote(DAILIES_SOURCE_FOLDER "/tests/core/captioning/caption_server.py");
    writeFileAtomically(file, "name: words\nfolder: " + folder.string() + "\nserve: exec python3 " + server +
                                  " ${port} \"$(mktemp -d " + asked.string() +
                                  "/XXXXXX)\"\nframes: 3\ntasks: 2\n"
                                  "resources: {memory: 500M, time_limit: \"0:10:00\"}\n");
    const auto plan = s_dailies->json({"caption", file.string(), "--cluster", "sandbox", "--dry-run"});
    EXPECT_THAT(plan.at("script").get<std::string>(), HasSubstr("\"$program\" caption --job"));

    const auto sent =
        s_dailies->run({"caption", file.string(), "--cluster", "sandbox", "--wait", "--format", "json"});
    ASSERT_EQ(sent.status, 0) << sent.err;
    const auto summary = parseJson(sent.out, "summary");
    EXPECT_EQ(summary.at("captioned"), summary.at("kept"));
    EXPECT_GT(summary.at("kept"), 0);
    for (const auto& clip : curation::loadCuratedFolder(folder).clips)
        EXPECT_EQ(clip.caption, "A camera moves over a place, in 3 pictures.");
    int requests = 0;
    for (const auto& entry : fs::recursive_directory_iterator(asked))
        requests += entry.path().extension() == ".json";
    EXPECT_EQ(requests, summary.at("kept")) << "the tasks share the clips";
    const auto runs = store().runs("curation");
    EXPECT_THAT(runs, testing::Contains(testing::Field(
                          &tracking::Run::params, testing::Contains(std::pair<const std::string, std::string>(
                                                      "captions.task", "2 of 2")))));

    writeFileAtomically(file, "name: words\nfolder: /nowhere\nserver: http://127.0.0.1:1/v1\n");
    const auto refused = s_dailies->run({"caption", file.string(), "--cluster", "sandbox"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("there is no /nowhere/clips.jsonl on the cluster sandbox"));
}

TEST_F(Curation, ClipsGetScoresByTasksThatShareThemAndRulesDropByThem) {
    const auto folder = s_home->path() / "scored";
    ASSERT_EQ(curateAlone("scored", "--write-clips"), 0);
    const auto scorer = s_home->path() / "brightness.pt", file = s_home->path() / "scores.yaml";
    ASSERT_EQ(
        std::system((shellQuote(DAILIES_BINARY_FOLDER "/save_brightness") + " " + shellQuote(scorer.string()))
                        .c_str()),
        0);
    writeFileAtomically(file, "name: looks\nfolder: " + folder.string() +
                                  "\nscorer: brightness.pt\nscore_name: light\nframes: 4\ntasks: 2\n"
                                  "resources: {memory: 500M, time_limit: \"0:10:00\"}\n");
    const auto plan = s_dailies->json({"score-clips", file.string(), "--cluster", "sandbox", "--dry-run"});
    EXPECT_THAT(plan.at("script").get<std::string>(), HasSubstr("\"$program\" score-clips --job"));
    const auto sent =
        s_dailies->run({"score-clips", file.string(), "--cluster", "sandbox", "--wait", "--format", "json"});
    ASSERT_EQ(sent.status, 0) << sent.err;
    std::vector<double> light;
    for (const auto& clip : curation::loadCuratedFolder(folder).clips)
        light.push_back(clip.scorerValues.at("light"));
    ASSERT_EQ(light.size(), std::size_t{2 * kFilms});
    EXPECT_GT(light[0], 0);
    double scored = 0;
    for (const auto& run : store().runs("curation"))
        if (run.params.contains("clip_scores.task") && run.metrics.contains("clips_scored"))
            scored += run.metrics.at("clips_scored").value;
    EXPECT_EQ(scored, 2 * kFilms) << "each once";

    // a copy of the folder has them, its rule drops by them, and the cluster gets the verdicts
    const auto copied = s_dailies->run({"datasets", "copy", folder.string(), "--cluster", "sandbox"});
    ASSERT_EQ(copied.status, 0) << copied.err;
    const fs::path copy = copied.out.substr(0, copied.out.find('\n'));
    auto rules = curation::loadCuratedFolder(copy).config.verdict;
    std::ranges::sort(light);
    rules.scores["light"].min = light[1];
    EXPECT_EQ(curation::saveChanges(copy, {.rules = rules}).summary.kept, 2 * kFilms - 1);
    const auto back = s_dailies->run({"datasets", "send", copy.string()});
    ASSERT_EQ(back.status, 0) << back.err;
    EXPECT_EQ(curation::keptClips(curation::loadCuratedFolder(folder)).size(), std::size_t{2 * kFilms - 1});
}

TEST_F(Curation, ACuratedFolderIsTrainedOnAsItsVerdictsAndCaptionsAre) {
    ASSERT_EQ(curateAlone("trained", ""), 0);
    const auto folder = s_home->path() / "trained";
    const auto clips = curation::keptClips(curation::loadCuratedFolder(folder));
    ASSERT_GT(clips.size(), 2U);
    curation::saveChanges(folder, {.rules = curation::loadCurationConfig(folder).verdict,
                                   .corrections = {{clips[0].id, curation::Correction::Drop}},
                                   .captions = {{clips[1].id, "a boat in a harbour"}}});
    const auto launched = train("footage", "optimizer.lr: {values: [0.01]}",
                                "steps: 20, data.source: folder, data.folder: \"" + folder.string() + "\"");
    ASSERT_EQ(launched.status, 0) << launched.err;
    const auto run = *store().run(runId(launched));
    EXPECT_EQ(run.status, tracking::RunStatus::Finished);
    EXPECT_TRUE(run.metrics.contains("loss"));
    std::string events;
    for (const auto& entry : fs::recursive_directory_iterator(s_home->path()))
        if (entry.path().filename() == "events.jsonl" &&
            entry.path().string().find(run.id) != std::string::npos)
            events = readFile(entry.path());
    EXPECT_THAT(events, HasSubstr("\"found\":" + std::to_string(clips.size() - 1)))
        << "the dropped one is not among them";
    EXPECT_FALSE(store().clips({run.id}).empty()) << "clips were sampled";
}

TEST_F(Curation, ClipsArePackedIntoShardsByAJobAndTrainedOn) {
    ASSERT_EQ(curateAlone("packed", ""), 0);
    const auto folder = s_home->path() / "packed", shards = s_home->path() / "shards";
    const auto file = s_home->path() / "shards.yaml";
    writeFileAtomically(file, "name: shards\nfolder: " + folder.string() + "\nout: " + shards.string() +
                                  "\nsize_mib: 1\nresources: {memory: 500M, time_limit: \"0:10:00\"}\n");
    const auto sent =
        s_dailies->run({"shard", file.string(), "--cluster", "sandbox", "--wait", "--format", "json"});
    ASSERT_EQ(sent.status, 0) << sent.err;
    EXPECT_TRUE(fs::exists(shards / "000000.tar"));
    const auto launched = train("packed", "optimizer.lr: {values: [0.01]}",
                                "steps: 20, data.source: webdataset, data.shards: [\"" + shards.string() +
                                    "\"], data.buckets: [\"4x16x16\"]");
    ASSERT_EQ(launched.status, 0) << launched.err;

    writeFileAtomically(file, "name: shards\nfolder: /nowhere\nout: /tmp/shards\n");
    const auto refused = s_dailies->run({"shard", file.string(), "--cluster", "sandbox"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("there is no /nowhere/clips.jsonl on the cluster sandbox"));
    writeFileAtomically(file, "name: shards\nfolder: /set\nout: /set\n");
    EXPECT_THAT(s_dailies->run({"shard", file.string(), "--cluster", "sandbox"}).err,
                HasSubstr("out: found the curated folder itself"));
}

TEST_F(Curation, ACuratedFolderIsCopiedAndItsVerdictsAreSent) {
    const auto folder = (s_home->path() / "there").string();
    ASSERT_EQ(curateAlone("there", "--write-previews"), 0);
    const auto copied = s_dailies->run({"datasets", "copy", folder, "--cluster", "sandbox"});
    ASSERT_EQ(copied.status, 0) << copied.err;
    const auto copy = copied.out.substr(0, copied.out.find('\n'));
    EXPECT_TRUE(fs::exists(copy + "/clips.jsonl")) << copied.out;
    const auto listed = [&] {  // among the copies that other tests made
        for (const auto& each : s_dailies->json({"datasets", "list"}))
            if (each.at("folder") == folder) return each;
        return Json();
    };
    ASSERT_TRUE(listed().is_object());
    EXPECT_EQ(listed().at("unsent"), false);
    EXPECT_GT(listed().at("clips"), 0);
    auto rules = curation::loadCuratedFolder(copy).config.verdict;
    rules.min_motion = 100;
    curation::saveChanges(copy, {rules});
    EXPECT_EQ(listed().at("unsent"), true);
    const auto sent = s_dailies->run({"datasets", "send", copy});
    ASSERT_EQ(sent.status, 0) << sent.err;
    EXPECT_EQ(curation::loadCurationConfig(folder).verdict.min_motion, 100);
    ASSERT_EQ(curateAlone("unchanged", ""), 0);
    const auto compared =
        s_dailies->json({"datasets", "compare", (s_home->path() / "unchanged").string(), folder});
    EXPECT_EQ(compared.at("after").at("kept"), 0) << "nothing moves as much as the new rules ask";
    EXPECT_THAT(compared.at("rules").dump(), HasSubstr("verdict.min_motion: 0.15"));
    EXPECT_EQ(s_dailies->run({"datasets", "copy", "/nowhere", "--cluster", "sandbox"}).status, 2);
    EXPECT_EQ(s_dailies->run({"datasets", "send", folder}).status, 2) << "it is no copy";
}

TEST_F(Curation, WhatCannotBeIsRefusedBeforeAnythingIsSent) {
    const auto runs = store().runs().size();
    const auto refused = [&](const std::string& file, const std::string& words) {
        const auto answer = s_dailies->run({"curate", file, "--cluster", "sandbox"});
        EXPECT_EQ(answer.status, 2) << words;
        EXPECT_THAT(answer.err, HasSubstr(words));
    };
    refused(spec("set", "verdicts: {}\n"), "verdicts: no such key; did you mean verdict?");
    refused(spec("set", "cuts: {max_seconds: long}\n"), "cuts.max_seconds");
    refused("/nowhere.yaml", "/nowhere.yaml");
    const auto file = s_home->path() / "elsewhere.yaml";
    writeFileAtomically(file, "name: x\nfilms: [/no/films]\nout: /tmp/x\n");
    refused(file.string(), "there is no /no/films on the cluster sandbox");
    writeFileAtomically(file, "name: x\nfilms: [films]\nout: /tmp/x\n");
    refused(file.string(), "expected absolute paths of the cluster");
    writeFileAtomically(file, "name: x\nfilms: /films\n");
    refused(file.string(), "out: found none, expected an absolute path of the cluster");
    EXPECT_EQ(store().runs().size(), runs);

    const auto plan =
        s_dailies->json({"curate", spec("set"), "--cluster", "sandbox", "--tasks", "3", "--dry-run"});
    EXPECT_EQ(plan.at("tasks"), 3);
    EXPECT_THAT(plan.at("script").get<std::string>(), HasSubstr("\"$program\" curate --job"));
    EXPECT_THAT(plan.at("script").get<std::string>(), HasSubstr("--array=0-2%3"));
}

}  // namespace
