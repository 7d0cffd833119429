#include "trainer/data/remote_shards.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "tests/core/objects/running_bucket.h"
#include "tests/trainer/data/shards.h"
#include "trainer/data/shard_index.h"
#include "trainer/data/webdataset.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Two shards in a bucket of this machine, whose keys the environment has, and the same in a folder.
class RemoteShardsTest : public testing::Test {
protected:
    RemoteShardsTest() {
        const auto access = bucket.access();
        set("AWS_ACCESS_KEY_ID", access.keyId);
        set("AWS_SECRET_ACCESS_KEY", access.secret);
        set("AWS_ENDPOINT_URL", access.endpoint);
        set("AWS_REGION", access.region);
        put("set/000000.tar",
            tarOf({{"0.mp4", videoBytes(9)}, {"0.txt", "two dogs"}, {"1.mp4", videoBytes(4)}}));
        put("set/000001.tar", tarOf({{"2.mp4", videoBytes(4)}, {"2.json", R"({"caption": "a cat"})"}}));
        data.source = "webdataset";
        data.frames = 4;
        data.height = data.width = 16;
        data.shards = {"s3://clips/set/{000000..000001}.tar"};
    }
    ~RemoteShardsTest() override {
        for (const auto& name : names) unsetenv(name.c_str());
    }
    void set(const std::string& name, const std::string& value) {
        setenv(name.c_str(), value.c_str(), 1);
        names.push_back(name);
    }
    void put(const std::string& key, const std::string& bytes) const {
        bucket.put("clips/" + key, bytes);
        writeFileAtomically(local.path() / key, bytes);
    }
    std::unique_ptr<WebDataset> open(const config::TrainConfig::Data& from) const {
        return std::make_unique<WebDataset>(from, DataSourceOptions{cache.path()});
    }

    objects::RunningBucket bucket;
    TemporaryFolder local, cache;
    config::TrainConfig::Data data;
    std::vector<std::string> names;
};

TEST_F(RemoteShardsTest, GiveTheClipsThatTheSameFilesGive) {
    auto files = data;
    files.shards = {(local.path() / "set").string()};
    const auto near = open(files), far = open(data);
    ASSERT_EQ(far->size(), near->size());
    EXPECT_EQ(far->captions(), near->captions());
    EXPECT_EQ(far->parts(), near->parts());
    for (std::int64_t i = 0; i < far->size(); ++i) {
        EXPECT_EQ(far->example(i).clip.rgb, near->example(i).clip.rgb);
        EXPECT_EQ(far->example(i).caption, near->example(i).caption);
    }
    EXPECT_THAT(far->identity(0), HasSubstr("s3://clips/set/000000.tar"));
    auto folder = data;
    folder.shards = {"s3://clips/set/"};
    EXPECT_EQ(open(folder)->parts(), near->parts());
    folder.shards = {"s3://clips/none/"};
    EXPECT_THAT([&] { open(folder); },
                testing::ThrowsMessage<InputError>(HasSubstr("s3://clips/none/ holds no .tar")));
}

TEST_F(RemoteShardsTest, OfAWebServerAreReadAlike) {
    bucket.put("open/a.tar", readFile(local.path() / "set/000000.tar"));
    data.shards = {bucket.endpoint() + "/open/a.tar?signature=hidden"};
    const auto source = open(data);
    EXPECT_EQ(source->size(), 3);
    EXPECT_THAT(source->parts(), ElementsAre("a.tar 3"));
    EXPECT_THAT(source->identity(0), Not(HasSubstr("hidden"))) << "signed again, it is the same clip";
}

