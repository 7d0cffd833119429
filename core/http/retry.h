#pragma once

#include "core/http/http_connection.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace dailies::http {

/// Sends until a server answers anything but "try again" (408, 429, 5xx): with growing pauses, and none
/// shorter than the server asks for. One thread at a time.
class Retry {
public:
    /// `server`: as messages name it, "The tracking server https://…". `remedy`: what to do where it does
    /// not come back within `timeout`.
    Retry(std::string server, std::string remedy, std::chrono::seconds timeout, std::stop_token stop);

    /// How long no connection is tried again before the server has answered anything at all.
    void setConnectTimeout(std::chrono::seconds timeout);

    /// `beforeRetry`, when given, is called before each further try; when it returns an answer, that is the
    /// response. Throws `Error` as above, and `Cancelled`.
    Response send(const std::function<Response()>& send,
                  const std::function<std::optional<Response>()>& beforeRetry = {});

private:
    std::string m_server, m_remedy;
    std::chrono::seconds m_timeout, m_connectTimeout;
    bool m_answered = false;
    std::stop_token m_stop;
};

/// What a server says of a request that it refused, harmless for a terminal: "message" of its JSON, or of
/// "error" in it, or of its XML, else the first 500 bytes of its answer.
std::string refusalText(const Response& response);

}  // namespace dailies::http
