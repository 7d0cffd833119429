#include "core/captioning/caption_server.h"

#include "core/base/error.h"
#include "core/video/jpeg.h"

#include <cstdlib>
#include <optional>
#include <utility>

namespace dailies::captioning {

namespace {

/// A whole answer is made before its first byte is sent.
constexpr std::chrono::seconds kLongestAnswer(600);

http::Credentials keyFromEnvironment() {
    const char* key = std::getenv("OPENAI_API_KEY");
    http::Credentials access;
    access.token = key ? key : "";
    return access;
}

Json requestOf(const CaptionSettings& settings, const std::vector<std::string>& jpegs) {
    Json content = Json::array({{{"type", "text"}, {"text", settings.prompt}}});
    for (const auto& jpeg : jpegs)
        content.push_back({{"type", "image_url"},
                           {"image_url", {{"url", "data:image/jpeg;base64," + video::base64(jpeg)}}}});
    return {{"model", settings.model},
            {"messages", Json::array({{{"role", "user"}, {"content", std::move(content)}}})},
            {"max_tokens", settings.maxTokens},
            {"temperature", settings.temperature}};
}

std::string textIn(const Json& message) {
    const auto content = message.find("content");
    return content != message.end() && content->is_string() ? content->get<std::string>() : std::string();
}

}  // namespace

CaptionServer::CaptionServer(std::string url, std::chrono::seconds patience, const std::stop_token& stop,
                             std::function<void()> beforeRetry)
    : m_url(std::move(url)),
      m_retry("The caption server " + m_url,
              "Captions are kept: start the server again, then the same command, which goes on.", patience,
              stop),
      m_connection(keyFromEnvironment(), stop, kLongestAnswer),
      m_beforeRetry(std::move(beforeRetry)) {}

http::Response CaptionServer::send(const std::function<http::Response()>& request) {
    return m_retry.send(request, [this]() -> std::optional<http::Response> {
        if (m_beforeRetry) m_beforeRetry();
        return std::nullopt;
    });
}

std::vector<std::string> CaptionServer::models() {
    const auto answer =
        accepted(send([&] { return m_connection.get(m_url + "/models"); }), "name its models");
    std::vector<std::string> names;
    if (const auto models = answer.find("data"); models != answer.end() && models->is_array())
        for (const auto& model : *models)
            if (model.is_object()) names.push_back(model.value("id", std::string()));
    return names;
}

Answer CaptionServer::describe(const CaptionSettings& settings, const std::vector<std::string>& jpegs) {
    const auto body = requestOf(settings, jpegs).dump(-1, ' ', false, Json::error_handler_t::replace);
    const auto answer = accepted(send([&] { return m_connection.post(m_url + "/chat/completions", body); }),
                                 "describe a clip");
    try {
        const auto& choice = answer.at("choices").at(0);
        const auto& reason = choice.value("finish_reason", Json());
        Answer said{.text = textIn(choice.at("message")),
                    .isCut = reason == "length",
                    .isBlocked = reason == "content_filter"};
        if (const auto usage = answer.find("usage"); usage != answer.end() && usage->is_object())
            said.tokens = usage->value("completion_tokens", std::int64_t{0});
        return said;
    } catch (const Json::exception&) {
        throw ClipRefused("The caption server's answer has no \"choices\" with a message.");
    }
}

Json CaptionServer::accepted(const http::Response& response, const std::string& what) const {
    if (response.status >= 200 && response.status <= 299) {
        auto body = Json::parse(response.body, nullptr, false);
        if (body.is_object()) return body;
        throw Error(m_url + " is no OpenAI-compatible server: its answer is not JSON.",
                    "Check its URL, which mostly ends in /v1.");
    }
    const auto why = http::refusalText(response);
    const auto answered = "The caption server " + m_url + " refused to " + what + " (status " +
                          std::to_string(response.status) + (why.empty() ? "" : ": " + why) + ").";
    if (response.status == 401 || response.status == 403)
        throw Error(answered, "Set OPENAI_API_KEY to a key that it accepts.");
    if (response.status == 404)
        throw Error(answered, "Check its URL, which mostly ends in /v1, and the model's name.");
    if (response.status >= 300 && response.status < 400)
        throw Error(answered, "Use the address that it redirects to.");
    throw ClipRefused(answered);
}

}  // namespace dailies::captioning
