#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace re2 {
class RE2;
}

namespace dailies::rules {

/// How a user's program prints its metrics: a regular expression (RE2's syntax, which is Python's without
/// look-around and back-references) with named groups, for lines of its output. `step` is the step, `name`
/// and `value` are a metric; any other group is a metric of the group's name:
///
///     step=(?P<step>\d+) loss=(?P<loss>\S+)
///     step (?P<step>\d+)|(?P<name>[\w/]+): (?P<value>\S+)
///
/// A line may match many times, as it does by the second one.
class OutputRule {
public:
    /// Throws `InputError`: what is wrong with the expression, and where.
    explicit OutputRule(const std::string& expression);

    struct Row {
        std::optional<std::int64_t> step;  ///< none: the line does not say
        std::vector<std::pair<std::string, double>> values;
        std::string notANumber;  ///< the first text that should have been one
    };
    /// Nothing where the line does not match. Takes time in proportion to the line; one that is longer than
    /// 64 KiB matches never.
    std::optional<Row> read(std::string_view line) const;

private:
    std::shared_ptr<const re2::RE2> m_expression;  ///< shared: it cannot be copied
    std::vector<std::string> m_names;              ///< of the groups by number, from 1; empty: it has none
};

}  // namespace dailies::rules
