#include "core/sources/clip_name.h"

#include <charconv>
#include <optional>
#include <regex>

namespace dailies::sources {

namespace {

constexpr std::size_t kLongestPath =
    400;  // of which the end counts: what is matched takes stack in proportion

std::int64_t numberOfDigits(const std::string& digits) {
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

/// Takes the match out of the name, and returns the number that it holds.
std::optional<std::int64_t> take(const std::regex& pattern, std::string& name) {
    std::smatch match;
    if (!std::regex_search(name, match, pattern)) return std::nullopt;
    const auto number = numberOfDigits(match[1]);
    name.replace(static_cast<std::size_t>(match.position(0)), static_cast<std::size_t>(match.length(0)), " ");
    return number;
}

/// "a_cat running--" → "a cat running".
std::string wordsOf(const std::string& name) {
    std::string words;
    for (const char c : name) {
        const bool isGap = c == '_' || c == '-' || c == ' ' || c == '.' || c == '/';
        if (!isGap)
            words += c;
        else if (!words.empty() && words.back() != ' ')
            words += ' ';
    }
    while (words.ends_with(' ')) words.pop_back();
    return words;
}

}  // namespace

ClipName clipNameOf(std::string_view path) {
    using std::regex;
    static constexpr auto kFlags = regex::ECMAScript | regex::icase | regex::optimize;
    static const regex musubi(R"(_e?(\d{6})_(\d{2})_\d{14}(?:_(\d+))?$)", kFlags);
    static const regex inference(R"((?:^|[_\-. ])inference[_\-]steps?[_\-=]?(\d+))", kFlags);
    static const regex step(
        R"((?:^|[_\-./ ])(?:global[_\-]?)?(?:steps?|iter(?:ation)?|checkpoint|ckpt)[_\-=]?(\d+))", kFlags);
    static const regex epoch(R"((?:^|[_\-./ ])(?:epoch|ep)[_\-=]?(\d+))", kFlags);
    static const regex seed(R"((?:^|[_\-. ])seed[_\-=]?(\d+))", kFlags);
    static const regex index(R"((?:^|[_\-. ])(?:video|sample|prompt|idx|image|clip)[_\-=]?(\d+))", kFlags);
    static const regex last(R"((?:^|[_\-. ])(\d+)_?$)", kFlags);

    if (path.size() > kLongestPath) path.remove_prefix(path.size() - kLongestPath);
    const auto slash = path.rfind('/');
    std::string folder(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash));
    std::string name(slash == std::string_view::npos ? path : path.substr(slash + 1));
    name.resize(name.rfind('.') == std::string::npos ? name.size() : name.rfind('.'));

    ClipName clip;
    if (std::smatch match; std::regex_search(name, match, musubi)) {
        clip.step = numberOfDigits(match[1]);
        clip.seed = match[3].matched ? numberOfDigits(match[3]) : 0;
        clip.prompt = "sample " + std::to_string(numberOfDigits(match[2]));
        return clip;
    }
    take(inference, name);
    auto found = take(step, name);
    if (!found) found = take(step, folder);
    if (!found) found = take(epoch, name);
    if (!found) found = take(epoch, folder);
    clip.step = found.value_or(0);
    const auto ownSeed = take(seed, name);
    auto number = take(index, name);
    if (!number) number = take(last, name);
    clip.seed = ownSeed.value_or(0);
    clip.prompt = wordsOf(name);
    // without words of its own the number says which prompt it was, with words it tells samples of it apart
    static const regex kind(R"(^(?:validation|val|test|eval|sample|samples|video|output|result)?$)", kFlags);
    if (number && std::regex_match(clip.prompt, kind))
        clip.prompt = "sample " + std::to_string(*number);
    else if (number && !ownSeed)
        clip.seed = *number;
    if (clip.prompt.empty()) clip.prompt = "sample";
    return clip;
}

ClipName clipNameOf(std::string_view path, const std::vector<rules::ClipPattern>& patterns) {
    for (const auto& pattern : patterns) {
        const auto match = pattern.match(path);
        if (!match) continue;
        ClipName clip{match->step.value_or(0), match->seed.value_or(0), wordsOf(match->prompt.value_or(""))};
        const bool isNumber = clip.prompt.find_first_not_of("0123456789") == std::string::npos;
        if (isNumber)  // of the prompt among others; none is a sample, too
            clip.prompt =
                clip.prompt.empty() ? "sample" : "sample " + std::to_string(numberOfDigits(clip.prompt));
        return clip;
    }
    return clipNameOf(path);
}

}  // namespace dailies::sources
