#include "trainer/parallel/lost_rank.h"

#include "core/base/text.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <mutex>

namespace dailies::trainer {

namespace {

constexpr std::size_t kLongest = 300;

/// "ncclRemoteError" in NCCL's own text; empty where there is none.
std::string_view codeIn(std::string_view message) {
    for (auto at = message.find("nccl"); at != message.npos; at = message.find("nccl", at + 1)) {
        const auto end =
            message.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", at);
        const auto word = message.substr(at, end == message.npos ? end : end - at);
        if (word.ends_with("Error") && word.size() > 9) return word;
    }
    return {};
}

std::string_view firstLine(std::string_view text) {
    text = trim(text);
    return trim(text.substr(0, text.find('\n')));
}

std::mutex s_mutex;
LostRankTerminateHandler::Explain s_explain;  // guarded by s_mutex
std::terminate_handler s_usual = nullptr;

void endAsLost(const std::exception& thrown) {
    LostRankTerminateHandler::Explain explain;
    {
        const std::lock_guard lock(s_mutex);
        explain = s_explain;
    }
    if (!explain || !isLostConnection(thrown)) return;
    const auto error =
        explain(LostRank("The connection to another rank broke: " + extractFault(thrown.what())));
    std::cerr << "dailies-train: " << sanitizedText(error.full()) << std::endl;
    std::_Exit(EXIT_FAILURE);
}

[[noreturn]] void endThread() {
    if (const auto thrown = std::current_exception()) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception& error) {
            endAsLost(error);
        } catch (...) {  // of another kind
        }
    }
    if (s_usual) s_usual();
    std::abort();
}

}  // namespace

std::string extractFault(std::string_view message) {
    const auto code = codeIn(message);
    constexpr std::string_view kDetail = "Last error:";
    const auto detail = message.find(kDetail);
    auto line = firstLine(detail == message.npos ? message : message.substr(detail + kDetail.size()));
    // NCCL may have kept no detail, and c10 writes where it was thrown
    if (line.empty() || line.starts_with("Exception raised from")) line = firstLine(message);
    auto text = std::string(line.substr(0, kLongest));
    if (!code.empty() && text.find(code) == std::string::npos) text = std::string(code) + ": " + text;
    return text.ends_with('.') ? text : text + ".";
}

bool isLostConnection(const std::exception& error) {
    if (dynamic_cast<const c10::DistError*>(&error)) return true;
    if (dynamic_cast<const c10::Error*>(&error)) return false;
    // Gloo's exceptions are only known by their text here
    const std::string_view text = error.what();
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"Connection closed by peer", "Connection reset by peer",
                                                "Broken pipe", "Timed out waiting", "gloo/transport"},
        [&](std::string_view part) { return text.find(part) != text.npos; });
}

LostRankTerminateHandler::LostRankTerminateHandler(Explain explain) {
    const std::lock_guard lock(s_mutex);
    s_explain = std::move(explain);
    if (!s_usual) s_usual = std::set_terminate(endThread);
}

LostRankTerminateHandler::~LostRankTerminateHandler() {
    const std::lock_guard lock(s_mutex);
    s_explain = nullptr;
}

}  // namespace dailies::trainer
