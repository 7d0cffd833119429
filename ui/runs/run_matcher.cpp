#include "ui/runs/run_matcher.h"

#include "core/base/text.h"
#include "ui/widgets/run_text.h"

#include <algorithm>
#include <array>
#include <regex>

namespace dailies::ui {

namespace {

/// Lower case: ASCII by hand, since this runs over every byte of every run; Qt only where there is more.
void appendLower(std::string& out, const std::string& text) {
    if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > 127; })) {
        out += QString::fromStdString(text).toLower().toStdString();
        return;
    }
    const std::size_t from = out.size();
    out += text;
    std::transform(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(),
                   out.begin() + static_cast<std::ptrdiff_t>(from),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
}

std::string searchText(const tracking::Run& run) {
    std::string text;
    text.reserve(256 + 32 * run.params.size());
    for (const auto& part : {run.name, run.id, run.experiment, tagOf(run, tracking::tag::kSweepName),
                             statusText(run).toStdString(), tagOf(run, tracking::tag::kSlurmState),
                             reasonText(run).toStdString()}) {
        appendLower(text, part);
        text += ' ';
    }
    for (const auto& [key, value] : run.params) {
        appendLower(text, key);
        text += '=';
        appendLower(text, value);
        text += ' ';
    }
    return text;
}

}  // namespace

RunMatcher RunMatcher::ofWords(const std::string& text) {
    std::string lower;
    appendLower(lower, text);
    RunMatcher matcher;
    matcher.m_words = split(lower, ' ');
    std::erase(matcher.m_words, std::string());
    return matcher;
}

RunMatcher RunMatcher::ofQuery(query::Filter filter) {
    RunMatcher matcher;
    matcher.m_filter = std::move(filter);
    return matcher;
}

bool RunMatcher::matches(const tracking::Run& run) const {
    if (!query::matches(m_filter, run)) {
        return false;
    }
    if (m_words.empty()) {
        return true;
    }
    const std::string text = searchText(run);
    return std::all_of(m_words.begin(), m_words.end(),
                       [&](const auto& word) { return text.find(word) != std::string::npos; });
}

bool looksLikeQuery(const std::string& text) {
    static const std::regex kField(
        R"(^[\s(]*(not\s+)?(metrics?|params?|parameters|tags?|attributes?|attr|run)\.)",
        std::regex::icase | std::regex::optimize);
    static const std::regex kComparison(
        R"([<>]|!=|==|\s=|=\s|=['"]|\s(i?like\s*['"]|in\s*\(|is\s+(not\s+)?null))",
        std::regex::icase | std::regex::optimize);
    constexpr std::size_t kLongest = 4096;  // std::regex recurses a frame a character
    const std::string start = text.substr(0, kLongest);
    return std::regex_search(start, kField) || std::regex_search(start, kComparison);
}

}  // namespace dailies::ui
