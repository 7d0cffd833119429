#include "core/objects/object_reader.h"

#include "core/base/error.h"
#include "tests/core/objects/running_bucket.h"

#include <gmock/gmock.h>

#include <numeric>

namespace dailies::objects {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

std::string countedBytes(std::size_t count) {
    std::string bytes(count, '\0');
    std::iota(bytes.begin(), bytes.end(), '\0');
    return bytes;
}

class ObjectReaderTest : public testing::Test {
protected:
    ObjectReader reader() const { return ObjectReader(bucket.access(), {}, 20s); }
    std::string refusal(const std::function<void()>& work) const {
        try {
            work();
        } catch (const Error& error) {
            return error.full();
        }
        return "accepted";
    }

    RunningBucket bucket;
    const std::string bytes = countedBytes(5000);
};

TEST_F(ObjectReaderTest, ReadsPartsOfAnObjectWhateverItIsCalled) {
    // signed as they are sent
    for (const std::string key : {"set/000000.tar", "a b/ü+(1)=&'~.tar", "deep/er/x.tar"}) {
        bucket.put("clips/" + key, bytes);
        auto objects = reader();
        const auto url = "s3://clips/" + key;
        const auto facts = objects.facts(url);
        EXPECT_EQ(facts.bytes, bytes.size()) << key;
        EXPECT_EQ(objects.read(url, 0, 10, facts.stamp), bytes.substr(0, 10));
        EXPECT_EQ(objects.read(url, 4321, 679, facts.stamp), bytes.substr(4321));
        EXPECT_THAT(refusal([&] { objects.read(url, 4990, 20, facts.stamp); }),
                    HasSubstr("ends before byte 5010"));
    }
}

TEST_F(ObjectReaderTest, ReadsAWebServersFilesWithoutKeys) {
    bucket.put("open/a.tar", bytes);
    auto objects = reader();
    const auto url = bucket.endpoint() + "/open/a.tar?X-Amz-Signature=hidden";
    EXPECT_EQ(objects.facts(url).bytes, bytes.size());
    const auto moved = bucket.endpoint() + "/moved/a.tar";  // as hubs lead to where they store
    EXPECT_EQ(objects.read(moved, 10, 20, objects.facts(moved).stamp), bytes.substr(10, 20));
    const auto gone =
        refusal([&] { objects.facts(bucket.endpoint() + "/open/b.tar?X-Amz-Signature=hidden"); });
    EXPECT_THAT(gone, AllOf(HasSubstr("There is no http://127.0.0.1"), Not(HasSubstr("hidden"))));
    bucket.fail({{"noRanges", true}});
    EXPECT_THAT(refusal([&] { objects.facts(url); }), HasSubstr("does not answer requests for a part"));
}

TEST(WithoutQuery, LeavesOutWhatSignsAnAddressAlone) {
    EXPECT_EQ(withoutQuery("https://store/a.tar?X-Amz-Signature=hidden"), "https://store/a.tar");
    EXPECT_EQ(withoutQuery("s3://clips/why?.tar"), "s3://clips/why?.tar");
    EXPECT_EQ(withoutQuery("/data/why?.tar"), "/data/why?.tar");
}

TEST_F(ObjectReaderTest, ListsABucketPageByPage) {
    for (const char* key : {"set/b.tar", "set/a&<x>.tar", "set/c.tar", "set/deep/d.tar", "other/e.tar"})
        bucket.put(std::string("clips/") + key, "x");
    bucket.put("clips/set/c.tar", bytes);
    const auto listed = reader().list("s3://clips/set/");
    std::vector<std::string> urls;
    for (const auto& object : listed) urls.push_back(object.url);
    EXPECT_THAT(urls, ElementsAre("s3://clips/set/a&<x>.tar", "s3://clips/set/b.tar", "s3://clips/set/c.tar",
                                  "s3://clips/set/deep/d.tar"));
    EXPECT_EQ(listed[2].facts.bytes, bytes.size());
    EXPECT_EQ(listed[2].facts.stamp, reader().facts("s3://clips/set/c.tar").stamp);
    EXPECT_TRUE(reader().list("s3://clips/none/").empty());
}

TEST_F(ObjectReaderTest, AsksAgainWhereTheServerIsBusyOrTheAnswerIsCut) {
    bucket.put("clips/a.tar", bytes);
    auto objects = reader();
    const auto facts = objects.facts("s3://clips/a.tar");
    bucket.fail({{"busy", 2}, {"cut", 1}});
    EXPECT_EQ(objects.read("s3://clips/a.tar", 100, 4000, facts.stamp), bytes.substr(100, 4000));
    EXPECT_EQ(bucket.requests().size(), 5U);
    bucket.fail({{"busy", 1000}});
    ObjectReader impatient(bucket.access(), {}, 1s);
    EXPECT_THAT(refusal([&] { impatient.facts("s3://clips/a.tar"); }),
                AllOf(HasSubstr("s3://clips/a.tar could not be reached for"),
                      HasSubstr("Please reduce your request rate"), Not(HasSubstr("<Code>"))));
}

TEST_F(ObjectReaderTest, RefusalsSayWhatToDo) {
    bucket.put("clips/a.tar", bytes);
    const auto with = [&](const std::function<void(S3Access&)>& change) {
        auto access = bucket.access();
        change(access);
        ObjectReader objects(access, {}, 2s);
        return refusal([&] { objects.facts("s3://clips/a.tar"); });
    };
    EXPECT_EQ(with([](S3Access&) {}), "accepted");
    for (const auto& text : {with([](S3Access& access) { access.secret = "wrong-secret"; }),
                             with([](S3Access& access) { access.keyId.clear(); })})
        EXPECT_THAT(text, AllOf(HasSubstr("Cannot read s3://clips/a.tar"), HasSubstr("AWS_PROFILE"),
                                HasSubstr("s3:GetObject"), Not(HasSubstr("wrong-secret"))));
    bucket.fail({{"skewed", true}});
    EXPECT_THAT(with([](S3Access&) {}), AllOf(HasSubstr("is too large"), HasSubstr("Set the node's clock.")));
    bucket.fail(Json::object());
    EXPECT_THAT(with([](S3Access& access) { access.endpoint = "http://127.0.0.1:1"; }),
                AllOf(HasSubstr("could not be reached"), HasSubstr("Check that the cluster's nodes reach")));
    EXPECT_THAT(refusal([&] { reader().facts("s3://"); }), HasSubstr("names no bucket"));
}

TEST_F(ObjectReaderTest, AnObjectThatChangedIsNotReadOn) {
    bucket.put("clips/a.tar", bytes);
    auto objects = reader();
    const auto facts = objects.facts("s3://clips/a.tar");
    bucket.put("clips/a.tar", countedBytes(5001));
    EXPECT_THAT(refusal([&] { objects.read("s3://clips/a.tar", 0, 10, facts.stamp); }),
                HasSubstr("has changed"));
}

TEST_F(ObjectReaderTest, DownloadsWholeOrNotAtAll) {
    bucket.put("clips/a.tar", bytes);
    auto objects = reader();
    const TemporaryFolder folder;
    const auto facts = objects.facts("s3://clips/a.tar");
    bucket.fail({{"cut", 1}});
    objects.download("s3://clips/a.tar", facts, folder.path() / "a.tar");
    EXPECT_EQ(readFile(folder.path() / "a.tar"), bytes);
    std::filesystem::remove(bucket.file("clips/a.tar"));
    EXPECT_THAT(refusal([&] { objects.download("s3://clips/a.tar", facts, folder.path() / "b.tar"); }),
                HasSubstr("There is no s3://clips/a.tar"));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_F(ObjectReaderTest, KeysThatExpireAreSentWithTheirToken) {
    bucket.put("clips/a.tar", bytes);
    auto access = bucket.access();
    access.sessionToken = "token-of-a-role";
    ObjectReader objects(access, {}, 2s);
    EXPECT_EQ(objects.facts("s3://clips/a.tar").bytes, bytes.size());
    EXPECT_THAT(bucket.requests().back(), HasSubstr("token-of-a-role"));
}

}  // namespace
}  // namespace dailies::objects
