#include "core/captioning/caption_clips.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/curation/curate.h"
#include "core/curation/curated_folder.h"
#include "tests/core/captioning/running_caption_server.h"
#include "tests/core/curation/made_film.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <thread>

namespace dailies::captioning {
namespace {

namespace fs = std::filesystem;
using curation::Caption;
using curation::CaptionStatus;
using curation::MadeFilm;
using curation::Scene;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr CaptionLimits kImpatient{.start = std::chrono::seconds(20), .patience = std::chrono::seconds(2)};

std::string fromBase64(const std::string& text) {
    static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
        if (c == '=') break;
        bits = bits << 6 | static_cast<unsigned>(kDigits.find(c));
        if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
    }
    return bytes;
}

/// Three clips of a red, a green and a blue film, each kept, and a still one that is dropped.
class CaptionClips : public testing::Test {
protected:
    CaptionClips() {
        for (int i = 0; i < 3; ++i) coloredFilm(i).write(films() / (std::to_string(i) + ".mp4"));
        MadeFilm still;
        still.shot(Scene(3).frame(0, 0, 0), 60);
        still.write(films() / "still.mp4");
        curateAgain();
        job.folder = out().string();
        job.parallel = 1;
        job.settings.frames = 4;
    }

    static MadeFilm coloredFilm(int channel) {
        MadeFilm film;
        film.shot(Scene(channel + 1), 60, 2);
        for (auto& frame : film.frames)
            for (std::size_t i = 0; i < frame.rgb.size(); ++i)
                if (i % 3 != static_cast<std::size_t>(channel)) frame.rgb[i] /= 8;
        return film;
    }

    void curateAgain(bool writeClips = true) {
        curation::CurateOptions options;
        options.films = {films()};
        options.out = out();
        options.config.verdict.min_side = 100;
        options.config.verdict.drop_duplicates = false;
        options.config.verdict.min_luma = options.config.verdict.min_contrast = 0;
        options.config.verdict.min_sharpness = 0;
        options.writeClips = writeClips;
        curated = curation::curate(options, [](const curation::CurateProgress&) {});
    }

    CaptionSummary run(const RunningCaptionServer& server, const std::stop_token& stop = {}) {
        job.server = server.url();
        return captionClips(
            job, m_folder.path() / "log", [this](const CaptionProgress& progress) { told += progress.told; },
            stop, kImpatient);
    }

    std::string problem(const std::string& url) {
        job.server = url;
        try {
            captionClips(
                job, m_folder.path() / "log", [](const CaptionProgress&) {}, {}, kImpatient);
        } catch (const Error& error) {
            return error.full();
        }
        return "none";
    }

    /// By film: "0.mp4" → caption.
    std::map<std::string, std::string> captionsInList() const {
        std::map<std::string, std::string> found;
        for (const auto& clip : curation::loadCuratedFolder(out()).clips)
            found[fs::path(clip.source).filename().string()] = clip.caption;
        return found;
    }

    std::string idOf(const std::string& film) const {
        for (const auto& clip : curation::loadCuratedFolder(out()).clips)
            if (fs::path(clip.source).filename() == film) return clip.id;
        return {};
    }

    /// The mean color of a picture that a request holds.
    std::vector<double> colorOf(const std::string& url) const {
        const std::string kHead = "data:image/jpeg;base64,";
        EXPECT_THAT(url, testing::StartsWith(kHead));
        const auto file = m_folder.path() / "picture.jpg";
        writeFileAtomically(file, fromBase64(url.substr(kHead.size())));
        const auto frame = video::ClipReader(file).frame(0);
        EXPECT_EQ(std::max(frame.width, frame.height), std::min(job.settings.maxSide, Scene::kWidth));
        std::vector<double> sums(3);
        for (std::size_t i = 0; i < frame.rgb.size(); ++i) sums[i % 3] += frame.rgb[i];
        for (auto& sum : sums) sum /= frame.width * frame.height;
        return sums;
    }

    fs::path films() const { return m_folder.path() / "films"; }
    fs::path out() const { return m_folder.path() / "set"; }

