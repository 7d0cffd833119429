// The mirror of clips: how much of the disk it takes, what is read ahead, what comes when it is opened.
#include "remote/follow/clip_mirror.h"

#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/events/event.h"
#include "core/judging/judgement_records.h"
#include "core/video/clip_head.h"
#include "core/video/clip_part.h"
#include "core/video/proxy_folder.h"
#include "remote/ssh/session_error.h"
#include "remote/ssh/transfer.h"
#include "tests/remote/cluster/sandbox_fixture.h"
#include "tests/support/delay_relay.h"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <fstream>
#include <random>
#include <sys/stat.h>

namespace dailies::remote {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

constexpr std::int64_t kYear = 365 * 24 * 3600;

class Mirroring : public SandboxTest {
protected:
    Mirroring() {
        m_run.id = newId();
        m_run.name = "run";
        m_run.experiment = "tests";
        m_run.tags[tracking::tag::kCluster] = s_profile.name;
        m_store.createRun(m_run);
    }

    /// Pictures that do not compress, so that a clip has the size that is asked for, roughly.
    static fs::path noisyClip(const fs::path& file, int frames, int size) {
        std::minstd_rand random(7);
        std::vector<video::Frame> pictures;
        for (int n = 0; n < frames; ++n) {
            video::Frame picture{size, size,
                                 std::vector<std::uint8_t>(static_cast<std::size_t>(size * size * 3))};
            for (auto& value : picture.rgb) value = static_cast<std::uint8_t>(random());
            pictures.push_back(std::move(picture));
        }
        return video::writeClip(file, pictures, {});
    }

    static std::string pathAt(int step) { return "clips/step-" + std::to_string(step) + "/red.mp4"; }
    fs::path there(int step) const { return m_workspace / "runs" / m_run.id / pathAt(step); }
    fs::path here(int step) const { return mirror() / m_run.id / pathAt(step); }

    /// A clip of this step is on the cluster, made so many seconds from now, and its event has been read.
    void make(int step, const std::string& bytes, std::int64_t madeIn = -kYear,
              const std::map<std::string, std::string>& inputs = {}) {
        fs::create_directories(there(step).parent_path());
        std::ofstream(there(step), std::ios::binary) << bytes;
        const timespec made{.tv_sec = ::time(nullptr) + madeIn, .tv_nsec = 0};
        const timespec times[] = {made, made};
        ::utimensat(AT_FDCWD, there(step).c_str(), times, 0);
        events::Event event;
        event.seq = ++m_seq;
        event.attempt = 1;
        events::Clip clip;
        clip.step = step;
        clip.prompt = "red";
        clip.path = pathAt(step);
        clip.frames = 4;
        clip.fps = 8;
        clip.inputs = inputs;
        event.payload = clip;
        m_store.ingest(m_run.id, {event}, m_seq);
    }
    /// Nobody has used the file since `secondsAgo`.
    void use(int step, std::int64_t secondsAgo) const {
        const timespec used{.tv_sec = ::time(nullptr) - secondsAgo, .tv_nsec = 0};
        const timespec times[] = {used, used};
        ::utimensat(AT_FDCWD, here(step).c_str(), times, 0);
    }

    Cluster connectBy(const DelayRelay* relay = nullptr) {
        ClusterProfile profile = s_profile;
        if (relay) {
            profile.port = relay->port();
            profile.knownHostsFile = (m_files.path() / "known_hosts").string();
        }
        Cluster cluster(profile, m_anyone);
        m_workspace = cluster.workspace();
        return cluster;
    }
    static void fetchAll(ClipMirror& clips) {
        for (int calls = 0; clips.fetch({}).more; ++calls) ASSERT_LT(calls, 50);
    }
    std::vector<int> wholeSteps(const std::vector<int>& steps) const {
        std::vector<int> whole;
        for (const int step : steps)
            if (fs::exists(here(step))) whole.push_back(step);
        return whole;
    }
    static MirrorLimits atMost(std::uint64_t bytes) { return {.bytes = bytes, .minFreeBytes = 0}; }

