#include "trainer/data/webdataset.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/trainer/data/shards.h"
#include "trainer/data/dataset_report.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <thread>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WebDatasetTest : public testing::Test {
protected:
    WebDatasetTest() {
        data.source = "webdataset";
        data.shards = {folder.path().string()};
        data.frames = 4;
        data.height = data.width = 16;
    }

    void shard(const std::string& name, const Members& members) { shardBytes(name, tarOf(members)); }
    void shardBytes(const std::string& name, const std::string& bytes) {
        writeFileAtomically(folder.path() / name, bytes);
    }
    std::unique_ptr<WebDataset> open(std::int64_t rank = 0, std::int64_t ranks = 1) {
        return std::make_unique<WebDataset>(data, DataSourceOptions{cache.path(), rank, ranks, {}});
    }
    std::string refusal() {
        try {
            open();
        } catch (const InputError& error) {
            return error.full();
        }
        return "accepted";
    }
    std::string made(const std::string& name, const std::string& arguments, int frames = 24) {
        const auto file = scratch.path() / name;
        video::makeWithFfmpeg(file, video::numberedFrames(frames), arguments);
        return readFile(file);
    }

    TemporaryFolder folder, cache, scratch;
    config::TrainConfig::Data data;
};

std::vector<double> numbersOf(const RgbClip& clip) {
    std::vector<double> numbers;
    for (int t = 0; t < clip.frames; ++t) numbers.push_back(std::round(frameNumber(*clip.frame(t))));
    return numbers;
}

TEST_F(WebDatasetTest, CutsTheVideosOfAllShardsIntoCaptionedClips) {
    shard("a.tar", {{"0.mp4", videoBytes(9)},
                    {"0.txt", " two\ndogs "},
                    {"1.json", R"({"caption": "a cat"})"},
                    {"1.mp4", videoBytes(4)}});
    shard("b.tar", {{"x/2.mp4", videoBytes(4)}, {"x/2.cls", "7"}});
    const auto source = open();
    ASSERT_EQ(source->size(), 4);
    const auto second = source->example(1);
    EXPECT_EQ(numbersOf(second.clip), (std::vector<double>{4, 5, 6, 7}));
    EXPECT_EQ(second.caption, "two dogs");
    EXPECT_EQ(second.clip.height, 16);
    EXPECT_EQ(source->example(2).caption, "a cat");
    EXPECT_THAT(source->captions(), ElementsAre("", "a cat", "two dogs"));
    EXPECT_THAT(source->takeProblems(), IsEmpty());
    EXPECT_NEAR(source->valueScale().mean.at(0), 30 / 127.5 - 1, 0.01);
    EXPECT_NE(source->identity(0), source->identity(1));
}

TEST_F(WebDatasetTest, TakesFramesAtTheWantedRateByTheirTimes) {
    data.target_fps = 8;
    shard("a.tar", {{"0.mp4", videoBytes(48, 64, 48, 24)}});
    EXPECT_EQ(numbersOf(open()->example(1).clip), (std::vector<double>{12, 15, 18, 21}));
    data.target_fps = 0;
    data.frame_stride = 5;
    EXPECT_EQ(numbersOf(open()->example(1).clip), (std::vector<double>{20, 25, 30, 35}));
}

TEST_F(WebDatasetTest, TakesTheFrameThatIsOnTheScreenWhereTheRateVaries) {
    // frames 0 … 7 each 1/8 s, then each twice as long: frame 8 from 1 s on, frame 9 from 1.25 s on, …
    const auto bytes = made("vfr.mkv", "-vf \"setpts='if(lt(N,8),N/8,1+(N-8)/4)/TB'\" -vsync vfr -c:v ffv1");
    shard("a.tar", {{"0.mkv", bytes}});
    data.target_fps = 8;
    data.height = data.width = 48;
    const auto source = open();
    ASSERT_GE(source->size(), 3);
    video::ClipReader reader(video::VideoLocation{folder.path() / "a.tar", 512, bytes.size(), "0.mkv"});
    const auto expected = [&](int n) { return reader.frame(n, 64, 48); };
    // 0.5 … 0.875 s are frames 4 … 7, 1 … 1.375 s are frames 8, 8, 9, 9
    const int numbers[] = {4, 5, 6, 7, 8, 8, 9, 9};
    for (int i = 0; i < 8; ++i) {
        const auto clip = source->example(1 + i / 4).clip;
        const auto frame = expected(numbers[i]);
        for (int x = 0; x < 48; ++x)
            ASSERT_EQ(clip.frame(i % 4)[x * 3], frame.rgb[static_cast<std::size_t>(x + 8) * 3])
                << "time " << i;
    }
}

