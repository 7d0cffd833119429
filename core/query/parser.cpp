#include "core/base/text.h"
#include "core/query/condition.h"
#include "core/query/field.h"
#include "core/query/lexer.h"
#include "core/query/number.h"
#include "core/query/query.h"
#include "core/query/short_name.h"
#include "core/query/time_text.h"

#include <algorithm>
#include <optional>

namespace dailies::query {

namespace {

using namespace detail;
using Kind = Token::Kind;

constexpr const char* kText = "A text goes in single or double quotes: 'adam'.";
constexpr const char* kNumber = "A number is written as 0.5, -3 or 1e-4, without quotes.";
constexpr const char* kTime =
    "A time is a number of milliseconds since 1970, or a local one in quotes: '2026-07-01', '2026-07-01 "
    "14:30'.";
constexpr const char* kList = "A list goes in parentheses: IN ('adam', 'sgd').";
constexpr const char* kJoin = "Conditions are joined by AND or OR.";

/// What filters and orders are both made of: a walk over the tokens, and fields.
class Parser {
public:
    Parser(std::string_view text, const Vocabulary& known) : m_tokens(tokenize(text)), m_known(known) {}

protected:
    const Token& here() const { return m_tokens[m_at]; }
    const Token& following() const { return m_tokens[std::min(m_at + 1, m_tokens.size() - 1)]; }
    bool atEnd() const { return here().kind == Kind::End; }

    Token take() {
        const Token token = here();
        if (!atEnd()) ++m_at;
        return token;
    }
    bool takeIf(Kind kind) { return here().kind == kind && (take(), true); }
    bool takeIf(std::string_view keyword) { return isKeyword(here(), keyword) && (take(), true); }

    [[noreturn]] static void fail(const Token& at, const std::string& what, const std::string& remedy) {
        throw QueryError(what, remedy, at.begin, at.end - at.begin);
    }

    /// "Expected a comparison after params.lr, found "5"." A token that can stand nowhere says so itself.
    [[noreturn]] static void failExpecting(const std::string& expected, const Token& found,
                                           const std::string& remedy) {
        if (found.kind == Kind::Unterminated) {
            const auto quote = found.text.find_first_of("'\"`");
            throw QueryError(std::string("The quote ") + found.text[quote] + " is not closed.",
                             "Put the same quote behind the text.", found.begin + quote,
                             found.text.size() - quote);
        }
        if (found.kind == Kind::Stray)
            fail(found, "The character " + inQuotes(found.text) + " means nothing here.",
                 "Expected " + expected + ".");
        fail(found,
             "Expected " + expected + ", found " +
                 (found.kind == Kind::End ? "the end of the text" : inQuotes(found.text)) + ".",
             remedy);
    }

    Field takeField(const Token& token) const {
        auto found = fieldOf(token.text, m_known);
        if (const auto* problem = std::get_if<FieldProblem>(&found))
            throw QueryError(problem->what, problem->remedy, token.begin + problem->begin,
                             problem->end - problem->begin,
                             {problem->proposal.texts, token.begin + problem->proposal.position,
                              problem->proposal.length});
        auto whole = withWholeKey(std::get<Field>(std::move(found)), m_known);
        if (const auto* problem = std::get_if<FieldProblem>(&whole))
            throw QueryError(problem->what, problem->remedy, token.begin, token.end - token.begin,
                             {problem->proposal.texts, token.begin, token.end - token.begin});
        return std::get<Field>(std::move(whole));
    }

private:
    std::vector<Token> m_tokens;
    const Vocabulary& m_known;
    std::size_t m_at = 0;
};

class FilterParser : public Parser {
public:
    using Parser::Parser;