    class Anyone : public Nobody {
        Trust trustHostKey(const ssh::HostKey&) override { return Trust::Once; }
    };
    Anyone m_anyone;
    tracking::Run m_run;
    fs::path m_workspace;
    std::int64_t m_seq = 0;
};

TEST_F(Mirroring, TheNewestClipsComeUntilTheBudgetIsFullAndTheOthersHaveAPicture) {
    Cluster cluster = connectBy();
    const auto bytes = readFile(noisyClip(m_files.path() / "a.mp4", 8, 128));
    for (const int step : {1, 2, 3, 4, 5}) make(step, bytes);
    ClipMirror clips(cluster, m_store, mirror(), atMost(bytes.size() * 7 / 2));
    fetchAll(clips);
    EXPECT_THAT(wholeSteps({1, 2, 3, 4, 5}), ElementsAre(3, 4, 5));
    for (const int step : {1, 2}) {
        const auto part = video::partOf(here(step));
        ASSERT_TRUE(part) << "step " << step;
        EXPECT_EQ(part->wholeBytes, bytes.size());
        EXPECT_GE(video::ClipReader(part->file).info().frames, 1) << "it shows its first picture";
        EXPECT_LT(part->bytes, bytes.size());
    }
    EXPECT_THAT(m_store.clipsToFetch(s_profile.name), IsEmpty()) << "they do not come by themselves";
    EXPECT_FALSE(clips.fetch({}).more);
    EXPECT_THAT(wholeSteps({1, 2, 3, 4, 5}), ElementsAre(3, 4, 5));
    EXPECT_LE(MirrorBudget(m_store, mirror()).use().bytes, bytes.size() * 7 / 2);
}

TEST_F(Mirroring, WhatClipsWereMadeFromComesWithThemAndAgainWhenItWasLetGo) {
    Cluster cluster = connectBy();
    const auto bytes = readFile(noisyClip(m_files.path() / "a.mp4", 8, 128));
    const std::string picture = "clips/inputs/reference.mp4";
    const auto remote = m_workspace / "runs" / m_run.id / picture, local = mirror() / m_run.id / picture;
    fs::create_directories(remote.parent_path());
    std::ofstream(remote, std::ios::binary) << bytes;
    for (const int step : {1, 2}) make(step, bytes, -kYear, {{"reference", picture}});
    {
        ClipMirror clips(cluster, m_store, mirror(), atMost(bytes.size() * 4));
        fetchAll(clips);
    }
    EXPECT_EQ(readFile(local), bytes);
    EXPECT_THAT(m_store.clipsToFetch(cluster.profile().name), testing::IsEmpty());
    for (const auto& input : m_store.clipInputs({m_run.id})) EXPECT_EQ(input.localPath, local.string());
    for (const int step : {1, 2}) use(step, 10);

    // it was not used for longest, and makes room for others
    const timespec longAgo[] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 1, .tv_nsec = 0}};
    ::utimensat(AT_FDCWD, local.c_str(), longAgo, 0);
    make(3, bytes, 0);
    ClipMirror clips(cluster, m_store, mirror(), atMost(bytes.size() * 7 / 2));
    fetchAll(clips);
    EXPECT_THAT(wholeSteps({1, 2, 3}), ElementsAre(1, 2, 3));
    EXPECT_FALSE(fs::exists(local));
    EXPECT_TRUE(video::partOf(local)) << "its first picture stays";
    clips.fetchOne(m_run.id, picture, {}, {});
    EXPECT_EQ(readFile(local), bytes);
}

TEST_F(Mirroring, ProxiesCountInTheBudget) {
    Cluster cluster = connectBy();
    const auto bytes = readFile(noisyClip(m_files.path() / "a.mp4", 8, 128));
    for (const int step : {1, 2, 3}) make(step, bytes);
    const auto proxy = video::ProxyFolder::below(mirror()) / "a.proxy.mp4";
    writeFileAtomically(proxy, std::string(bytes.size(), 'x'));
    const auto limits = atMost(bytes.size() * 7 / 2);
    ClipMirror clips(cluster, m_store, mirror(), limits);
    fetchAll(clips);
    EXPECT_THAT(wholeSteps({1, 2, 3}), ElementsAre(2, 3)) << "the proxy took the place of one";
    EXPECT_TRUE(fs::exists(proxy));
    const MirrorUsage use = MirrorBudget(m_store, mirror(), limits).use();
    EXPECT_EQ(use.proxies, 1);
    EXPECT_EQ(use.clips, 2);
    EXPECT_GE(use.bytes, 3 * bytes.size());
    EXPECT_THAT(describe(use, limits), testing::EndsWith("1 has a proxy for seeking."));
}