TEST_F(RemoteShardsTest, AreIndexedAndReadOnceAndKept) {
    auto first = open(data);
    for (std::int64_t i = 0; i < first->size(); ++i) first->example(i);
    const auto asked = bucket.requests().size();
    for (std::int64_t i = 0; i < first->size(); ++i) first->example(i);
    EXPECT_EQ(bucket.requests().size(), asked) << "kept";
    first.reset();  // a run ends, and another begins
    const auto again = open(data);
    for (std::int64_t i = 0; i < again->size(); ++i) again->example(i);
    // whether each shard is still the same, and whether some are excluded
    EXPECT_EQ(bucket.requests().size(), asked + 3);
    for (const auto& entry : fs::directory_iterator(cache.path() / "remote"))
        EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("whole")))
            << "brought here to be indexed";
    EXPECT_EQ(RemoteShards({}, 1).facts("s3://clips/set/000000.tar").bytes,
              fs::file_size(local.path() / "set/000000.tar"))
        << "without a folder";
}

TEST_F(RemoteShardsTest, KeepNoMoreThanTheyMay) {
    const TemporaryFolder folder;
    const auto left = folder.path() / "whole-of-one-who-was-killed", begun = folder.path() / "whole-now";
    for (const auto& file : {left, begun}) writeFileAtomically(file, "half a shard");
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
    const auto whole = readFile(local.path() / "set/000000.tar");
    RemoteShards shards(folder.path(), 10'000);
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(begun));
    fs::remove(begun);
    const auto facts = shards.facts("s3://clips/set/000000.tar");
    std::vector<LocalBytes> open;
    for (std::uint64_t offset = 0; offset + 1000 <= whole.size(); offset += 100)
        open.push_back(shards.read("s3://clips/set/000000.tar", facts.stamp, {"mp4", offset, 1000}));
    std::uint64_t sum = 0;
    for (const auto& entry : fs::directory_iterator(folder.path())) sum += entry.file_size();
    EXPECT_LE(sum, 11'000U);
    EXPECT_EQ(readFile(open.front().path()), whole.substr(0, 1000)) << "removed meanwhile, and still open";
}

TEST_F(RemoteShardsTest, AreFetchedWhileSomethingElseIsDone) {
    const auto source = open(data);
    fs::remove_all(cache.path() / "remote");
    fs::create_directories(cache.path() / "remote");
    const auto before = bucket.requests().size();
    bucket.fail({{"slow", 0.1}});
    for (std::int64_t i = 0; i < source->size(); ++i) source->readAhead(i);
    source->example(0);  // waits for what is on the way
    bucket.fail({{"slow", 2}});
    const auto began = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < source->size(); ++i) source->example(i);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2))
        << "nothing is asked for again";
    EXPECT_EQ(bucket.requests().size(), before + 3) << "each video once";
    source->readAhead(0);
    bucket.fail({{"busy", 1000}});
    fs::remove_all(cache.path() / "remote");
    source->readAhead(0);  // what cannot be had delays nobody at the end
}

TEST_F(RemoteShardsTest, AreNotBroughtHereWhereTheirIndexLiesBesideThem) {
    const auto shards = local.path() / "set";
    for (const auto* name : {"000000.tar", "000001.tar"}) {
        writeIndexBeside(shards / name, 1);
        bucket.put(std::string("clips/set/.dailies/") + name + ".json",
                   readFile(shards / ".dailies" / (std::string(name) + ".json")));
    }
    const auto near = open([&] {
        auto files = data;
        files.shards = {shards.string()};
        return files;
    }());
    const auto bytesAsked = [&](const std::string& object) {
        long long most = 0;
        for (const auto& request : bucket.requests())
            if (const auto at = request.find(object + " bytes="); at != std::string::npos) {
                const auto range = request.substr(at + object.size() + 7);
                most = std::max(most, std::stoll(range.substr(range.find('-') + 1)) - std::stoll(range) + 1);
            }
        return most;
    };
    const auto whole = static_cast<long long>(fs::file_size(shards / "000001.tar"));
    const auto far = open(data);
    EXPECT_LT(bytesAsked("/000001.tar"), whole) << "its members alone";
    ASSERT_EQ(far->size(), near->size());
    for (std::int64_t i = 0; i < far->size(); ++i)
        EXPECT_EQ(far->example(i).clip.rgb, near->example(i).clip.rgb);

    // one that another shard left there, or that says what cannot be, counts for nothing
    auto json = Json::parse(readFile(bucket.file("clips/set/.dailies/000001.tar.json")));
    json["samples"][0]["members"][0][2] = 1 << 30;
    for (const auto& other : {json.dump(), std::string("{"), std::string(R"({"format": 1, "bytes": 3})")}) {
        fs::remove_all(cache.path() / "shards");
        bucket.put("clips/set/.dailies/000001.tar.json", other);
        EXPECT_EQ(open(data)->size(), near->size());
    }
    EXPECT_EQ(bytesAsked("/000001.tar"), whole);
}

