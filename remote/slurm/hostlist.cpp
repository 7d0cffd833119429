#include "remote/slurm/hostlist.h"

#include "core/base/text.h"
#include "remote/slurm/fields.h"

#include <algorithm>
#include <optional>

namespace dailies::remote::slurm {

namespace {

using Names = std::optional<std::vector<std::string>>;

/// "[1-2,07-10]" without its brackets → the numbers as they are written.
Names numbersOf(std::string_view ranges, std::size_t limit) {
    std::vector<std::string> numbers;
    for (const std::string& range : split(ranges, ',')) {
        const auto dash = range.find('-');
        const std::string first = range.substr(0, dash);
        const std::string last = dash == std::string::npos ? first : range.substr(dash + 1);
        if (!isDigits(first) || !isDigits(last)) return std::nullopt;
        const auto from = parseInteger(first), to = parseInteger(last);
        if (to < from || static_cast<std::size_t>(to - from) >= limit - std::min(limit, numbers.size()))
            return std::nullopt;
        for (auto number = from; number <= to; ++number) {
            std::string digits = std::to_string(number);
            if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
            numbers.push_back(std::move(digits));
        }
    }
    if (numbers.empty()) return std::nullopt;
    return numbers;
}

/// One entry of the list: plain text and brackets in turns, each bracket a dimension.
Names namesOf(std::string_view entry, std::size_t limit) {
    std::vector<std::string> names{""};
    while (!entry.empty()) {
        const auto open = entry.find('[');
        for (std::string& name : names) name += entry.substr(0, open);
        if (open == std::string_view::npos) break;
        const auto close = entry.find(']', open);
        if (close == std::string_view::npos) return std::nullopt;
        const Names numbers = numbersOf(entry.substr(open + 1, close - open - 1), limit);
        if (!numbers || numbers->size() > limit / names.size()) return std::nullopt;
        std::vector<std::string> longer;
        longer.reserve(names.size() * numbers->size());
        for (const std::string& name : names)
            for (const std::string& number : *numbers) longer.push_back(name + number);
        names = std::move(longer);
        entry.remove_prefix(close + 1);
    }
    if (std::ranges::any_of(names, [](const std::string& name) {
            return name.empty() || name.find_first_of("[]() \t\n") != std::string::npos;
        }))
        return std::nullopt;
    return names;
}

}  // namespace

std::vector<std::string> expandHostlist(std::string_view expression, std::size_t limit) {
    std::vector<std::string> hosts;
    std::size_t begin = 0;
    bool inBrackets = false;
    for (std::size_t i = 0; i <= expression.size(); ++i) {
        const char c = i < expression.size() ? expression[i] : ',';
        if (c == '[') inBrackets = true;
        if (c == ']') inBrackets = false;
        if (c != ',' || (inBrackets && i < expression.size())) continue;
        Names names = namesOf(expression.substr(begin, i - begin), limit);
        if (!names || names->empty() || names->size() > limit - hosts.size()) return {};
        if (i == begin) return {};
        hosts.insert(hosts.end(), std::make_move_iterator(names->begin()),
                     std::make_move_iterator(names->end()));
        begin = i + 1;
    }
    return hosts;
}

}  // namespace dailies::remote::slurm