TEST_F(Mirroring, ANewClipTakesThePlaceOfTheOneThatWasNotUsedForLongestAndNobodyJudged) {
    Cluster cluster = connectBy();
    const auto bytes = readFile(noisyClip(m_files.path() / "a.mp4", 8, 128));
    for (const int step : {1, 2, 3}) make(step, bytes);
    ClipMirror clips(cluster, m_store, mirror(), atMost(bytes.size() * 7 / 2));
    fetchAll(clips);
    use(1, 5000);
    use(2, 4000);
    use(3, 3000);
    judging::record(m_store, {{m_run.id, pathAt(1)}, "ana", 1, judging::Stars{4}});
    make(4, bytes, -100);
    fetchAll(clips);
    EXPECT_THAT(wholeSteps({1, 2, 3, 4}), ElementsAre(1, 3, 4)) << "1 was rated; 2 was used before 3";
    ASSERT_TRUE(video::partOf(here(2)));
    EXPECT_EQ(video::ClipReader(video::partOf(here(2))->file).info().frames, 1) << "its picture stays";
    EXPECT_THAT(m_store.clipsToFetch(s_profile.name), IsEmpty());

    clips.fetchOne(m_run.id, pathAt(2), {}, {});
    EXPECT_EQ(readFile(here(2)), bytes) << "it comes again when somebody opens it";
    EXPECT_FALSE(video::partOf(here(2)));
    EXPECT_THAT(wholeSteps({1, 2, 3, 4}), ElementsAre(1, 2, 4));
}

TEST_F(Mirroring, ABudgetBelowOneClipHoldsNoneAndSaysSoWhenItIsOpened) {
    Cluster cluster = connectBy();
    const auto bytes = readFile(noisyClip(m_files.path() / "a.mp4", 8, 128));
    make(1, bytes);
    ClipMirror clips(cluster, m_store, mirror(), atMost(bytes.size() - 1));
    fetchAll(clips);
    EXPECT_THAT(wholeSteps({1}), IsEmpty());
    EXPECT_TRUE(video::partOf(here(1)));
    try {
        clips.fetchOne(m_run.id, pathAt(1), {}, {});
        FAIL() << "it does not fit";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("does not fit into the clip mirror"));
        EXPECT_THAT(error.remedy(), HasSubstr("dailies mirror --size"));
    }
    EXPECT_EQ(
        pullRun(cluster, m_store, mirror(), m_run.id, PullScope::Clips, {}, {}, atMost(bytes.size() - 1)), 0);
    EXPECT_EQ(
        pullRun(cluster, m_store, mirror(), m_run.id, PullScope::Clips, {}, {}, atMost(2 * bytes.size())), 1);
    EXPECT_EQ(readFile(here(1)), bytes);
}

TEST_F(Mirroring, AHostilePathIsLeftOutAndNamedAndTheOthersCome) {
    Cluster cluster = connectBy();
    const auto bytes = readFile(noisyClip(m_files.path() / "a.mp4", 4, 64));
    make(1, bytes);
    for (const std::string path : {"clips/../../../evil.mp4", "clips//double.mp4"}) {
        events::Event event;
        event.seq = ++m_seq;
        event.attempt = 1;
        events::Clip clip;
        clip.step = 1;
        clip.prompt = path;
        clip.path = path;
        event.payload = clip;
        m_store.ingest(m_run.id, {event}, m_seq);
    }
    // one that cannot lie here, and one whose place is taken
    const auto folder = there(1).parent_path();
    std::ofstream(folder / (std::string(245, 'x') + ".mp4")) << "long";
    std::ofstream(folder / "taken.mp4") << "taken";
    fs::create_directories(here(1).parent_path() / "taken.mp4");
    std::string said;
    EXPECT_EQ(pullRun(cluster, m_store, mirror(), m_run.id, PullScope::Clips,
                      [&](const std::string& line) { said += line + "\n"; }),
              1);
    EXPECT_EQ(readFile(here(1)), bytes);
    for (const char* name : {"evil.mp4", "double.mp4", "xxx.mp4", "taken.mp4"})
        EXPECT_THAT(said, HasSubstr(name));
    EXPECT_THAT(said, HasSubstr("Left out: "));

    ClipMirror clips(cluster, m_store, mirror(), atMost(1 << 30));
    fetchAll(clips);
    EXPECT_THAT(wholeSteps({1}), ElementsAre(1));
}

