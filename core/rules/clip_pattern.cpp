#include "core/rules/clip_pattern.h"

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"

#include <re2/re2.h>
#include <vector>

namespace dailies::rules {

namespace {

constexpr std::size_t kLongestPattern = 200;
constexpr const char* kPatternExample = "Write one such as samples/{step}/{prompt}_{seed}.mp4.";

/// The regular expression of a pattern, piece by piece.
class Translation {
public:
    explicit Translation(std::string_view pattern) : m_rest(pattern) {
        const auto name = pattern.substr(pattern.rfind('/') + 1);  // npos + 1 is 0
        while (!m_rest.empty()) takePiece();
        if (name.find('.') == std::string_view::npos) m_text += R"(\.[^/.]+)";
    }

    /// Behind whatever folders are before it.
    std::string text() const { return "(?:.*/)?" + m_text; }
    bool hasGroups() const { return m_hasGroups; }

private:
    void takePiece() {
        if (take("**/"))
            m_text += "(?:[^/]+/)*";
        else if (take("**"))
            m_text += ".*";
        else if (take("*"))
            m_text += "[^/]*?";
        else if (take("?"))
            m_text += "[^/]";
        else if (take("{"))
            takeGroup();
        else {
            m_text += re2::RE2::QuoteMeta(re2::StringPiece(m_rest.data(), 1));
            m_rest.remove_prefix(1);
        }
    }

    void takeGroup() {
        const auto close = m_rest.find('}');
        if (close == std::string_view::npos)
            throw InputError("the pattern has a { without a }.", kPatternExample);
        const std::string name(m_rest.substr(0, close));
        m_rest.remove_prefix(close + 1);
        const bool isNumber = name == "step" || name == "seed";
        if (!isNumber && name != "prompt")
            throw InputError("the pattern has {" + sanitizedText(name) +
                                 "}, where only {step}, {prompt} and {seed} are known.",
                             "Write * for a part of a name that says nothing.");
        const std::string group = "(?P<" + name + ">";
        if (m_text.find(group) != std::string::npos)
            throw InputError("the pattern has {" + name + "} twice.",
                             "Write * for a part of a name that says nothing.");
        m_text += group + (isNumber ? R"(\d+))" : "[^/]+?)");
        m_hasGroups = true;
    }

    bool take(std::string_view piece) {
        if (!m_rest.starts_with(piece)) return false;
        m_rest.remove_prefix(piece.size());
        return true;
    }

    std::string_view m_rest;
    std::string m_text;
    bool m_hasGroups = false;
};

}  // namespace

ClipPattern::ClipPattern(const std::string& pattern) {
    std::string_view path = trim(pattern);
    if (path.starts_with("./")) path.remove_prefix(2);
    if (path.empty() || path.size() > kLongestPattern)
        throw InputError("the pattern is " + std::string(path.empty() ? "empty." : "too long."),
                         kPatternExample);
    if (path.starts_with('/'))
        throw InputError("the pattern begins with /, where it is of paths below the run's folder.",
                         kPatternExample);
    const Translation translation(path);
    if (!translation.hasGroups()) throw InputError("the pattern says nothing of a clip.", kPatternExample);
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_dot_nl(true);
    auto compiled = std::make_shared<const re2::RE2>(translation.text(), options);
    if (!compiled->ok()) throw InputError("the pattern is not valid UTF-8.", kPatternExample);
    for (const auto& [name, number] : compiled->NamedCapturingGroups())
        (name == "step" ? m_step : name == "seed" ? m_seed : m_prompt) = number;
    m_expression = std::move(compiled);
}

std::optional<ClipPattern::Match> ClipPattern::match(std::string_view path) const {
    std::vector<re2::StringPiece> groups(static_cast<std::size_t>(m_expression->NumberOfCapturingGroups()) +
                                         1);
    if (!m_expression->Match(re2::StringPiece(path.data(), path.size()), 0, path.size(),
                             re2::RE2::ANCHOR_BOTH, groups.data(), static_cast<int>(groups.size())))
        return std::nullopt;
    const auto textOf = [&](int number) {
        const auto& group = groups[static_cast<std::size_t>(number)];
        return std::string_view(group.data(), group.size());
    };
    Match match;
    // digits of no number are too many
    if (m_step > 0 && !(match.step = parseInteger(textOf(m_step)))) return std::nullopt;
    if (m_seed > 0 && !(match.seed = parseInteger(textOf(m_seed)))) return std::nullopt;
    if (m_prompt > 0) match.prompt = textOf(m_prompt);
    return match;
}

}  // namespace dailies::rules
