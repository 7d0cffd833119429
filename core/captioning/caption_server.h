#pragma once

#include "core/captioning/caption_answer.h"
#include "core/captioning/caption_job.h"
#include "core/http/http_connection.h"
#include "core/http/retry.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::captioning {

/// A server that did not accept what it was asked about one clip; it may accept the next.
class ClipRefused : public Error {
public:
    using Error::Error;
};

/// An OpenAI-compatible server (vLLM, SGLang, llama.cpp, Ollama, or a provider's) and its vision-language
/// model. The key of OPENAI_API_KEY goes with each request. One thread at a time.
class CaptionServer {
public:
    /// `url` is its root, ".../v1". What is busy or away is asked again for `patience`; `beforeRetry` may
    /// throw where that is in vain.
    CaptionServer(std::string url, std::chrono::seconds patience, const std::stop_token& stop,
                  std::function<void()> beforeRetry = {});

    /// The models that it has. Throws `Error` where it is not there, or no such server.
    std::vector<std::string> models();

    /// What the model says of pictures (JPEG files) of a clip. Throws `ClipRefused`, `Error` where no request
    /// would be accepted, and `Cancelled`.
    Answer describe(const CaptionSettings& settings, const std::vector<std::string>& jpegs);

private:
    http::Response send(const std::function<http::Response()>& request);
    Json accepted(const http::Response& response, const std::string& what) const;

    std::string m_url;
    http::Retry m_retry;
    http::Connection m_connection;
    std::function<void()> m_beforeRetry;
};

}  // namespace dailies::captioning
