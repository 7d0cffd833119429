#pragma once

#include "core/http/http_connection.h"
#include "core/objects/s3_access.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace dailies::objects {

/// Whether a text names what lies in a bucket (s3://bucket/key).
bool isBucketUrl(std::string_view text);
/// The same, or what lies on a web server (http://, https://).
bool isObjectUrl(std::string_view text);

/// A URL without what may sign it ("?X-Amz-Signature=…"), for messages and names; other texts as they are.
std::string withoutQuery(const std::string& url);

/// A server answered that it does not give, or take, an object, however often it is asked.
class Refused : public Error {
public:
    using Error::Error;
};

struct BucketKey {
    std::string bucket, key;
};

/// Throws `InputError` for an s3:// URL without a bucket.
BucketKey bucketKeyOf(const std::string& url);

/// Requests for objects over one connection that stays open, signed for those in buckets. What a server
/// answers with "try again", and what is cut or silent, is sent again with growing pauses for `patience`.
/// One thread at a time.
class ObjectRequests {
public:
    ObjectRequests(S3Access access, std::stop_token stop, std::chrono::seconds patience);

    using Send = std::function<http::Response(http::Connection&, const std::string& address)>;
    /// What `send` answers, which is given where the object is asked for. Throws `Error` where no answer
    /// comes, `Cancelled` when stopped.
    http::Response send(const std::string& url, const Send& send);

    /// Throws the `Refused` of an answer, with what can be done. `task`: "read" or "write".
    [[noreturn]] void refuse(const std::string& task, const std::string& url,
                             const http::Response& response) const;

private:
    S3Access m_access;
    std::stop_token m_stop;
    std::chrono::seconds m_patience;
    http::Connection m_signed, m_plain;
};

}  // namespace dailies::objects
