#include "remote/slurm/fields.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace dailies::remote::slurm {

namespace {

constexpr std::int64_t kMaxGpus = 1 << 20;  ///< that a field is believed to hold

std::string_view withoutPrefix(std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// The entries between commas that are outside of parentheses: "gpu:8(IDX:0,2),shard:4" has two.
template <typename Take>
void eachEntry(std::string_view list, Take take) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        if (i < list.size() && list[i] == '(') ++depth;
        if (i < list.size() && list[i] == ')') --depth;
        if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
        if (i > begin) take(list.substr(begin, i - begin));
        begin = i + 1;
    }
}

}  // namespace

bool isDigits(std::string_view text) {
    return !text.empty() && text.size() < 19 &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::int64_t parseInteger(std::string_view text) {
    std::int64_t value = 0;
    if (isDigits(text)) std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::string fieldOrEmpty(std::string_view text) {
    static constexpr std::array<std::string_view, 7> kNone{"None",    "N/A",           "(null)", "Unknown",
                                                           "NOT_SET", "None assigned", "n/a"};
    const std::string_view trimmed = trim(text);
    return std::find(kNone.begin(), kNone.end(), trimmed) != kNone.end() ? std::string()
                                                                         : std::string(trimmed);
}

std::int64_t tresCount(std::string_view list, std::string_view name) {
    std::int64_t total = 0, ofTypes = 0;
    eachEntry(list, [&](std::string_view entry) {
        const auto equals = entry.find('=');
        if (equals == std::string_view::npos) return;
        const std::string_view key = entry.substr(0, equals);
        const std::int64_t count = parseInteger(entry.substr(equals + 1));
        if (key == name) total = count;
        if (key.size() > name.size() && key.starts_with(name) && key[name.size()] == ':') ofTypes += count;
    });
    return total > 0 ? total : ofTypes;
}

std::vector<GpuKind> gpuKinds(std::string_view gres) {
    std::vector<GpuKind> kinds;
    eachEntry(gres, [&](std::string_view entry) {
        entry = entry.substr(0, entry.find('('));
        entry = withoutPrefix(withoutPrefix(entry, "gres:"), "gres/");
        if (entry != "gpu" && !entry.starts_with("gpu:")) return;
        const auto parts = split(entry, ':');
        const bool counted = isDigits(parts.back());  // "gpu" and "gpu:h100" mean one
        kinds.push_back(
            {parts.size() > (counted ? 2 : 1) ? parts[1] : "",
             counted ? static_cast<int>(std::min<std::int64_t>(parseInteger(parts.back()), kMaxGpus)) : 1});
    });
    return kinds;
}

int gpuCount(std::string_view gres) {
    int count = 0;
    for (const auto& kind : gpuKinds(gres)) count += kind.count;
    return count;
}

std::int64_t parseMebibytes(std::string_view text) {
    const std::string digits(text);
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (end == digits.c_str() || !(value > 0) || value > 1e12) return 0;
    switch (*end) {
        case 'K':
            return static_cast<std::int64_t>(value / 1024);
        case 'G':
            return static_cast<std::int64_t>(value * 1024);
        case 'T':
            return static_cast<std::int64_t>(value * 1024 * 1024);
        case 'P':
            return static_cast<std::int64_t>(value * 1024 * 1024 * 1024);
        default:
            return static_cast<std::int64_t>(value);
    }
}

}  // namespace dailies::remote::slurm
