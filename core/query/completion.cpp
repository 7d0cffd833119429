#include "core/query/completion.h"

#include "core/base/text.h"
#include "core/query/condition.h"
#include "core/query/field.h"
#include "core/query/lexer.h"
#include "core/query/number.h"

#include <algorithm>
#include <optional>

namespace dailies::query {

namespace {

using namespace detail;
using Kind = Token::Kind;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// What the grammar allows next, with what has been said so far.
struct Place {
    enum class Expects { Condition, Comparison, AfterNot, AfterIs, Value, List, InList, AfterInList, Joint };
    Expects expects = Expects::Condition;
    std::optional<Field> field;     // of the comparison under way
    Operator op = Operator::Equal;  // its sign
    int parentheses = 0;            // that are open
};

std::optional<Field> readField(const Token& token) {
    auto found = fieldOf(token.text);
    if (auto* field = std::get_if<Field>(&found)) return std::move(*field);
    return std::nullopt;
}

Operator sign(std::string_view text) {
    if (text == "!=" || text == "<>") return Operator::Unequal;
    return text == "=" || text == "==" ? Operator::Equal : Operator::Less;
}

/// Takes one token further, wrong ones included: what is being written is mostly wrong.
void advance(Place& place, const Token& token) {
    using Expects = Place::Expects;
    switch (place.expects) {
        case Expects::Joint:
            if (token.kind == Kind::Close) {
                place.parentheses = std::max(0, place.parentheses - 1);
                return;
            }
            if (isKeyword(token, "AND") || isKeyword(token, "OR")) {
                place.expects = Expects::Condition;
                return;
            }
            [[fallthrough]];
        case Expects::Condition:
            if (token.kind == Kind::Open) ++place.parentheses;
            if (token.kind != Kind::Word || isKeyword(token, "NOT") || isKeyword(token, "AND") ||
                isKeyword(token, "OR"))
                return;
            place.field = readField(token);
            place.expects = Expects::Comparison;
            return;
        case Expects::Comparison:
        case Expects::AfterNot:
            if (isKeyword(token, "NOT")) {
                place.expects = Expects::AfterNot;
            } else if (isKeyword(token, "IS")) {
                place.expects = Expects::AfterIs;
            } else if (isKeyword(token, "IN")) {
                place.op = Operator::In;
                place.expects = Expects::List;
            } else {
                place.op =
                    isKeyword(token, "LIKE") || isKeyword(token, "ILIKE") ? Operator::Like : sign(token.text);
                place.expects = Expects::Value;
            }
            return;
        case Expects::AfterIs:
            if (!isKeyword(token, "NOT")) place.expects = Expects::Joint;
            return;
        case Expects::List:
            place.expects = token.kind == Kind::Open ? Expects::InList : Expects::Joint;
            return;
        case Expects::InList:
            place.expects = Expects::AfterInList;
            return;
        case Expects::AfterInList:
            place.expects = token.kind == Kind::Comma ? Expects::InList : Expects::Joint;
            return;
        case Expects::Value:
            place.expects = Expects::Joint;
            return;
    }
}

/// Candidates that fit what was typed, the better ones first and each group as it was offered.
class Ranking {
public:
    Ranking(std::string_view typed, std::size_t most) : m_most(most) {
        std::transform(typed.begin(), typed.end(), std::back_inserter(m_typed), lower);
    }

    /// Offers `make()` where `name` fits.
    template <typename Make>
    void offer(std::string_view name, Make&& make) {
        const int rank = rankOf(name);
        if (rank < 0 || m_byRank[rank].size() >= m_most) return;
        Candidate candidate = make();
        if (!candidate.text.empty()) m_byRank[rank].push_back(std::move(candidate));
    }

    void offer(Candidate::Kind kind, std::string_view text, std::string_view hint) {
        offer(text, [&] { return Candidate{std::string(text), kind, std::string(hint)}; });
    }

    std::vector<Candidate> best() && {
        std::vector<Candidate> all;
        for (auto& rank : m_byRank)
            for (auto& candidate : rank)
                if (all.size() < m_most) all.push_back(std::move(candidate));
        return all;
    }

private:
    /// 0: begins with it; 1: a part behind a dot, slash, dash, underscore or blank does; 2: contains it; -1:
    /// does not.
    int rankOf(std::string_view name) const {
        if (m_typed.empty()) return 0;
        const auto same = [](char a, char b) { return lower(a) == b; };
        int best = -1;
        for (auto from = name.begin();; ++from) {
            from = std::search(from, name.end(), m_typed.begin(), m_typed.end(), same);
            if (from == name.end()) return best;
            if (from == name.begin()) return 0;
            if (std::string_view("./-_ :").find(from[-1]) != std::string_view::npos) return 1;
            best = 2;
        }
    }

