#pragma once

#include "core/base/error.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace dailies::exchange {

/// What a server answered.
struct HttpResponse {
    int status = 0;
    std::string body;
    std::optional<std::chrono::seconds> retryAfter{};  ///< how long it asks to be left alone
};

/// No whole response came: refused, cut, or silent for a minute. Whether the server acted is not known.
class ConnectionError : public Error {
public:
    using Error::Error;
};

/// Who asks, and which certificates are believed: from the environment variables that MLflow's own client
/// reads. Kept in memory alone.
struct HttpCredentials {
    std::string token, user, password;
    std::string certificate;  ///< a file; empty: the system's
    bool insecureTls = false;

    static HttpCredentials fromEnvironment();
};

/// One connection that is kept open between requests. One thread at a time. Redirects are not followed, so
/// that credentials reach the named server alone. `ConnectionError` as above, `Error` where trying again is
/// of no use (a certificate that is not believed), `Cancelled` when stopped.
class HttpConnection {
public:
    HttpConnection(HttpCredentials access, std::stop_token stop);
    ~HttpConnection();
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    HttpResponse get(const std::string& url);
    HttpResponse post(const std::string& url, const std::string& json);
    HttpResponse put(const std::string& url, const std::filesystem::path& file);

private:
    struct Curl;
    std::unique_ptr<Curl> m_curl;
};

/// Percent-encoded for a query, or for a path (slashes stay).
std::string urlEncoded(std::string_view text);
std::string urlEncodedPath(std::string_view path);

}  // namespace dailies::exchange
