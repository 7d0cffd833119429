#include "core/rules/output_rule.h"

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <re2/re2.h>

namespace dailies::rules {

namespace {

constexpr std::size_t kLongestExpression = 1'500;
constexpr std::size_t kLongestLine = 65'536;  // of metrics; what is longer is something else
constexpr std::size_t kMostMatches = 64;      // of a line: each may look through all of it
constexpr std::size_t kMostGroups = 100;

constexpr std::string_view kStep = "step", kName = "name", kValue = "value";

constexpr const char* kRuleExample =
    R"(Name the step and the metrics, as in step=(?P<step>\d+) loss=(?P<loss>\S+).)";

/// "1,234" is a number, too.
std::string withoutGrouping(std::string_view text) {
    std::string plain(trim(text));
    std::erase(plain, ',');
    return plain;
}

std::optional<std::int64_t> stepOf(std::string_view text) {
    const auto number = parseNumber(withoutGrouping(text));
    if (!number || *number != std::floor(*number) || std::fabs(*number) > 9e15) return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

[[noreturn]] void refuse(const re2::RE2& expression) {
    const std::string& text = expression.pattern();
    const std::string& part = expression.error_arg();
    std::string what = "the regular expression has a mistake";
    if (const auto at = text.find(part); !part.empty() && part != text && at != std::string::npos)
        what += " at character " + std::to_string(at + 1);
    std::string remedy = kRuleExample;
    using enum re2::RE2::ErrorCode;
    if (part.starts_with("(?<") && !part.starts_with("(?<=") && !part.starts_with("(?<!"))
        remedy = "Write a named group as (?P<step>…).";
    else if (part.starts_with("(?=") || part.starts_with("(?!") || part.starts_with("(?<"))
        remedy = "Look-ahead and look-behind are not available.";
    else if (expression.error_code() == re2::RE2::ErrorBadEscape && part.size() == 2 && part[1] >= '1' &&
             part[1] <= '9')
        remedy = "Back-references are not available.";
    throw InputError(what + ": " + sanitizedText(expression.error()) + ".", remedy);
}

}  // namespace

OutputRule::OutputRule(const std::string& expression) {
    if (trim(expression).empty()) throw InputError("the regular expression is empty.", kRuleExample);
    if (expression.size() > kLongestExpression)
        throw InputError("the regular expression is longer than " + std::to_string(kLongestExpression) +
                         " characters.");
    re2::RE2::Options options;
    options.set_log_errors(false);
    auto compiled = std::make_shared<const re2::RE2>(expression, options);
    if (!compiled->ok()) refuse(*compiled);
    const auto groups = static_cast<std::size_t>(compiled->NumberOfCapturingGroups());
    if (groups > kMostGroups)
        throw InputError("the regular expression has more than " + std::to_string(kMostGroups) + " groups.");
    m_names.resize(groups + 1);
    for (const auto& [number, name] : compiled->CapturingGroupNames())
        m_names[static_cast<std::size_t>(number)] = name;
    const auto has = [&](std::string_view name) { return std::ranges::find(m_names, name) != m_names.end(); };
    if (!has(kStep)) throw InputError("the regular expression has no group named step.", kRuleExample);
    if (has(kName) != has(kValue))
        throw InputError(
            "the groups name and value of the regular expression belong together; one is missing.",
            R"(Write both, as in (?P<name>\w+)=(?P<value>\S+).)");
    const bool hasMetric =
        std::ranges::any_of(m_names, [](const auto& name) { return !name.empty() && name != kStep; });
    if (!hasMetric) throw InputError("the regular expression has no group for a metric.", kRuleExample);
    m_expression = std::move(compiled);
}

std::optional<OutputRule::Row> OutputRule::read(std::string_view line) const {
    if (line.size() > kLongestLine) return std::nullopt;
    Row row;
    bool matches = false;
    const re2::StringPiece text(line.data(), line.size());
    std::vector<re2::StringPiece> groups(m_names.size());
    std::size_t from = 0;
    for (std::size_t match = 0; match < kMostMatches && from <= line.size(); ++match) {
        if (!m_expression->Match(text, from, line.size(), re2::RE2::UNANCHORED, groups.data(),
                                 static_cast<int>(groups.size())))
            break;
        matches = true;
        std::string name;
        std::string_view value;
        const auto add = [&](const std::string& metric, std::string_view said) {
            if (const auto number = parseNumber(withoutGrouping(said)))
                row.values.emplace_back(metric, *number);
            else if (row.notANumber.empty())
                row.notANumber = said.substr(0, 40);
        };
        for (std::size_t i = 1; i < groups.size(); ++i) {
            // a group of an alternative that did not match has no text
            if (m_names[i].empty() || groups[i].data() == nullptr) continue;
            const std::string_view said(groups[i].data(), groups[i].size());
            if (m_names[i] == kName)
                name = trim(said);
            else if (m_names[i] == kValue)
                value = said;
            else if (m_names[i] != kStep)
                add(m_names[i], said);
            else if (const auto step = stepOf(said))
                row.step = step;
            else if (row.notANumber.empty())
                row.notANumber = said.substr(0, 40);
        }
        if (!name.empty()) add(name, value);
        const auto end = static_cast<std::size_t>(groups[0].data() - line.data()) + groups[0].size();
        from = groups[0].empty() ? end + 1 : end;
    }
    return matches ? std::optional(std::move(row)) : std::nullopt;
}

}  // namespace dailies::rules