TEST_F(WebDatasetTest, PutsClipsIntoBucketsWithConsecutiveIndices) {
    data.buckets = {"4x16x16@8", "2x16x32@8", "1x16x16"};
    shard("a.tar", {{"0.mp4", videoBytes(8, 64, 32)},
                    {"1.mp4", videoBytes(8, 64, 64)},
                    {"2.mp4", videoBytes(8, 64, 64)},
                    {"3.png", made("a.png", "-frames:v 1", 1)}});
    const auto source = open();
    EXPECT_EQ(source->bucketSizes(), (std::vector<std::int64_t>{6, 0, 1}));
    EXPECT_EQ(source->example(6).clip.frames, 1);
    EXPECT_EQ(source->example(0).clip.frames, 4);
    EXPECT_EQ(source->example(0).fps, 8);
}

TEST_F(WebDatasetTest, NamesAndCountsEverythingThatItCannotUse) {
    const auto good = videoBytes(4);
    shard("a.tar",
          {{"good.mp4", good},
           {"short.mp4", videoBytes(3)},
           {"cut.mp4", good.substr(0, good.size() / 3)},
           {"empty.mp4", ""},
           {"words.txt", "only a caption"},
           {"sound.mp4",
            [&] {
                video::runFfmpeg("-f lavfi -i sine=duration=0.2 " + (scratch.path() / "s.mp4").string());
                return readFile(scratch.path() / "s.mp4");
            }()},
           {"small.mp4", videoBytes(4, 8, 8)}});
    auto cut = tarOf({{"last.mp4", good}, {"lost.mp4", good}});
    shardBytes("b.tar", cut.substr(0, cut.size() - 1024 - 600));
    shardBytes("c.tar", "no tar at all, but long enough to hold a block" + std::string(1000, '.'));
    const auto source = open();
    EXPECT_EQ(source->size(), 2);
    const auto facts = source->facts();
    EXPECT_EQ(facts.found, 8);
    EXPECT_EQ(facts.used, 2);
    EXPECT_EQ(facts.dropped, (std::map<std::string, std::int64_t>{{"too short for every bucket", 1},
                                                                  {"too small for every bucket", 1},
                                                                  {"cannot be read", 3},
                                                                  {"no video in the sample", 1}}));
    const auto problems = source->takeProblems();
    for (const auto* key : {"short", "cut", "empty", "words", "sound", "small"})
        EXPECT_THAT(problems, Contains(AllOf(HasSubstr("a.tar: " + std::string(key))))) << key;
    EXPECT_THAT(problems, Contains(AllOf(HasSubstr("sound"), HasSubstr("no video stream"))));
    EXPECT_THAT(problems, Contains(AllOf(HasSubstr("b.tar"), HasSubstr("truncated inside lost.mp4"))));
    EXPECT_THAT(problems, Contains(AllOf(HasSubstr("c.tar"), HasSubstr("not a tar file"))));
    EXPECT_EQ(problems.size(), 8U);
}

TEST_F(WebDatasetTest, WithoutAUsableClipIsRefusedWithTheReasons) {
    shard("a.tar", {{"0.mp4", videoBytes(3)}, {"1.mp4", videoBytes(2)}});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("2 samples found; dropped: 2 too short for every bucket"),
                                 HasSubstr("a.tar: 1")));
    data.shards = {(folder.path() / "missing.tar").string()};
    EXPECT_THAT(refusal(), AllOf(HasSubstr("missing.tar"), HasSubstr("0 samples found")));
}

TEST_F(WebDatasetTest, OddSizesAndRotationsAreScaledAndCroppedAsShown) {
    shard("a.tar", {{"odd.mkv", made("odd.mkv", "-vf scale=63:35 -c:v ffv1", 4)},
                    {"turned.mp4", [&] {
                         makeWithFfmpeg(scratch.path() / "up.mp4", video::numberedFrames(4, 64, 32),
                                        "-c:v libx264");
                         video::runFfmpeg("-i " + (scratch.path() / "up.mp4").string() +
                                          " -c copy -metadata:s:v rotate=90 " +
                                          (scratch.path() / "turned.mp4").string());
                         return readFile(scratch.path() / "turned.mp4");
                     }()}});
    data.buckets = {"4x32x16", "4x16x32"};
    const auto source = open();
    EXPECT_EQ(source->bucketSizes(), (std::vector<std::int64_t>{1, 1}));
    EXPECT_EQ(source->example(0).clip.height, 32);
    EXPECT_EQ(source->example(1).clip.width, 32);
    EXPECT_THAT(source->takeProblems(), IsEmpty());
}

