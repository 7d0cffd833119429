#pragma once

#include "core/query/query.h"

#include <string>
#include <variant>
#include <vector>

// Inside of core/query: a filter as a tree.
namespace dailies::query::detail {

enum class Operator { Equal, Unequal, Less, LessEqual, Greater, GreaterEqual, Like, ILike, In, IsNull };

struct Comparison {
    Field field{};
    Operator op = Operator::Equal;
    bool negated =
        false;  ///< NOT LIKE, NOT ILIKE, NOT IN, IS NOT NULL: false, too, where the run lacks the field

    /// What it is compared with: nothing for IsNull, one or more for In, else one; all numbers or all texts.
    using Operand = std::variant<double, std::string>;
    std::vector<Operand> operands{};

    std::size_t position = 0, length = 0;  ///< of the field, in bytes of the parsed text
};

struct Condition {
    enum class Kind { All, Any, Not, Compare };
    Kind kind = Kind::Compare;
    std::vector<Condition> parts{};  ///< of All and Any two or more, of Not one
    Comparison comparison{};         ///< of Compare
};

}  // namespace dailies::query::detail