    Filter run() {
        auto root = any();
        if (here().kind == Kind::Close) fail(here(), "This parenthesis closes nothing.", "Take it away.");
        if (!atEnd()) failExpecting("AND, OR or the end", here(), kJoin);
        return root ? Filter(std::make_shared<const Condition>(std::move(*root))) : Filter();
    }

private:
    /// Conditions joined by OR. Nothing where none stands.
    std::optional<Condition> any() {
        auto first = all();
        if (!isKeyword(here(), "OR")) return first;
        Condition whole{.kind = Condition::Kind::Any};
        whole.parts.push_back(needed(std::move(first), "before OR"));
        while (takeIf("OR")) whole.parts.push_back(needed(all(), "after OR"));
        return whole;
    }

    /// Conditions joined by AND. As in MLflow the word itself may be missing, or stand at either end, so that
    /// a filter holds while its next condition is being written.
    std::optional<Condition> all() {
        Condition whole{.kind = Condition::Kind::All};
        for (;;) {
            while (takeIf("AND")) {
            }
            if (!beginsCondition(here())) break;
            whole.parts.push_back(one());
        }
        if (whole.parts.empty()) {
            const bool absent = atEnd() || here().kind == Kind::Close || isKeyword(here(), "OR");
            if (!absent) failExpecting("a field", here(), "A condition is written as in metrics.loss < 0.5.");
            return std::nullopt;
        }
        if (whole.parts.size() > 1) return whole;
        return std::move(whole.parts.front());
    }

    static bool beginsCondition(const Token& token) {
        return token.kind == Kind::Open || (token.kind == Kind::Word && !isKeyword(token, "OR"));
    }

    Condition needed(std::optional<Condition> condition, const std::string& where) const {
        if (!condition)
            failExpecting("a condition " + where, here(), "A condition is written as in metrics.loss < 0.5.");
        return std::move(*condition);
    }

    Condition one() {
        if (isKeyword(here(), "NOT") || here().kind == Kind::Open) return nested();
        return {.comparison = comparison()};
    }

    Condition nested() {
        constexpr int kDeepest = 100;  // what recursion is bounded by
        const Token opening = take();
        if (++m_depth > kDeepest)
            fail(opening, "Parentheses and NOT nest more than " + std::to_string(kDeepest) + " deep.",
                 "Take some of them away.");
        Condition inner;
        if (opening.kind == Kind::Open) {
            inner = needed(any(), "after the parenthesis");
            if (here().kind != Kind::Close) {
                if (!atEnd()) failExpecting("AND, OR or a closing parenthesis", here(), kJoin);
                fail(opening, "This parenthesis is not closed.", "Put a closing one behind the condition.");
            }
            take();
        } else {
            if (!beginsCondition(here())) needed(std::nullopt, "after NOT");
            inner = {.kind = Condition::Kind::Not, .parts = {one()}};
        }
        --m_depth;
        return inner;
    }

    Comparison comparison() {
        const Token name = take();
        Comparison made{.field = takeField(name), .position = name.begin, .length = name.end - name.begin};
        const Token sign = take();
        if (sign.kind == Kind::Operator) {
            made.op = symbol(sign);
            made.operands.push_back(operand(made, sign));
            return made;
        }
        if (isKeyword(sign, "IS")) {
            made.op = Operator::IsNull;
            made.negated = takeIf("NOT");
            if (!takeIf("NULL"))
                failExpecting("NULL or NOT NULL after IS", here(),
                              "It is written as in params.lr IS NOT NULL.");
            return made;
        }
        made.negated = isKeyword(sign, "NOT");
        const Token word = made.negated ? take() : sign;
        if (isKeyword(word, "IN")) {
            made.op = Operator::In;
            made.operands = list(made);
            return made;
        }
        const bool like = isKeyword(word, "LIKE"), iLike = isKeyword(word, "ILIKE");
        if (!like && !iLike)
            failExpecting("a comparison after " + inQuotes(name.text), word,
                          isNumber(made.field) ? "Compare it with < <= = != >= >, IN, IS NULL or IS NOT NULL."
                                               : "Compare it with =, !=, LIKE, ILIKE, IN, IS NULL or IS NOT "
                                                 "NULL, or with < <= >= > and a number.");
        if (isNumber(made.field))
            fail(word, inQuotes(name.text) + " is a number; " + std::string(word.text) + " compares texts.",
                 "Compare it with one of < <= = != >= >.");
        made.op = like ? Operator::Like : Operator::ILike;
        made.operands.push_back(pattern(word, iLike));
        return made;
    }