    CaptionJob job;
    curation::ClipListSummary curated;
    std::string told;

private:
    TemporaryFolder m_folder;
};

TEST_F(CaptionClips, EachKeptClipIsDescribedByItsOwnPictures) {
    const RunningCaptionServer server(
        Json::array({{{"text", "Red."}}, {{"text", "Green."}}, {{"text", "Blue."}}}));
    job.settings.maxSide = 96;
    const auto summary = run(server);
    EXPECT_EQ(summary.asked, 3U);
    EXPECT_EQ(summary.captioned, 3U);
    EXPECT_THAT(summary.text(), HasSubstr("3 of 3 clips have a caption; 3 asked for now"));

    const auto requests = server.requests();
    ASSERT_THAT(requests, SizeIs(3)) << "the still one is dropped";
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(requests[i].at("path"), "/v1/chat/completions");
        const auto& body = requests[i].at("body");
        EXPECT_EQ(body.at("model"), "describer") << "the one that the server names";
        EXPECT_EQ(body.at("max_tokens"), 256);
        const auto& content = body.at("messages").at(0).at("content");
        ASSERT_THAT(content, SizeIs(5)) << "the prompt and four pictures";
        EXPECT_THAT(content.at(0).at("text"), HasSubstr("Describe this video"));
        std::set<std::string> pictures;
        for (std::size_t n = 1; n < content.size(); ++n) {
            const std::string url = content.at(n).at("image_url").at("url");
            pictures.insert(url);
            const auto color = colorOf(url);
            for (const auto channel : {(i + 1) % 3, (i + 2) % 3})
                EXPECT_GT(color[i], 2 * color[channel]) << "picture " << n << " of clip " << i;
        }
        EXPECT_THAT(pictures, SizeIs(4)) << "of four moments";
    }
    EXPECT_THAT(captionsInList(), ElementsAre(std::pair("0.mp4", "Red."), std::pair("1.mp4", "Green."),
                                              std::pair("2.mp4", "Blue."), std::pair("still.mp4", "")));
    EXPECT_EQ(readFile(out() / "clips" / (idOf("1.mp4") + ".txt")), "Green.");
}

TEST_F(CaptionClips, AreNotAskedForTwiceAndOutliveCuration) {
    const RunningCaptionServer server;
    run(server);
    const auto before = captionsInList();
    EXPECT_EQ(run(server).asked, 0U);
    EXPECT_THAT(server.requests(), SizeIs(3));
    curateAgain();
    EXPECT_EQ(captionsInList(), before);
    EXPECT_EQ(curated.captioned, 3);
    job.settings.prompt = "What moves?";
    EXPECT_EQ(run(server).asked, 0U) << "they have captions";
    job.again = true;
    EXPECT_EQ(run(server).asked, 3U);
    EXPECT_EQ(run(server).asked, 0U) << "the same words, and answered";
}

TEST_F(CaptionClips, PicturesComeFromTheFilmWhereAClipHasNoFile) {
    curateAgain(/*writeClips=*/false);
    fs::remove_all(out() / "clips");
    const RunningCaptionServer server;
    EXPECT_EQ(run(server).captioned, 3U);
    const std::string url = server.requests()[2].at("body")["messages"][0]["content"][1]["image_url"]["url"];
    EXPECT_GT(colorOf(url)[2], 2 * colorOf(url)[0]);
    EXPECT_FALSE(fs::exists(out() / "clips")) << "no text without a file";
}

TEST_F(CaptionClips, OfNoUseAreCountedAndAskedForAgainWithOtherSettings) {
    const RunningCaptionServer server(Json::array({{{"text", "I'm sorry, I can't describe people."}},
                                                   {{"text", "A place that"}, {"finish", "length"}}}));
    const auto summary = run(server);
    EXPECT_EQ(summary.captioned, 1U);
    EXPECT_THAT(summary.text(), AllOf(HasSubstr("refused: 1"), HasSubstr("truncated: 1")));
    EXPECT_EQ(captionsInList().at("0.mp4"), "");
    EXPECT_EQ(run(server).asked, 0U) << "it would say the same";
    job.settings.maxTokens = 512;
    EXPECT_EQ(run(server).asked, 2U);
    EXPECT_THAT(captionsInList().at("0.mp4"), HasSubstr("in 4 pictures"));
}

