#include "core/objects/s3_access.h"

#include "core/base/error.h"
#include "core/base/files.h"

#include <gmock/gmock.h>

#include <map>

namespace dailies::objects {
namespace {

using testing::HasSubstr;

class S3AccessTest : public testing::Test {
protected:
    S3AccessTest() {
        variables["HOME"] = home.path().string();
        writeFileAtomically(
            home.path() / ".aws/credentials",
            "[default]\naws_access_key_id = default-id\naws_secret_access_key=default=secret\n"
            "# of the lab\n[lab]\naws_access_key_id = lab-id\naws_secret_access_key = lab-secret\n"
            "aws_session_token = lab-token\n");
        writeFileAtomically(home.path() / ".aws/config",
                            "[default]\nregion = eu-west-1\n[profile lab]\nregion = us-west-2\ns3 =\n"
                            "  region = nested\nendpoint_url = https://minio.lab:9000/\n");
    }
    S3Access access() const {
        return s3Access([this](const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        });
    }

    TemporaryFolder home;
    std::map<std::string, std::string> variables;
};

TEST_F(S3AccessTest, IsTheDefaultProfileOrTheOneThatIsNamed) {
    auto found = access();
    EXPECT_EQ(found.keyId, "default-id");
    EXPECT_EQ(found.secret, "default=secret");
    EXPECT_EQ(found.region, "eu-west-1");
    EXPECT_EQ(found.endpoint, "");
    variables["AWS_PROFILE"] = "lab";
    found = access();
    EXPECT_EQ(found.keyId, "lab-id");
    EXPECT_EQ(found.sessionToken, "lab-token");
    EXPECT_EQ(found.region, "us-west-2");
    EXPECT_EQ(found.endpoint, "https://minio.lab:9000");
    variables["AWS_PROFILE"] = "gone";
    EXPECT_THAT([&] { access(); }, testing::ThrowsMessage<InputError>(HasSubstr("AWS_PROFILE: found gone")));
}

TEST_F(S3AccessTest, TheEnvironmentGoesFirst) {
    variables.insert({{"AWS_ACCESS_KEY_ID", "id"},
                      {"AWS_SECRET_ACCESS_KEY", "secret"},
                      {"AWS_DEFAULT_REGION", "eu-north-1"},
                      {"AWS_ENDPOINT_URL", "http://store:9000"}});
    const auto found = access();
    EXPECT_EQ(found.keyId, "id");
    EXPECT_EQ(found.sessionToken, "") << "a profile's token is of its own keys";
    EXPECT_EQ(found.region, "eu-north-1");
    EXPECT_EQ(found.endpoint, "http://store:9000");
    variables = {{"HOME", "/nowhere"}};
    EXPECT_EQ(access().keyId, "") << "for buckets that are open to all";
}

TEST(S3Url, IsTheBucketsOwnHostOrBehindTheEndpoint) {
    S3Access access;
    access.region = "eu-west-1";
    EXPECT_EQ(s3Url(access, "clips", "a b/0.tar"), "https://clips.s3.eu-west-1.amazonaws.com/a%20b/0.tar");
    EXPECT_EQ(s3Url(access, "my.clips", "0.tar"), "https://s3.eu-west-1.amazonaws.com/my.clips/0.tar");
    access.endpoint = "http://store:9000";
    EXPECT_EQ(s3Url(access, "clips", "0.tar"), "http://store:9000/clips/0.tar");
}

}  // namespace
}  // namespace dailies::objects
