#include "core/http/retry.h"

#include "core/base/json.h"
#include "core/base/sleep.h"
#include "core/base/text.h"

#include <algorithm>
#include <utility>

namespace dailies::http {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kFirstPause = 200ms, kLongestPause = 10s;
constexpr std::size_t kLongestRefusal = 500;

bool isRetryable(int status) {
    return status == 408 || status == 429 || (status >= 500 && status != 501);
}

}  // namespace

Retry::Retry(std::string server, std::string remedy, std::chrono::seconds timeout, std::stop_token stop)
    : m_server(std::move(server)),
      m_remedy(std::move(remedy)),
      m_timeout(timeout),
      m_connectTimeout(timeout),
      m_stop(std::move(stop)) {}

void Retry::setConnectTimeout(std::chrono::seconds timeout) {
    m_connectTimeout = std::min(timeout, m_timeout);
}

Response Retry::send(const std::function<Response()>& send,
                     const std::function<std::optional<Response>()>& beforeRetry) {
    const auto begin = std::chrono::steady_clock::now();
    auto wait = kFirstPause;
    for (bool again = false;; again = true) {
        std::string reason;
        auto thisWait = wait;
        try {
            if (again && beforeRetry)
                if (auto response = beforeRetry()) return *response;
            auto response = send();
            m_answered = true;
            if (!isRetryable(response.status)) return response;
            reason = "it answered with status " + std::to_string(response.status);
            if (const auto why = refusalText(response); !why.empty()) reason += " (" + why + ")";
            if (response.retryAfter)
                thisWait = std::max(thisWait, std::chrono::milliseconds(*response.retryAfter));
        } catch (const ConnectionError& lost) {
            reason = lost.what();
        }
        const auto timeout = m_answered ? m_timeout : m_connectTimeout;
        const auto took = std::chrono::steady_clock::now() - begin;
        if (took + thisWait > timeout)  // one try alone may have taken longer
            throw Error(m_server + " could not be reached for " +
                            durationText(std::max<std::int64_t>(1000 * timeout.count(), took / 1ms)) + ": " +
                            reason + ".",
                        m_remedy);
        sleepUnlessStopped(thisWait, m_stop);
        wait = std::min(wait * 2, kLongestPause);
    }
}

std::string refusalText(const Response& response) {
    const Json body = Json::parse(response.body, nullptr, false);
    const auto messageIn = [](const Json& object) -> std::optional<std::string> {
        if (!object.is_object()) return std::nullopt;
        const auto found = object.find("message");
        return found != object.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                           : std::nullopt;
    };
    auto why = messageIn(body);
    if (!why && body.is_object())
        if (const auto error = body.find("error"); error != body.end())
            why = error->is_string() ? std::optional(error->get<std::string>()) : messageIn(*error);
    const std::string begin = "<Message>";  // of an S3 store's XML
    if (const auto at = response.body.find(begin);
        !why && response.body.starts_with('<') && at != std::string::npos) {
        const auto first = at + begin.size();
        why = response.body.substr(first, response.body.find('<', first) - first);
    }
    auto text = why ? *why : trim(std::string(response.body));
    if (text.size() > kLongestRefusal) text = text.substr(0, kLongestRefusal) + "…";
    return sanitizedText(text);
}

}  // namespace dailies::http
