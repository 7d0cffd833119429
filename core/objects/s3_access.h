#pragma once

#include <functional>
#include <optional>
#include <string>

namespace dailies::objects {

/// How buckets are reached. Secrets stay in memory.
struct S3Access {
    std::string endpoint;  ///< of a store other than AWS's; empty: AWS
    std::string region = "us-east-1";
    std::string keyId, secret, sessionToken;  ///< empty: nobody signs, for buckets that are open to all
};

/// A variable of the environment; nullopt where it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment processEnvironment();

/// As AWS's own tools find it: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION or
/// AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, else what the profile AWS_PROFILE ("default")
/// has in ~/.aws/credentials and ~/.aws/config, which AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE move.
/// Throws `InputError` for a profile that neither file has.
S3Access s3Access(const Environment& environment = processEnvironment());

/// Where an object of a bucket is asked for: "https://bucket.s3.region.amazonaws.com/key", or behind the
/// endpoint "/bucket/key", as also for names with dots, of which no certificate is.
std::string s3Url(const S3Access& access, const std::string& bucket, const std::string& key);

}  // namespace dailies::objects
