#pragma once

#include "core/base/error.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace dailies::http {

/// What a server answered.
struct Response {
    int status = 0;
    std::string body;
    std::optional<std::chrono::seconds> retryAfter{};  ///< how long it asks to be left alone
    std::string etag{};                                ///< as it stands there; empty: not told
    std::string lastModified{};                        ///< likewise
    std::string contentRange{};                        ///< "bytes 0-99/1234", of a part
};

/// No whole response came: refused, cut, or silent for too long. Whether the server acted is not known.
class ConnectionError : public Error {
public:
    using Error::Error;
};

/// Who asks, and which certificates are believed. Kept in memory alone.
struct Credentials {
    std::string token, user, password;
    std::string certificate;  ///< a file; empty: the system's
    bool insecureTls = false;
    /// "aws:amz:eu-west-1:s3": requests are signed with user and password (AWS Signature Version 4) instead
    /// of bearing them.
    std::string signature = {};
    std::string sessionToken = {};  ///< of a signature with keys that expire; empty: they do not
};

/// One connection that is kept open between requests. One thread at a time. Redirects are not followed, so
/// that credentials reach the named server alone; parts that are asked for without any are where they lead.
/// `ConnectionError` as above, `Error` where trying again is of no use (a certificate that is not believed),
/// `Cancelled` when stopped.
class Connection {
public:
    /// `silence`: how long a server may say nothing before it is taken for gone. Throws `Error` in a build
    /// without libcurl.
    Connection(Credentials access, std::stop_token stop,
               std::chrono::seconds silence = std::chrono::seconds(60));
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    Response get(const std::string& url);
    /// So many bytes from `first` on, status 206; other statuses bring what the server pleased.
    Response getPart(const std::string& url, std::uint64_t first, std::uint64_t count);
    Response post(const std::string& url, const std::string& json);
    Response put(const std::string& url, const std::filesystem::path& file);
    /// "PUT", "POST" or "DELETE" with those bytes, which a signature covers.
    Response send(const char* method, const std::string& url, std::string_view bytes = {});

private:
    struct Curl;
    std::unique_ptr<Curl> m_curl;
};

/// Percent-encoded for a query, or for a path (slashes stay).
std::string urlEncoded(std::string_view text);
std::string urlEncodedPath(std::string_view path);

}  // namespace dailies::http
