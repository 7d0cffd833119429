#include "core/objects/object_writer.h"

#include "core/base/error.h"
#include "tests/core/objects/running_bucket.h"

#include <gmock/gmock.h>

#include <functional>
#include <numeric>

namespace dailies::objects {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

class ObjectWriterTest : public testing::Test {
protected:
    ObjectWriterTest() {
        std::iota(bytes.begin(), bytes.end(), '\0');
        writeFileAtomically(file, bytes);
        bucket.put("runs/there", "x");
    }
    ObjectWriter writer(std::chrono::seconds patience = 20s) const {
        return ObjectWriter(bucket.access(), {}, patience, 1000);
    }
    std::string refusal(const std::function<void()>& work) const {
        try {
            work();
        } catch (const Error& error) {
            return error.full();
        }
        return "accepted";
    }

    RunningBucket bucket;
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "weights";
    std::string bytes = std::string(4321, '\0');
};

TEST_F(ObjectWriterTest, WritesFilesWholeAndInPartsWhateverTheyAreCalled) {
    auto objects = writer();
    for (const std::string key : {"a/weights", "a b/ü+(1)=&'~.mp4"}) {
        objects.upload(file, "s3://runs/" + key);
        EXPECT_EQ(readFile(bucket.file("runs/" + key)), bytes) << key;
    }
    EXPECT_THAT(bucket.writes(), Contains(HasSubstr("PUT /runs/a/weights?partNumber=5&uploadId=")));
    EXPECT_EQ(bucket.openUploads(), 0u);
    for (const std::size_t size : {0, 1, 999, 1000, 1001, 2000}) {
        writeFileAtomically(file, bytes.substr(0, size));
        objects.upload(file, "s3://runs/a/weights");
        EXPECT_EQ(readFile(bucket.file("runs/a/weights")), bytes.substr(0, size)) << size;
    }
}

TEST_F(ObjectWriterTest, RemovesObjectsThatMayBeGone) {
    auto objects = writer();
    objects.remove("s3://runs/there");
    EXPECT_FALSE(std::filesystem::exists(bucket.file("runs/there")));
    objects.remove("s3://runs/there");
}

TEST_F(ObjectWriterTest, SendsAgainWhatABusyServerOrALostConnectionDidNotTake) {
    bucket.fail({{"busy", 2}, {"lost", 2}});
    writer().upload(file, "s3://runs/weights");
    EXPECT_EQ(readFile(bucket.file("runs/weights")), bytes);
}

TEST_F(ObjectWriterTest, GivesUpWithWhatCanBeDoneAndLeavesWhatWasThere) {
    auto objects = writer();
    objects.upload(file, "s3://runs/weights");
    writeFileAtomically(file, bytes + "more");
    bucket.fail({{"full", true}});
    EXPECT_THAT(refusal([&] { objects.upload(file, "s3://runs/weights"); }),
                AllOf(HasSubstr("Cannot write s3://runs/weights: the server answered with status 403: The "
                                "bucket is full."),
                      HasSubstr("s3:PutObject")));
    EXPECT_EQ(readFile(bucket.file("runs/weights")), bytes);
    bucket.fail(Json::object());
    EXPECT_THAT(refusal([&] { objects.upload(file, "s3://elsewhere/weights"); }),
                HasSubstr("There is no bucket elsewhere."));
    EXPECT_THAT(refusal([&] { objects.upload(folder.path() / "gone", "s3://runs/gone"); }),
                HasSubstr("Cannot read"));
    auto access = bucket.access();
    access.secret = "another";
    EXPECT_THAT(refusal([&] { ObjectWriter(access).upload(file, "s3://runs/weights"); }),
                HasSubstr("AWS_SECRET_ACCESS_KEY"));
}

TEST_F(ObjectWriterTest, AnUploadThatFailsInTheMiddleLeavesNoParts) {
    bucket.put("runs/weights", "before");
    auto objects = writer(1s);
    std::filesystem::resize_file(file, 2500);
    bucket.fail({{"partsLost", true}});
    EXPECT_THAT(refusal([&] { objects.upload(file, "s3://runs/weights"); }), HasSubstr("status 503"));
    EXPECT_EQ(readFile(bucket.file("runs/weights")), "before");
    EXPECT_EQ(bucket.openUploads(), 0u);
}

}  // namespace
}  // namespace dailies::objects
