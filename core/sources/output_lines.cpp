#include "core/sources/output_lines.h"

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/sources/json_row.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace dailies::sources {

namespace {

constexpr std::size_t kLongestLine = 65'536;  // of metrics; what is longer is something else
constexpr std::size_t kLongestKey = 60;
constexpr std::size_t kMostValues = 256;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isSpace(char c) {
    return c == ' ' || c == '\t';
}
bool isWordCharacter(char c) {
    return isDigit(c) || isLetter(c) || (c != '\0' && std::strchr("_./@%+-", c) != nullptr);
}

void skipSpaces(std::string_view& text) {
    while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
}

/// Takes digits from the beginning; nothing when there are none or too many.
std::optional<std::int64_t> takeInteger(std::string_view& text) {
    if (text.empty() || !isDigit(text.front())) return std::nullopt;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// Whether a number may end before this: not inside a date, a time, a version or a path.
bool endsNumber(std::string_view rest) {
    if (rest.empty() || std::strchr(" \t,;|)]}", rest.front()) != nullptr) return true;
    return rest.front() == '.' && (rest.size() == 1 || isSpace(rest[1]));
}

/// Takes "1.2E+00", "1,234", "nan", "3.4GiB(4%)", "12/100" from the beginning: the number alone.
std::optional<double> takeNumber(std::string_view& text) {
    std::string_view rest = text;
    std::string digits;
    if (rest.starts_with('+')) rest.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc()) return std::nullopt;
    const auto length = static_cast<std::size_t>(end - rest.data());
    const bool whole = std::all_of(rest.begin(), end, isDigit);
    digits = rest.substr(0, length);
    rest.remove_prefix(length);
    const auto isGroup = [&] {
        return rest.size() >= 4 && rest[0] == ',' && isDigit(rest[1]) && isDigit(rest[2]) &&
               isDigit(rest[3]) && (rest.size() == 4 || !isDigit(rest[4]));
    };
    if (whole && length <= 3 && isGroup()) {
        while (isGroup()) {
            digits += rest.substr(1, 3);
            rest.remove_prefix(4);
        }
        value = parseNumber(digits).value_or(value);
    } else if (whole && rest.starts_with('/')) {  // of how many
        std::string_view total = rest.substr(1);
        skipSpaces(total);
        if (!takeInteger(total) || !endsNumber(total)) return std::nullopt;
        rest = total;
    }
    while (!rest.empty() && (isLetter(rest.front()) || rest.front() == '%')) rest.remove_prefix(1);  // a unit
    if (rest.starts_with("/s")) rest.remove_prefix(2);
    if (rest.starts_with('(')) {
        const auto close = rest.find(')');
        if (close == std::string_view::npos) return std::nullopt;
        rest.remove_prefix(close + 1);
    }
    if (!endsNumber(rest)) return std::nullopt;
    text = rest;
    return value;
}

/// The name of what follows a ':' or '=': the words before it, of which only the last counts unless something
/// parts them from what stands before them.
std::string keyBefore(std::string_view before, bool afterPair, char separator) {
    before = trim(before);
    bool parted = afterPair;
    if (const auto cut = before.find_last_of("|,;]}>\"'"); cut != std::string_view::npos) {
        parted = before[cut] == '|' || before[cut] == ',' || before[cut] == ';';
        before = trim(before.substr(cut + 1));
    }
    if (const auto dash = before.rfind(" - "); dash != std::string_view::npos) {
        parted = true;
        before = trim(before.substr(dash + 3));
    }
    if (!parted || separator == '=' || before.size() > kLongestKey) {
        std::size_t begin = before.size();
        while (begin > 0 && isWordCharacter(before[begin - 1])) --begin;
        before = before.substr(begin);
    }
    const bool named = std::any_of(before.begin(), before.end(), isLetter);
    return named && before.size() <= kLongestKey ? std::string(before) : std::string();
}

/// "step: 10", "iteration 10/ 100", "[step=10]".
std::optional<std::int64_t> stepIn(std::string_view line) {
    for (std::size_t i = 0; i < line.size();) {
        if (!isLetter(line[i]) && line[i] != '_') {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < line.size() && (isWordCharacter(line[end]) && line[end] != '/')) ++end;
        const auto word = line.substr(i, end - i);
        const bool begins = i == 0 || !isWordCharacter(line[i - 1]);
        i = end;
        if (!begins || !isStepName(word)) continue;
        auto rest = line.substr(end);
        skipSpaces(rest);
        if (!rest.empty() && std::strchr(":=#[", rest.front()) != nullptr) rest.remove_prefix(1);
        skipSpaces(rest);
        const auto step = takeInteger(rest);
        if (!step) continue;
        skipSpaces(rest);
        if (rest.starts_with('/')) {
            rest.remove_prefix(1);
            skipSpaces(rest);
            if (!takeInteger(rest)) continue;
        }
        if (rest.empty() ||
            !(isLetter(rest.front()) || rest.front() == '.' || rest.front() == ':' || rest.front() == '%'))
            return step;
        // a space was skipped before what follows, or it belongs to the number
        if (isLetter(rest.front()) && isSpace(rest.data()[-1])) return step;
    }
    return std::nullopt;
}

/// Reads a literal in quotes without escapes.
std::optional<std::string_view> takeQuoted(std::string_view& text) {
    if (text.empty() || (text.front() != '\'' && text.front() != '"')) return std::nullopt;
    const auto close = text.find(text.front(), 1);
    if (close == std::string_view::npos) return std::nullopt;
    const auto inside = text.substr(1, close - 1);
    if (inside.find('\\') != std::string_view::npos) return std::nullopt;
    text.remove_prefix(close + 1);
    return inside;
}

bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

void add(NamedValues& values, std::string_view key, double value) {
    if (values.size() < kMostValues) values.emplace_back(key, value);
}

/// A bar for each epoch, as Lightning has it ("Epoch 3: 12/100") and others ("Epoch 4/10: 12/100"), counts
/// its steps from the first one again.
void countEpochs(ProgressBar& bar, std::int64_t stepsOfEpoch) {
    constexpr std::string_view kEpoch = "Epoch";
    std::string_view rest = bar.description;
    if (!take(rest, kEpoch)) return;
    skipSpaces(rest);
    auto epoch = takeInteger(rest);
    if (!epoch) return;
    if (take(rest, "/")) {
        if (!takeInteger(rest)) return;
        epoch = std::max<std::int64_t>(*epoch - 1, 0);
    }
    constexpr std::int64_t kMost = 1'000'000'000;
    if (!rest.empty() || *epoch > kMost || stepsOfEpoch > kMost) return;
    bar.step += *epoch * stepsOfEpoch;
    bar.description = kEpoch;
}

}  // namespace

std::string plainText(std::string_view line) {
    std::string plain;
    plain.reserve(std::min(line.size(), kLongestLine));
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1B') {
            if (i + 1 < line.size() && line[i + 1] == '[') {
                i += 2;
                while (i < line.size() && !(line[i] >= '@' && line[i] <= '~')) ++i;
            }
            continue;
        }
        if (static_cast<unsigned char>(line[i]) >= 0x20 || line[i] == '\t') plain += line[i];
    }
    return sanitizedText(plain);
}

