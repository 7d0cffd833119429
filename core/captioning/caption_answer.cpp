#include "core/captioning/caption_answer.h"

#include "core/base/text.h"
#include "core/video/caption_beside.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace dailies::captioning {

namespace {

using curation::CaptionStatus;

constexpr std::string_view kThoughtEnd = "</think>";
constexpr std::array<std::string_view, 12> kRefusals = {
    "i'm sorry",  "i am sorry",  "sorry,",       "i cannot", "i can't",          "i can not",
    "i'm unable", "i am unable", "i'm not able", "as an ai", "unfortunately, i", "i apologize"};
constexpr std::size_t kPhrase = 4;  ///< words
constexpr std::size_t kFewestPhrases = 16;
constexpr double kDistinctShare = 0.6;

std::string withoutThoughts(std::string_view text) {
    const auto end = text.rfind(kThoughtEnd);
    return std::string(end == std::string_view::npos ? text : text.substr(end + kThoughtEnd.size()));
}

bool isRefusal(std::string text) {
    for (auto at = text.find("’"); at != std::string::npos; at = text.find("’"))
        text.replace(at, std::string_view("’").size(), "'");
    text = lowered(text);
    return std::ranges::any_of(kRefusals, [&](auto begin) { return text.starts_with(begin); });
}

/// Models that lose their way say a phrase over and over: of all runs of four words too few are distinct.
bool repeatsItself(const std::string& text) {
    auto words = split(lowered(text), ' ');
    if (words.size() < kPhrase + kFewestPhrases) return false;
    std::set<std::string> phrases;
    const auto count = words.size() - kPhrase + 1;
    for (std::size_t i = 0; i < count; ++i)
        phrases.insert(words[i] + ' ' + words[i + 1] + ' ' + words[i + 2] + ' ' + words[i + 3]);
    return static_cast<double>(phrases.size()) < kDistinctShare * static_cast<double>(count);
}

CaptionStatus statusOf(const Answer& answer, const std::string& text) {
    if (answer.isBlocked || isRefusal(text)) return CaptionStatus::Refused;
    if (repeatsItself(text)) return CaptionStatus::Repeats;
    if (answer.isCut) return CaptionStatus::Truncated;
    return text.empty() ? CaptionStatus::Empty : CaptionStatus::Written;
}

}  // namespace

curation::Caption captionOf(const Answer& answer) {
    auto text = video::captionLine(withoutThoughts(answer.text));
    const auto status = statusOf(answer, text);
    return {.text = std::move(text), .status = status};
}

}  // namespace dailies::captioning