TEST_F(CaptionClips, AClipThatIsNotAcceptedFailsAloneAndIsTriedAgainNextTime) {
    const RunningCaptionServer server(
        Json::array({{{"status", 400}, {"text", "the prompt is longer than 4096 tokens"}}}));
    const auto summary = run(server);
    EXPECT_EQ(summary.captioned, 2U);
    EXPECT_THAT(summary.text(), HasSubstr("failed: 1"));
    EXPECT_THAT(told, AllOf(HasSubstr(idOf("0.mp4")), HasSubstr("longer than 4096 tokens")));
    EXPECT_EQ(run(server).asked, 1U);
    EXPECT_EQ(curation::loadCaptions(out()).at(idOf("0.mp4")).status, CaptionStatus::Written);
}

TEST_F(CaptionClips, AFilmThatIsGoneFailsAlone) {
    curateAgain(/*writeClips=*/false);
    fs::remove_all(out() / "clips");
    fs::remove(films() / "1.mp4");
    const RunningCaptionServer server;
    EXPECT_EQ(run(server).captioned, 2U);
    EXPECT_THAT(told, HasSubstr("1.mp4"));
}

TEST_F(CaptionClips, ABusyServerIsWaitedFor) {
    const RunningCaptionServer server(Json::array({{{"status", 429}}, {{"status", 503}}}));
    EXPECT_EQ(run(server).captioned, 3U);
    EXPECT_THAT(server.requests(), SizeIs(5));
}

TEST_F(CaptionClips, AServerThatIsAwayIsNamedAndNothingIsLost) {
    RunningCaptionServer server(Json::array({Json::object(),
                                             {{"status", 500}, {"text", "out of memory"}},
                                             {{"status", 500}},
                                             {{"status", 500}},
                                             {{"status", 500}},
                                             {{"status", 500}},
                                             {{"status", 500}}}));
    EXPECT_THAT(problem(server.url()),
                AllOf(HasSubstr("The caption server " + server.url() + " could not be reached for 2 s"),
                      HasSubstr("status 500"), HasSubstr("start the server again")));
    server.stop();
    const RunningCaptionServer next;
    EXPECT_EQ(run(next).asked, 2U) << "one was kept";
    EXPECT_THAT(captionsInList(), SizeIs(4));
    EXPECT_THAT(problem("http://127.0.0.1:1/v1"), "none") << "nothing needs it any more";
}

TEST_F(CaptionClips, WhatNoRequestCanMendEndsTheWorkAtOnce) {
    const RunningCaptionServer locked(Json::array({{{"status", 401}, {"text", "no key"}}}));
    EXPECT_THAT(problem(locked.url()), AllOf(HasSubstr("no key"), HasSubstr("Set OPENAI_API_KEY")));
    EXPECT_THAT(problem(locked.url() + "/wrong"), HasSubstr("mostly ends in /v1"));
    EXPECT_THAT(locked.requests(), SizeIs(1));
}

TEST_F(CaptionClips, TheKeyOfTheEnvironmentIsSentAndKeptNowhere) {
    ::setenv("OPENAI_API_KEY", "sk-not-for-disks", 1);
    const RunningCaptionServer server;
    run(server);
    ::unsetenv("OPENAI_API_KEY");
    EXPECT_EQ(server.requests()[0].at("authorization"), "Bearer sk-not-for-disks");
    for (const auto& entry : fs::recursive_directory_iterator(out())) {
        const auto text = entry.is_regular_file() ? readFile(entry.path()) : std::string();
        EXPECT_EQ(text.find("sk-not-for-disks"), std::string::npos) << entry.path();
    }
}