TEST_F(WebDatasetTest, KeepsItsIndexUntilAShardChanges) {
    shard("a.tar", {{"0.mp4", videoBytes(4)}});
    open();
    const auto kept = *fs::recursive_directory_iterator(cache.path() / "shards");
    const auto written = fs::last_write_time(kept);
    const auto content = readFile(kept);
    EXPECT_EQ(open()->size(), 1);
    EXPECT_EQ(fs::last_write_time(kept), written) << "the kept index was used";
    writeFileAtomically(kept, content.substr(0, content.size() / 2));
    EXPECT_EQ(open()->size(), 1) << "a torn index is made anew";
    EXPECT_EQ(readFile(kept), content);
    shard("a.tar", {{"0.mp4", videoBytes(4)}, {"1.mp4", videoBytes(4)}});
    EXPECT_EQ(open()->size(), 2) << "a changed shard is indexed again";
    data.cache = "/proc/no/such";
    EXPECT_EQ(WebDataset(data, DataSourceOptions{"/proc/no/such", 0, 1, {}}).size(), 2)
        << "a cache is not needed";
}

TEST_F(WebDatasetTest, IsTheSameForEveryRankAndThread) {
    for (int i = 0; i < 5; ++i) shard("s" + std::to_string(i) + ".tar", {{"0.mp4", videoBytes(4 + 4 * i)}});
    std::vector<std::unique_ptr<WebDataset>> sources;
    {
        std::vector<std::jthread> ranks;
        sources.resize(3);
        for (std::size_t rank = 0; rank < 3; ++rank)
            ranks.emplace_back([&, rank] { sources[rank] = open(static_cast<std::int64_t>(rank), 3); });
    }
    ASSERT_EQ(sources[0]->size(), 15);
    for (std::int64_t i = 0; i < 15; ++i) {
        const auto clip = sources[0]->example(i).clip.rgb;
        EXPECT_EQ(sources[1]->example(i).clip.rgb, clip);
        EXPECT_EQ(sources[2]->example(i).clip.rgb, clip);
    }
}

TEST_F(WebDatasetTest, ReplacesAClipThatBreaksDuringTrainingAndSaysSo) {
    const auto bytes = videoBytes(4);
    shard("a.tar", {{"0.mp4", bytes}, {"1.mp4", bytes}, {"1.txt", "the second"}});
    const auto source = open();
    auto tar = readFile(folder.path() / "a.tar");
    std::fill_n(tar.begin() + 512, bytes.size(), 'x');
    shardBytes("a.tar", tar);
    EXPECT_EQ(source->example(0).caption, "the second");
    EXPECT_THAT(source->takeProblems(),
                ElementsAre(AllOf(HasSubstr("a.tar: 0.mp4"), HasSubstr("takes its place"))));
}

class LatentsTest : public WebDatasetTest {
protected:
    LatentsTest() {
        data.latents = "latent.npy";
        data.frames = 2;
        data.height = data.width = 1;
    }
};

TEST_F(LatentsTest, ComeFromTheShardsWithChannelsLast) {
    data.text_embeddings = "text.npy";
    shard("a.tar", {{"0.latent.npy", npyOf({3, 2, 1, 1}, {1, 2, 10, 20, 100, 200})},
                    {"0.text.npy", npyOf({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})},
                    {"1.latent.npy", npyOf({1, 3, 2, 1, 1}, {1, 2, 10, 20, 100, 200})},
                    {"1.text.npy", npyOf({1, 4}, {1, 2, 3, 4})}});
    const auto source = open();
    ASSERT_EQ(source->size(), 2);
    EXPECT_EQ(source->latentChannels(), 3);
    EXPECT_EQ(source->textWidth(), 4);
    const auto example = source->example(0);
    EXPECT_EQ(example.latents->shape, (std::vector<std::int64_t>{2, 1, 1, 3}));
    EXPECT_EQ(toFloats(*example.latents), (std::vector<float>{1, 10, 100, 2, 20, 200}));
    EXPECT_EQ(example.textEmbeddings->shape, (std::vector<std::int64_t>{2, 4}));
    const auto scale = source->valueScale();
    ASSERT_EQ(scale.mean.size(), 3U) << "one for each channel";
    EXPECT_NEAR(scale.mean[2], 150, 1e-4);
    EXPECT_NEAR(scale.deviation[2], 50, 1e-4);
}