TEST_F(Mirroring, TheLastOfTheDiskIsNeverUsed) {
    Cluster cluster = connectBy();
    make(1, readFile(noisyClip(m_files.path() / "a.mp4", 4, 64)));
    const auto free = fs::space(m_files.path()).available;
    ClipMirror clips(cluster, m_store, mirror(),
                     MirrorLimits{.bytes = 1ull << 40, .minFreeBytes = free + (1 << 30)});
    fetchAll(clips);
    EXPECT_THAT(wholeSteps({1}), IsEmpty());
}

TEST_F(Mirroring, TheBeginningsOfAllClipsComeBeforeAnyWholeOne) {
    Cluster cluster = connectBy();
    const auto bytes = readFile(noisyClip(m_files.path() / "a.mp4", 12, 256));
    ASSERT_GT(bytes.size(), std::size_t{256} << 10);
    std::vector<int> steps;
    for (int step = 1; step <= 60; ++step) {
        steps.push_back(step);
        make(step, bytes);
    }
    ClipMirror clips(cluster, m_store, mirror(), atMost(1ull << 40));
    const auto first = clips.fetch({});
    EXPECT_TRUE(first.more);
    EXPECT_THAT(first.changedRuns, ElementsAre(m_run.id)) << "the wall is told";
    EXPECT_THAT(wholeSteps(steps), IsEmpty());
    for (const int step : steps) {
        const auto part = video::partOf(here(step));
        ASSERT_TRUE(part) << "step " << step;
        EXPECT_EQ(part->bytes, *video::firstPictureEnd(part->file)) << "no more than its first picture";
        EXPECT_EQ(video::ClipReader(part->file).info().frames, 1);
    }
    fetchAll(clips);
    EXPECT_EQ(wholeSteps(steps).size(), steps.size());
    for (const int step : steps) EXPECT_FALSE(video::partOf(here(step))) << "step " << step;
    EXPECT_EQ(readFile(here(1)), bytes);
}

TEST_F(Mirroring, AClipWhoseIndexIsAtItsEndIsFetchedWhole) {
    Cluster cluster = connectBy();
    // an index at the end: the beginning tells nothing
    auto bytes = readFile(noisyClip(m_files.path() / "a.mp4", 12, 256));
    const auto last = "ffmpeg -v error -y -i " + shellQuote((m_files.path() / "a.mp4").string()) +
                      " -c copy -movflags 0 " + shellQuote((m_files.path() / "last.mp4").string());
    ASSERT_EQ(std::system(last.c_str()), 0);
    bytes = readFile(m_files.path() / "last.mp4");
    for (int step = 1; step <= 40; ++step) make(step, bytes);
    ClipMirror clips(cluster, m_store, mirror(), atMost(1ull << 40));
    clips.fetch({});
    EXPECT_FALSE(video::partOf(here(40)));
    fetchAll(clips);
    EXPECT_EQ(readFile(here(40)), bytes);
}