std::optional<ProgressBar> parseProgressBar(std::string_view line) {
    if (line.size() > kLongestLine) return std::nullopt;
    ProgressBar bar;
    std::string_view rest;
    if (const auto percent = line.find("%|"); percent != std::string_view::npos) {
        const auto close = line.find("| ", percent + 2);
        if (close == std::string_view::npos) return std::nullopt;
        rest = line.substr(close + 2);
        skipSpaces(rest);
        const auto step = takeInteger(rest);
        if (!step || !take(rest, "/")) return std::nullopt;
        const auto total = takeInteger(rest);
        if (!total || !take(rest, " [")) return std::nullopt;
        bar.step = *step;
        auto description = line.substr(0, percent);
        while (!description.empty() && (isDigit(description.back()) || isSpace(description.back())))
            description.remove_suffix(1);
        if (description.ends_with(':')) description.remove_suffix(1);
        bar.description = sanitizedText(description.substr(0, kLongestKey));
        countEpochs(bar, *total);
    } else {  // "37it [00:10,  3.50it/s, loss=0.08]": how many there are is not known
        const auto open = line.find("it [");
        if (open == std::string_view::npos || open == 0) return std::nullopt;
        std::size_t begin = open;
        while (begin > 0 && isDigit(line[begin - 1])) --begin;
        auto digits = line.substr(begin, open - begin);
        const auto step = takeInteger(digits);
        if (!step) return std::nullopt;
        bar.step = *step;
        bar.description = sanitizedText(trim(line.substr(0, begin)).substr(0, kLongestKey));
        rest = line.substr(open + 4);
    }
    const auto close = rest.rfind(']');
    if (close == std::string_view::npos) return std::nullopt;
    rest = rest.substr(0, close);
    while (!rest.empty()) {
        const auto comma = rest.find(", ");
        const auto item = trim(rest.substr(0, comma));
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
        const auto equals = item.find('=');
        if (equals == std::string_view::npos || equals == 0) continue;
        auto text = trim(item.substr(equals + 1));
        const auto key = trim(item.substr(0, equals));
        const auto value = takeNumber(text);
        if (!value || !text.empty() || key.size() > kLongestKey) continue;
        if (isStepName(key) && *value >= 0 && *value < 9e15)
            bar.step = static_cast<std::int64_t>(*value);
        else if (key != "v_num")  // Lightning's number of the folder, no metric
            add(bar.values, key, *value);
    }
    return bar;
}