    static Operator symbol(const Token& token) {
        if (token.text == "=" || token.text == "==") return Operator::Equal;
        if (token.text == "!=" || token.text == "<>") return Operator::Unequal;
        if (token.text == "<") return Operator::Less;
        if (token.text == "<=") return Operator::LessEqual;
        if (token.text == ">") return Operator::Greater;
        if (token.text == ">=") return Operator::GreaterEqual;
        fail(token, inQuotes(token.text) + " is not a comparison.", "Compare with one of < <= = != >= >.");
    }

    static std::optional<std::string> asText(const Token& token) {
        const bool single = token.kind == Kind::Text;
        const bool twofold = token.kind == Kind::Word && token.text.size() >= 2 &&
                             token.text.front() == '"' && token.text.back() == '"';
        if (!single && !twofold) return std::nullopt;
        return std::string(token.text.substr(1, token.text.size() - 2));
    }

    static std::optional<double> asNumber(const Token& token) {
        if (token.kind != Kind::Number) return std::nullopt;
        const auto number = toNumber(token.text);
        if (!number) fail(token, inQuotes(token.text) + " is not a number.", kNumber);
        return number;
    }

    /// One value that fits the field: a number for a metric or a time; a text for the rest; for params and
    /// tags both.
    Comparison::Operand value(const Field& field, const std::string& where) {
        const Token token = take();
        const bool takesNumbers = field.entity != Entity::Attribute || isNumber(field);
        const bool isTime = field.entity == Entity::Attribute && isNumber(field);
        const char* remedy = isTime ? kTime : isNumber(field) ? kNumber : kText;
        if (const auto text = asText(token)) {
            if (!isNumber(field)) return *text;
            if (const auto time = isTime ? parseLocalTime(*text) : std::nullopt) return *time;
            fail(token,
                 std::string("Expected a ") + (isTime ? "time " : "number ") + where + ", found a text.",
                 remedy);
        }
        if (const auto number = takesNumbers ? asNumber(token) : std::nullopt) return *number;
        const char* expected = isTime            ? "a time "
                               : isNumber(field) ? "a number "
                               : takesNumbers    ? "a text or a number "
                                                 : "a text ";
        const bool lacksQuotes = token.kind == Kind::Word && !isNumber(field) && token.text.size() < 60 &&
                                 !quoteValue(token.text).empty();
        failExpecting(
            expected + where, token,
            lacksQuotes ? "Put it in quotes: " + sanitizedText(quoteValue(token.text)) + "." : remedy);
    }

    Comparison::Operand operand(const Comparison& made, const Token& sign) {
        const Token token = here();
        auto found = value(made.field, "after " + std::string(sign.text));
        const bool ranks = made.op != Operator::Equal && made.op != Operator::Unequal;
        if (ranks && std::holds_alternative<std::string>(found))
            fail(token, "Strings cannot be ordered: " + std::string(sign.text) + " needs a number.",
                 made.field.entity == Entity::Attribute ? "Compare texts with =, !=, LIKE, ILIKE or IN."
                                                        : "Take the quotes away to compare by the number.");
        return found;
    }

    std::string pattern(const Token& sign, bool ignoreCase) {
        constexpr std::size_t kLongest = 50'000;  // SQLite's own limit
        const Token token = take();
        auto text = asText(token);
        if (!text) failExpecting("a text after " + std::string(sign.text), token, kText);
        if (text->size() > kLongest)
            fail(token, "The pattern has more than " + std::to_string(kLongest) + " bytes.", "Shorten it.");
        if (ignoreCase)
            for (char& c : *text)
                if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return *text;
    }