TEST_F(Mirroring, AnOpenedClipGoesOnWhereTheConnectionWasCut) {
    auto relay = std::make_unique<DelayRelay>(s_profile.port, 10ms);
    const auto bytes = readFile(noisyClip(m_files.path() / "a.mp4", 60, 512));
    ASSERT_GT(bytes.size(), std::size_t{8} << 20);
    {
        Cluster cluster = connectBy(relay.get());
        make(1, bytes);
        ClipMirror clips(cluster, m_store, mirror(), atMost(1ull << 40));
        EXPECT_THROW(clips.fetchOne(m_run.id, pathAt(1),
                                    [&](std::uint64_t done, std::uint64_t) {
                                        if (done > bytes.size() / 3) relay->cut();
                                    },
                                    {}),
                     ssh::SessionError);
    }
    EXPECT_THAT(wholeSteps({1}), IsEmpty()) << "what is not whole does not have its name";
    const auto part = video::partOf(here(1));
    ASSERT_TRUE(part);
    EXPECT_EQ(part->wholeBytes, bytes.size());
    const int shown = video::ClipReader(part->file).info().frames;
    EXPECT_GT(shown, 10) << "it plays as far as it reaches";
    EXPECT_LT(shown, 60);
    Cluster cluster = connectBy(relay.get());
    ClipMirror clips(cluster, m_store, mirror(), atMost(1ull << 40));
    std::uint64_t begunAt = 0;
    clips.fetchOne(m_run.id, pathAt(1),
                   [&](std::uint64_t done, std::uint64_t) {
                       if (begunAt == 0) begunAt = done;
                   },
                   {});
    EXPECT_EQ(begunAt, part->bytes);
    EXPECT_EQ(readFile(here(1)), bytes);
    EXPECT_EQ(m_store.clips({m_run.id}).front().localPath, here(1).string());
}

TEST_F(Mirroring, WhatChangedOnTheClusterSinceItsBeginningCameIsNotMixedWithIt) {
    Cluster cluster = connectBy();
    const auto before = readFile(noisyClip(m_files.path() / "a.mp4", 12, 256));
    make(1, before);
    fs::create_directories(here(1).parent_path());
    const auto stat = cluster.session().stat(there(1).string());
    auto foreign = before.substr(0, 100'000);
    foreign[90'000] = static_cast<char>(~foreign[90'000]);
    writeFileAtomically(here(1).parent_path() / ssh::partialName(here(1).filename().string(), *stat),
                        foreign);
    ClipMirror clips(cluster, m_store, mirror(), atMost(1ull << 40));
    EXPECT_THROW(clips.fetchOne(m_run.id, pathAt(1), {}, {}), Error) << "its hash is another";
    EXPECT_THAT(wholeSteps({1}), IsEmpty());
    clips.fetchOne(m_run.id, pathAt(1), {}, {});
    EXPECT_EQ(readFile(here(1)), before);
}

TEST_F(Mirroring, HeadsOfFilesThatAreGoneOrOfAnotherSizeAreLeftOutAndNothingElse) {
    Cluster cluster = connectBy();
    for (const int step : {1, 2, 3, 4}) make(step, std::string(1000, static_cast<char>('0' + step)));
    std::vector<ssh::FolderEntry> files;
    for (const int step : {1, 2, 3, 4}) files.push_back({pathAt(step), {.size = 1000, .isFile = true}});
    fs::remove(there(2));
    fs::create_directory(there(2));
    const auto folder = cluster.runFolder(m_run.id);
    const auto heads = cluster.session().readHeads(folder, files, 100);
    EXPECT_EQ(heads.size(), 3u);
    EXPECT_EQ(heads.at(pathAt(3)), std::string(100, '3'));
    files[2].stat.size = 50;  // it grew since it was looked at
    EXPECT_FALSE(cluster.session().readHeads(folder, files, 100).contains(pathAt(3)));
    EXPECT_THROW(cluster.session().readHeads(folder, {{"../x", {.size = 5}}}, 10), InputError);
}

TEST_F(Mirroring, APathOfAPartOrOutsideOfTheClipsIsRefused) {
    Cluster cluster = connectBy();
    for (const char* path : {"clips/a.mp4.5-5.part", "clips/../../x.mp4", "checkpoints/x.json"}) {
        events::Event event;
        event.seq = ++m_seq;
        event.attempt = 1;
        events::Clip clip;
        clip.step = m_seq;
        clip.path = path;
        event.payload = clip;
        m_store.ingest(m_run.id, {event}, m_seq);
    }
    ClipMirror clips(cluster, m_store, mirror(), atMost(1ull << 40));
    fetchAll(clips);
    EXPECT_EQ(m_store.messages(m_run.id).size(), 3u);
    EXPECT_THROW(clips.fetchOne(m_run.id, "clips/../../x.mp4", {}, {}), Error);
    EXPECT_FALSE(fs::exists(mirror()));
}

}  // namespace
}  // namespace dailies::remote
