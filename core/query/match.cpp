#include "core/query/condition.h"
#include "core/query/field.h"
#include "core/query/number.h"
#include "core/query/query.h"

#include <algorithm>
#include <cctype>

namespace dailies::query {

namespace {

using namespace detail;

std::string lowered(std::string_view text) {  // as SQLite's lower(): ASCII alone
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::size_t characterEnd(std::string_view text, std::size_t at) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
    return at;
}

/// SQL's LIKE: % stands for any text, _ for one character. At a mismatch only the latest % takes one
/// character more, for an earlier one could give no match that this does not find.
bool isLike(std::string_view text, std::string_view pattern) {
    constexpr std::size_t kNone = std::string_view::npos;
    std::size_t t = 0, p = 0, percent = kNone, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '%') {
            percent = p++;
            resume = t;
        } else if (p < pattern.size() && pattern[p] == '_') {
            t = characterEnd(text, t);
            ++p;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++t;
            ++p;
        } else if (percent != kNone) {
            resume = characterEnd(text, resume);
            t = resume;
            p = percent + 1;
        } else {
            return false;
        }
    }
    return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                       [](char c) { return c == '%'; });
}

template <typename T>
bool compares(const T& left, Operator op, const T& right) {
    switch (op) {
        case Operator::Equal:
        case Operator::In:
            return left == right;
        case Operator::Unequal:
            return left != right;
        case Operator::Less:
            return left < right;
        case Operator::LessEqual:
            return left <= right;
        case Operator::Greater:
            return left > right;
        case Operator::GreaterEqual:
            return left >= right;
        case Operator::Like:
        case Operator::ILike:
        case Operator::IsNull:
            break;
    }
    return false;
}

bool holdsForNumber(const Comparison& comparison, double value) {
    return std::any_of(comparison.operands.begin(), comparison.operands.end(), [&](const auto& operand) {
        return compares(value, comparison.op, std::get<double>(operand));
    });
}

bool holdsForText(const Comparison& comparison, std::string_view value) {
    const auto& first = std::get<std::string>(comparison.operands.front());
    if (comparison.op == Operator::Like) return isLike(value, first);
    if (comparison.op == Operator::ILike)
        return isLike(lowered(value), first);  // the parser lowered the pattern
    return std::any_of(comparison.operands.begin(), comparison.operands.end(), [&](const auto& operand) {
        return compares(value, comparison.op, std::string_view(std::get<std::string>(operand)));
    });
}

bool holds(const Comparison& comparison, const tracking::Run& run) {
    const Value value = valueOf(comparison.field, run);
    const bool missing = std::holds_alternative<std::monostate>(value);
    if (comparison.op == Operator::IsNull) return missing != comparison.negated;
    if (missing) return false;
    const auto* number = std::get_if<double>(&value);
    if (!number && std::holds_alternative<double>(comparison.operands.front())) {
        const auto read = toNumber(std::get<std::string_view>(value));
        return read && holdsForNumber(comparison, *read) != comparison.negated;
    }
    return (number ? holdsForNumber(comparison, *number)
                   : holdsForText(comparison, std::get<std::string_view>(value))) != comparison.negated;
}

bool holds(const Condition& condition, const tracking::Run& run) {
    const auto holdsHere = [&](const Condition& part) { return holds(part, run); };
    switch (condition.kind) {
        case Condition::Kind::All:
            return std::all_of(condition.parts.begin(), condition.parts.end(), holdsHere);
        case Condition::Kind::Any:
            return std::any_of(condition.parts.begin(), condition.parts.end(), holdsHere);
        case Condition::Kind::Not:
            return !holds(condition.parts.front(), run);
        case Condition::Kind::Compare:
            break;
    }
    return holds(condition.comparison, run);
}

}  // namespace

bool matches(const Filter& filter, const tracking::Run& run) {
    return filter.empty() || holds(*filter.root(), run);
}

}  // namespace dailies::query
