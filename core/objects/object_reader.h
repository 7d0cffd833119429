#pragma once

#include "core/http/http_connection.h"
#include "core/objects/s3_access.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::objects {

/// Whether a text names what lies in a bucket (s3://bucket/key) or on a web server (http://, https://).
bool isObjectUrl(std::string_view text);

/// A URL without what may sign it ("?X-Amz-Signature=…"), for messages and names; other texts as they are.
std::string withoutQuery(const std::string& url);

/// A server answered that it does not give an object, however often it is asked.
class Refused : public Error {
public:
    using Error::Error;
};

struct ObjectFacts {
    std::uint64_t bytes = 0;
    std::string stamp;  ///< of its content, or else of its last change: another stamp is another object
};

struct ListedObject {
    std::string url;
    ObjectFacts facts;
};

/// Reads objects by ranged requests over one connection that stays open. What a server answers with "try
/// again", and what is cut or silent, is asked for again with growing pauses for `patience`. One thread at a
/// time. Throws `Refused`, and other `Error`s, with the object's name and what can be done.
class ObjectReader {
public:
    explicit ObjectReader(const S3Access& access, std::stop_token stop = {},
                          std::chrono::seconds patience = std::chrono::minutes(5));

    ObjectFacts facts(const std::string& url);

    /// Those bytes, all of them. `stamp`: of `facts`; throws where the object has another by now.
    std::string read(const std::string& url, std::uint64_t offset, std::uint64_t bytes,
                     const std::string& stamp);

    /// Into a file, which is whole or absent.
    void download(const std::string& url, const ObjectFacts& facts, const std::filesystem::path& file);

    /// The objects of a bucket whose URLs begin with `url` (s3:// alone), in the order of their names.
    std::vector<ListedObject> list(const std::string& url);

private:
    /// What `send` answers, asked again where it may help.
    http::Response ask(const std::string& url, const std::function<http::Response(http::Connection&)>& send);
    http::Response askPart(const std::string& url, std::uint64_t offset, std::uint64_t bytes);
    [[noreturn]] void refuse(const std::string& url, const http::Response& response) const;

    S3Access m_access;
    std::stop_token m_stop;
    std::chrono::seconds m_patience;
    http::Connection m_signed, m_plain;
};

}  // namespace dailies::objects