    std::vector<Comparison::Operand> list(const Comparison& made) {
        const Token opening = here();
        if (!takeIf(Kind::Open)) failExpecting("a list after IN", opening, kList);
        std::vector<Comparison::Operand> found;
        do {
            if (!found.empty() && here().kind == Kind::Close) break;  // a comma behind the last value
            const Token token = here();
            found.push_back(value(made.field, "in the list"));
            if (found.back().index() != found.front().index())
                fail(token, "The list has both texts and numbers.", "Give it values of one kind.");
        } while (takeIf(Kind::Comma));
        if (!takeIf(Kind::Close)) failExpecting("a comma or the end of the list", here(), kList);
        return found;
    }

    int m_depth = 0;
};

class OrderParser : public Parser {
public:
    using Parser::Parser;

    std::vector<Order> run() {
        std::vector<Order> orders;
        if (atEnd()) return orders;
        do {
            const Token first = here();
            orders.push_back(one());
            const bool twice = std::any_of(orders.begin(), orders.end() - 1, [&](const Order& other) {
                return other.field == orders.back().field;
            });
            if (twice)
                fail(first, inQuotes(first.text) + " stands twice in the order.", "Name each field once.");
        } while (takeIf(Kind::Comma));
        if (!atEnd())
            failExpecting("ASC, DESC or a comma", here(),
                          "An order is written as in metrics.loss DESC, start_time.");
        return orders;
    }

private:
    Order one() {
        Order order;
        order.asNumber = isKeyword(here(), "NUMBER") && following().kind == Kind::Open;
        if (order.asNumber) {
            take();
            take();
        }
        if (here().kind != Kind::Word)
            failExpecting("a field", here(), "An order is written as in metrics.loss DESC, start_time.");
        order.field = takeField(take());
        if (order.asNumber && !takeIf(Kind::Close))
            failExpecting("a closing parenthesis", here(), "It is written as in number(params.lr) DESC.");
        order.descending = takeIf("DESC");
        if (!order.descending) takeIf("ASC");
        return order;
    }
};

void collectUnknown(const Condition& condition, const Vocabulary& known, std::vector<UnknownKey>& found) {
    for (const auto& part : condition.parts) collectUnknown(part, known, found);
    if (condition.kind != Condition::Kind::Compare || condition.comparison.op == Operator::IsNull) return;
    const Field& field = condition.comparison.field;
    if (field.entity == Entity::Attribute || isKnown(field, known)) return;
    const auto& keys = keysOf(field.entity, known);
    const char* noun = field.entity == Entity::Metric  ? "metric "
                       : field.entity == Entity::Param ? "param "
                                                       : "tag ";
    std::string message = std::string("No run has the ") + noun + inQuotes(field.key);
    std::string meant;
    if (const auto longer = keysEndingIn(field.key, keys); !longer.empty())
        meant = formatField({field.entity, longer.front(), {}});
    for (const auto entity : {Entity::Metric, Entity::Param, Entity::Tag})
        if (const Field other{entity, field.key, {}}; meant.empty() && isKnown(other, known))
            meant = formatField(other);
    if (meant.empty())
        if (const auto near = nearestKey(field.key, keys); !near.empty())
            meant = formatField({field.entity, near, {}});
    if (!meant.empty())
        message += "; did you mean " + sanitizedText(meant) + "?";
    else
        message += ".";
    const auto [position, length] = std::pair(condition.comparison.position, condition.comparison.length);
    found.push_back(
        {position, length, message, meant.empty() ? Proposal() : Proposal{{meant}, position, length}});
}

}  // namespace

Filter parseFilter(std::string_view text, const Vocabulary& known) {
    return FilterParser(text, known).run();
}

std::vector<Order> parseOrderBy(std::string_view text, const Vocabulary& known) {
    return OrderParser(text, known).run();
}

std::vector<UnknownKey> unknownKeys(const Filter& filter, const Vocabulary& known) {
    std::vector<UnknownKey> found;
    if (!filter.empty()) collectUnknown(*filter.root(), known, found);
    return found;
}

}  // namespace dailies::query