TEST_F(LatentsTest, OfAnotherKindThanTheFirstAreNamed) {
    data.text_embeddings = "text.npy";
    const auto latent = npyOf({3, 2, 1, 1}, {1, 2, 3, 4, 5, 6}), text = npyOf({1, 4}, {1, 2, 3, 4});
    shard("a.tar", {{"good.latent.npy", latent},
                    {"good.text.npy", text},
                    {"wide.latent.npy", latent},
                    {"wide.text.npy", npyOf({1, 5}, {1, 2, 3, 4, 5})},
                    {"none.latent.npy", latent},
                    {"channels.latent.npy", npyOf({2, 2, 1, 1}, {1, 2, 3, 4})},
                    {"channels.text.npy", text},
                    {"size.latent.npy", npyOf({3, 1, 1, 1}, {1, 2, 3})},
                    {"torn.latent.npy", latent.substr(0, 100)}});
    const auto source = open();
    EXPECT_EQ(source->size(), 1);
    const auto problems = source->takeProblems();
    EXPECT_THAT(problems,
                Contains(AllOf(HasSubstr("a.tar: wide"), HasSubstr("5 wide, where the first are 4"))));
    EXPECT_THAT(problems, Contains(AllOf(HasSubstr("a.tar: none"), HasSubstr("no text.npy"))));
    EXPECT_THAT(problems, Contains(AllOf(HasSubstr("a.tar: channels"), HasSubstr("2 channels"))));
    EXPECT_THAT(problems, Contains(AllOf(HasSubstr("a.tar: size"), HasSubstr("no bucket's size"))));
    EXPECT_THAT(problems, Contains(AllOf(HasSubstr("a.tar: torn"), HasSubstr("cannot be read"))));
}

TEST_F(LatentsTest, ThatAreNotFiniteAreReplacedAndNamed) {
    const auto nan = std::numeric_limits<float>::quiet_NaN();
    shard("a.tar", {{"0.latent.npy", npyOf({3, 2, 1, 1}, {1, 2, 3, nan, 5, 6})},
                    {"1.latent.npy", npyOf({3, 2, 1, 1}, {1, 2, 3, 4, 5, 6})}});
    const auto source = open();
    source->takeProblems();
    EXPECT_EQ(toFloats(*source->example(0).latents), (std::vector<float>{1, 3, 5, 2, 4, 6}));
    EXPECT_THAT(source->takeProblems(),
                ElementsAre(AllOf(HasSubstr("a.tar: 0.latent.npy"), HasSubstr("not finite"))));
}

TEST_F(WebDatasetTest, IsReportedOnBeforeTraining) {
    config::TrainConfig config;
    data.buckets = {"4x16x16@8", "1x16x16"};
    data.batch_size = 2;
    config.data = data;
    config.steps = 30;
    config.model.patch_frames = 1;
    shard("a.tar",
          {{"0.mp4", videoBytes(20, 64, 64)}, {"1.png", made("a.png", "-frames:v 1", 1)}, {"2.txt", "?"}});
    const auto source = open();
    const auto report = reportOn(config, *source, 1);
    EXPECT_EQ(report.clips, 6);
    EXPECT_DOUBLE_EQ(report.stepsPerEpoch, 3);
    EXPECT_DOUBLE_EQ(report.epochs, 10);
    EXPECT_EQ(report.toJson().at("buckets")[0].at("tokens_per_clip"), 16);
    EXPECT_EQ(report.toJson().at("dropped").at("no video in the sample"), 1);
    EXPECT_THAT(report.text(),
                AllOf(HasSubstr("2 of 3 inputs"), HasSubstr("bucket 4x16x16@8: 5 clips of 16 tokens")));
    config.data.packing = true;
    config.data.tokens_per_step = 40;
    const auto packed = reportOn(config, *source, 1);
    EXPECT_EQ(packed.tokensPerStep, 40);
    EXPECT_GT(packed.padding, 0);
    EXPECT_NEAR(packed.stepsPerEpoch, 84 / (40 * (1 - packed.padding)), 1e-9);
}

}  // namespace
}  // namespace dailies::trainer