    std::string m_typed;
    std::size_t m_most;
    std::vector<Candidate> m_byRank[3];
};

std::string fewOf(const std::vector<std::string>& values) {
    constexpr std::size_t kMaxBytes = 32, kMaxValues = 3;
    std::string shown;
    std::size_t count = 0;
    for (const auto& value : values) {
        if (count == kMaxValues || shown.size() + value.size() > kMaxBytes) break;
        shown += (count++ ? ", " : "") + sanitizedText(value);
    }
    if (count < values.size()) shown += count ? ", …" : "…";
    return shown;
}

class Completer {
public:
    Completer(const Vocabulary& known, std::string_view typed, std::size_t most)
        : m_known(known), m_typed(typed), m_ranking(withoutQuote(keyTyped()), most) {}

    std::vector<Candidate> run(const Place& place) && {
        using Expects = Place::Expects;
        switch (place.expects) {
            case Expects::Condition:
                offerFields();
                break;
            case Expects::Comparison:
                offerComparisons(place.field);
                break;
            case Expects::AfterNot:
                offerKeywords({"IN", "LIKE", "ILIKE"});
                break;
            case Expects::AfterIs:
                offerKeywords({"NULL", "NOT NULL"});
                break;
            case Expects::List:
                m_ranking.offer(Candidate::Kind::Keyword, "(", "a list of values");
                break;
            case Expects::Value:
            case Expects::InList:
                if (place.field) offerValues(*place.field, place.op);
                break;
            case Expects::AfterInList:
                m_ranking.offer(Candidate::Kind::Keyword, ",", "another value");
                m_ranking.offer(Candidate::Kind::Keyword, ")", "the end of the list");
                break;
            case Expects::Joint:
                offerKeywords({"AND", "OR"});
                if (place.parentheses > 0) m_ranking.offer(Candidate::Kind::Keyword, ")", "");
                break;
        }
        return std::move(m_ranking).best();
    }

private:
    /// The entity that was typed before the first dot, and what is typed of its key; else all of it.
    std::optional<Entity> entityTyped() const {
        const auto dot = m_typed.find('.');
        if (dot == std::string_view::npos) return std::nullopt;
        const auto probe = fieldOf(std::string(m_typed.substr(0, dot)) + ".status");
        if (const auto* field = std::get_if<Field>(&probe)) return field->entity;
        return std::nullopt;
    }
    std::string_view keyTyped() const {
        return entityTyped() ? m_typed.substr(m_typed.find('.') + 1) : m_typed;
    }

    static std::string_view withoutQuote(std::string_view typed) {
        if (!typed.empty() && (typed[0] == '\'' || typed[0] == '"' || typed[0] == '`'))
            typed.remove_prefix(1);
        return typed;
    }

    void offerFields() {
        const auto entity = entityTyped();
        if (!entity) {
            m_ranking.offer(Candidate::Kind::Entity, "metrics.", "latest values");
            m_ranking.offer(Candidate::Kind::Entity, "params.", "the run's configuration");
            m_ranking.offer(Candidate::Kind::Entity, "tags.", "what was noted on it");
        }
        if (!entity || *entity == Entity::Attribute)
            for (const auto& attribute : kAttributes)
                m_ranking.offer(Candidate::Kind::Attribute, attribute.name, attribute.hint);
        if (!entity && m_typed.empty()) return;  // keys only once something tells which
        if (!entity || *entity == Entity::Metric)
            for (const auto& key : m_known.metrics)
                m_ranking.offer(
                    key, [&] { return candidate(Candidate::Kind::Metric, Entity::Metric, key, "metric"); });
        if (!entity || *entity == Entity::Param)
            offerKeys(Candidate::Kind::Param, Entity::Param, m_known.params, m_known.paramValues);
        if (!entity || *entity == Entity::Tag)
            offerKeys(Candidate::Kind::Tag, Entity::Tag, m_known.tags, m_known.tagValues);
        if (!entity) m_ranking.offer(Candidate::Kind::Keyword, "NOT", "negates the next condition");
    }

    void offerKeys(Candidate::Kind kind, Entity entity, const std::vector<std::string>& keys,
                   const std::map<std::string, std::vector<std::string>>& values) {
        for (const auto& key : keys)
            m_ranking.offer(key, [&] {
                const auto at = values.find(key);
                return candidate(kind, entity, key, at == values.end() ? "" : fewOf(at->second));
            });
    }

    static Candidate candidate(Candidate::Kind kind, Entity entity, const std::string& key,
                               std::string hint) {
        return {formatField({entity, key, {}}), kind, std::move(hint)};
    }

