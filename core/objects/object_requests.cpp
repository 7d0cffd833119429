#include "core/objects/object_requests.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/http/retry.h"
#include "core/objects/store_xml.h"

#include <utility>

namespace dailies::objects {

namespace {

constexpr std::string_view kBucketScheme = "s3://";

http::Credentials signing(const S3Access& access) {
    http::Credentials credentials;
    if (access.keyId.empty()) return credentials;
    credentials.user = access.keyId;
    credentials.password = access.secret;
    credentials.signature = "aws:amz:" + access.region + ":s3";
    credentials.sessionToken = access.sessionToken;
    return credentials;
}

}  // namespace

bool isBucketUrl(std::string_view text) {
    return text.starts_with(kBucketScheme);
}

bool isObjectUrl(std::string_view text) {
    return isBucketUrl(text) || text.starts_with("https://") || text.starts_with("http://");
}

std::string withoutQuery(const std::string& url) {
    const bool isWeb = isObjectUrl(url) && !isBucketUrl(url);
    return isWeb ? url.substr(0, url.find('?')) : url;
}

BucketKey bucketKeyOf(const std::string& url) {
    const auto rest = url.substr(kBucketScheme.size());
    const auto slash = rest.find('/');
    if (slash == 0 || rest.empty())
        throw InputError(sanitizedText(url) + " names no bucket.",
                         "It looks like s3://bucket/folder/000000.tar.");
    return {rest.substr(0, slash), slash == std::string::npos ? "" : rest.substr(slash + 1)};
}

ObjectRequests::ObjectRequests(S3Access access, std::stop_token stop, std::chrono::seconds patience)
    : m_access(std::move(access)),
      m_stop(stop),
      m_patience(patience),
      m_signed(signing(m_access), stop),
      m_plain({}, stop) {}

http::Response ObjectRequests::send(const std::string& url, const Send& send) {
    http::Retry retry(sanitizedText(withoutQuery(url)), "Check that the cluster's nodes reach the server.",
                      m_patience, m_stop);
    if (!isBucketUrl(url)) return retry.send([&] { return send(m_plain, url); });
    const auto [bucket, key] = bucketKeyOf(url);
    const auto address = s3Url(m_access, bucket, key);
    return retry.send([&] { return send(m_signed, address); });
}

void ObjectRequests::refuse(const std::string& task, const std::string& url,
                            const http::Response& response) const {
    const auto name = sanitizedText(withoutQuery(url));
    const auto code = firstElement(response.body, "Code");
    if (response.status == 404)
        throw Refused(code == "NoSuchBucket" && isBucketUrl(url)
                          ? "There is no bucket " + bucketKeyOf(url).bucket + "."
                          : "There is no " + name + ".");
    const auto why = http::refusalText(response);
    std::string remedy;
    if (code == "RequestTimeTooSkewed")
        remedy = "Set the node's clock.";
    else if (response.status == 401 || response.status == 403)
        remedy = isBucketUrl(url)
                     ? "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the job's environment, or "
                       "AWS_PROFILE to a profile that the nodes have; its policy must allow s3:ListBucket, " +
                           std::string(task == "read" ? "and s3:GetObject."
                                                      : "s3:GetObject, s3:PutObject and s3:DeleteObject.")
                     : "A signed URL may have expired: sign it again.";
    else if (response.status == 301 || code == "AuthorizationHeaderMalformed")
        remedy = "Set AWS_REGION to the region of the bucket.";
    throw Refused("Cannot " + task + " " + name + ": the server answered with status " +
                      std::to_string(response.status) + (why.empty() ? "." : ": " + why),
                  remedy);
}

}  // namespace dailies::objects