TEST_F(RemoteShardsTest, LeaveOutWhatIsExcludedBesideThem) {
    put("set/.nv-meta/split.yaml", R"({"exclude": ["000001.tar", "000000.tar/1"]})");
    const auto source = open(data);
    EXPECT_EQ(source->size(), 2);
    EXPECT_EQ(source->facts().dropped.begin()->second, 2);
}

TEST_F(RemoteShardsTest, TrainOnThroughABusyServerAndCutAnswers) {
    const auto source = open(data);
    const auto expected = open(data)->example(0).clip.rgb;
    fs::remove_all(cache.path() / "remote");
    fs::create_directories(cache.path() / "remote");
    bucket.fail({{"busy", 2}, {"cut", 2}, {"slow", 0.02}});
    std::vector<std::jthread> readers;
    for (int i = 0; i < 4; ++i)
        readers.emplace_back([&, i] { EXPECT_EQ(source->example(0).clip.rgb, expected) << i; });
    readers.clear();
    EXPECT_THAT(source->takeProblems(), IsEmpty());
}

TEST_F(RemoteShardsTest, ThatAreGoneOrHaveChangedAreNamed) {
    const auto source = open(data);
    fs::remove_all(cache.path() / "remote");
    fs::create_directories(cache.path() / "remote");
    bucket.put("clips/set/000000.tar", tarOf({{"0.mp4", videoBytes(9, 32, 32)}}));
    EXPECT_EQ(source->example(0).caption, "a cat") << "the next that can be read";
    EXPECT_THAT(join(source->takeProblems(), " "),
                HasSubstr("s3://clips/set/000000.tar has changed since it was opened"));
    data.shards.push_back("s3://clips/set/000009.tar");
    EXPECT_THAT([&] { open(data); },
                testing::ThrowsMessage<Error>(HasSubstr("There is no s3://clips/set/000009.tar")));
    unsetenv("AWS_ACCESS_KEY_ID");
    EXPECT_THAT([&] { open(data); }, testing::Throws<Error>());
}

TEST_F(RemoteShardsTest, DamagedVideosAreNamedByTheirShard) {
    const auto damaged = [](std::string video) {
        const auto pictures = video.find("mdat") + 4;
        std::fill(video.begin() + static_cast<std::ptrdiff_t>(pictures), video.end(), '\0');
        return video;
    };
    bucket.put("clips/bad/0.tar", tarOf({{"0.mp4", videoBytes(4)}, {"1.mp4", "no video at all"}}));
    bucket.put("clips/bad/1.tar", tarOf({{"0.mp4", videoBytes(4)}, {"1.mkv", damaged(videoBytes(4))}}));
    data.shards = {"s3://clips/bad/0.tar", "s3://clips/bad/1.tar"};
    const auto source = open(data);
    for (std::int64_t i = 0; i < source->size(); ++i) source->example(i);
    const auto problems = source->takeProblems();
    ASSERT_FALSE(problems.empty());
    for (const auto& problem : problems)
        EXPECT_THAT(problem,
                    AllOf(HasSubstr("s3://clips/bad/"), Not(HasSubstr("/proc/")), Not(HasSubstr("whole-"))));
}

}  // namespace
}  // namespace dailies::trainer