TEST_F(CaptionClips, AProxyOfTheClusterDoesNotStandBeforeItsOwnNodes) {
    ::setenv("http_proxy", "http://127.0.0.1:1", 1);
    const RunningCaptionServer server;
    EXPECT_EQ(run(server).captioned, 3U);
    ::unsetenv("http_proxy");
}

TEST_F(CaptionClips, StoppedTheyGoOnWhereTheyWere) {
    const RunningCaptionServer server(Json::array({Json::object(), {{"seconds", 30}}}));
    std::stop_source stop;
    const std::jthread later([&] {
        while (server.requests().size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        stop.request_stop();
    });
    EXPECT_THROW(run(server, stop.get_token()), Cancelled);
    EXPECT_THAT(curation::loadCaptions(out()), SizeIs(1));
    // as a process leaves it that dies while it writes
    for (const auto& entry : fs::directory_iterator(out() / "captions"))
        std::ofstream(entry.path(), std::ios::app) << R"({"id": "x", "capt)";
    EXPECT_EQ(run(server).asked, 2U);
    EXPECT_EQ(curated.kept, 3);
    EXPECT_EQ(curation::loadCaptions(out()).size(), 3U);
}

TEST_F(CaptionClips, ByHandStayWhateverIsAsked) {
    curation::saveCaptions(out(), {{idOf("0.mp4"), {.text = "Mine.", .status = CaptionStatus::ByHand}}});
    const RunningCaptionServer server;
    job.again = true;
    EXPECT_EQ(run(server).asked, 2U);
    EXPECT_EQ(captionsInList().at("0.mp4"), "Mine.");
}

TEST_F(CaptionClips, AServerThatTheJobStartsEndsWithIt) {
    TemporaryFolder folder;
    job.server.clear();
    job.serve = serverCommand(folder.path());
    const auto summary = captionClips(
        job, folder.path() / "log", [](const CaptionProgress&) {}, {}, kImpatient);
    EXPECT_EQ(summary.captioned, 3U);
    EXPECT_TRUE(fs::exists(folder.path() / "request-2.json"));
    // its own command line is not to match
    const auto look = "pgrep -f " + shellQuote("[c]aption_server.py .*" + folder.path().string());
    EXPECT_NE(std::system((look + " >/dev/null").c_str()), 0) << "nothing is left of it";
}

TEST_F(CaptionClips, AServerThatDoesNotStartIsExplainedByItsLog) {
    job.server.clear();
    job.serve = "echo loading; echo 'CUDA out of memory' >&2; exit 3";
    TemporaryFolder folder;
    try {
        captionClips(
            job, folder.path() / "log", [](const CaptionProgress&) {}, {}, kImpatient);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.full(), AllOf(HasSubstr("did not start"), HasSubstr("exit status 3"),
                                        HasSubstr("CUDA out of memory"), HasSubstr("exit 3")));
    }
}

TEST_F(CaptionClips, TasksShareThemAndEachIsAskedForOnce) {
    const RunningCaptionServer server;
    job.server = server.url();
    job.sharedBy = "job1";
    std::vector<CaptionSummary> summaries(3);
    {
        std::vector<std::jthread> tasks;
        for (auto& summary : summaries)
            tasks.emplace_back([&] {
                summary = captionClips(
                    job, "log", [](const CaptionProgress&) {}, {}, kImpatient);
            });
    }
    std::size_t asked = 0;
    for (const auto& summary : summaries) {
        asked += summary.asked;
        EXPECT_EQ(summary.captioned, 3U) << "each returns when all are written";
    }
    EXPECT_EQ(asked, 3U);
    EXPECT_THAT(server.requests(), SizeIs(3));
    EXPECT_THAT(captionsInList(), Each(testing::Pair(testing::_, testing::_)));
    EXPECT_NE(captionsInList().at("2.mp4"), "");
    for (const auto& entry : fs::directory_iterator(out() / "captions"))
        EXPECT_EQ(entry.path().filename(), "shared-job1") << "every task takes its file away";
}

}  // namespace
}  // namespace dailies::captioning