    const std::vector<std::string>& valuesOf(const Field& field) const {
        static const std::vector<std::string> kNone;
        static const std::vector<std::string> kStatuses = [] {
            using tracking::RunStatus;
            std::vector<std::string> words;
            for (const auto status : {RunStatus::Running, RunStatus::Finished, RunStatus::Failed,
                                      RunStatus::Killed, RunStatus::Scheduled})
                words.emplace_back(tracking::toText(status));
            return words;
        }();
        const auto in = [&](const auto& values) -> const std::vector<std::string>& {
            const auto at = values.find(field.key);
            return at == values.end() ? kNone : at->second;
        };
        if (field.entity == Entity::Param) return in(m_known.paramValues);
        if (field.entity == Entity::Tag) return in(m_known.tagValues);
        if (field.entity == Entity::Metric) return kNone;
        switch (field.attribute) {
            case Attribute::Status:
                return kStatuses;
            case Attribute::RunName:
                return m_known.runNames;
            case Attribute::Experiment:
                return m_known.experiments;
            case Attribute::UserId:
                return m_known.users;
            default:
                return kNone;
        }
    }

    bool hasNumbers(const Field& field) const {
        const auto& values = valuesOf(field);
        return isNumber(field) || std::any_of(values.begin(), values.end(),
                                              [](const auto& value) { return toNumber(value).has_value(); });
    }

    void offerComparisons(const std::optional<Field>& field) {
        const bool numbers = !field || isNumber(*field);
        const auto offerRanks = [&] {
            for (const auto& [symbol, hint] :
                 {std::pair{"<", "less"}, {"<=", "at most"}, {">", "greater"}, {">=", "at least"}})
                m_ranking.offer(Candidate::Kind::Operator, symbol, hint);
        };
        const bool ranksFirst = numbers || (field->entity == Entity::Param && hasNumbers(*field));
        if (ranksFirst) offerRanks();
        m_ranking.offer(Candidate::Kind::Operator, "=", "equal");
        m_ranking.offer(Candidate::Kind::Operator, "!=", "another value");
        if (!ranksFirst && field->entity == Entity::Tag && hasNumbers(*field)) offerRanks();
        if (!numbers || !field) {
            m_ranking.offer(Candidate::Kind::Operator, "LIKE", "% any text, _ one character");
            m_ranking.offer(Candidate::Kind::Operator, "ILIKE", "LIKE without regard to case");
        }
        m_ranking.offer(Candidate::Kind::Operator, "IN", "one of a list");
        m_ranking.offer(Candidate::Kind::Operator, "NOT IN", "none of a list");
        m_ranking.offer(Candidate::Kind::Operator, "IS NULL", "the run lacks it");
        m_ranking.offer(Candidate::Kind::Operator, "IS NOT NULL", "the run has it");
    }

    void offerValues(const Field& field, Operator op) {
        for (const auto& value : valuesOf(field)) {
            if (op == Operator::Less && !toNumber(value)) continue;
            m_ranking.offer(value, [&] {
                return Candidate{op == Operator::Less ? value : quoteValue(value), Candidate::Kind::Value,
                                 ""};
            });
        }
    }

    void offerKeywords(std::initializer_list<const char*> words) {
        for (const char* word : words) m_ranking.offer(Candidate::Kind::Keyword, word, "");
    }

    const Vocabulary& m_known;
    std::string_view m_typed;
    Ranking m_ranking;
};

/// Where the word that begins at `begin` ends, its part behind the cursor included. A quote that is still
/// open would take in the conditions behind it, so then it ends at the cursor.
std::size_t endOfWord(std::string_view text, std::size_t begin, std::size_t cursor) {
    std::size_t end = cursor;
    for (const auto& token : tokenize(text)) {
        if (token.kind == Kind::Unterminated) return cursor;
        if (token.begin == begin) end = std::max(cursor, token.end);
    }
    return end;
}

}  // namespace

Completion complete(std::string_view text, std::size_t cursor, const Vocabulary& vocabulary,
                    std::size_t most) {
    cursor = std::min(cursor, text.size());
    const auto before = tokenize(text.substr(0, cursor));
    Place place;
    Completion made{.replaceFrom = cursor, .replaceTo = cursor, .candidates = {}};
    for (const auto& token : before) {
        if (token.kind == Kind::End) break;
        const bool beingWritten = token.end == cursor && token.kind != Kind::Open &&
                                  token.kind != Kind::Close && token.kind != Kind::Comma &&
                                  token.kind != Kind::Stray;
        if (beingWritten)
            made.replaceFrom = token.begin;
        else
            advance(place, token);
    }
    const auto typed = text.substr(made.replaceFrom, cursor - made.replaceFrom);
    if (!typed.empty()) made.replaceTo = endOfWord(text, made.replaceFrom, cursor);
    made.candidates = Completer(vocabulary, typed, most).run(place);
    return made;
}

}  // namespace dailies::query