std::optional<OutputRow> parsePythonDict(std::string_view line) {
    line = trim(line);
    if (line.size() > kLongestLine || !take(line, "{")) return std::nullopt;
    OutputRow row;
    for (;;) {
        skipSpaces(line);
        if (take(line, "}")) break;
        const auto key = takeQuoted(line);
        skipSpaces(line);
        if (!key || !take(line, ":")) return std::nullopt;
        skipSpaces(line);
        std::optional<double> value;
        if (const auto text = takeQuoted(line)) {
            value = parseNumber(*text);
        } else if (!take(line, "None") && !take(line, "True") && !take(line, "False")) {
            const auto end = std::min(line.find_first_of(",} "), line.size());
            value = parseNumber(line.substr(0, end));
            if (!value) return std::nullopt;
            line.remove_prefix(end);
        }
        if (value) {
            if (isStepName(*key) && *value >= 0 && *value < 9e15)
                row.step = static_cast<std::int64_t>(*value);
            else
                add(row.values, *key, *value);
        }
        skipSpaces(line);
        if (take(line, ",")) continue;
        if (!take(line, "}")) return std::nullopt;
        break;
    }
    if (!trim(line).empty() || row.values.empty()) return std::nullopt;
    return row;
}

std::optional<OutputRow> parsePairs(std::string_view line) {
    if (line.size() > kLongestLine) return std::nullopt;
    OutputRow row;
    row.step = stepIn(line);
    if (!row.step) return std::nullopt;
    std::size_t previous =
        0;  // where the number before ended, so that no part of the line is looked at twice
    bool afterPair = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != ':' && line[i] != '=') continue;
        auto rest = line.substr(i + 1);
        skipSpaces(rest);
        const auto value = takeNumber(rest);
        if (!value) continue;
        const auto key = keyBefore(line.substr(previous, i - previous), afterPair, line[i]);
        if (!key.empty() && !isStepName(key)) add(row.values, key, *value);
        afterPair = !key.empty();
        previous = line.size() - rest.size();
        i = previous - 1;
    }
    if (row.values.empty()) return std::nullopt;
    return row;
}

}  // namespace dailies::sources
