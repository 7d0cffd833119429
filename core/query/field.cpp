#include "core/query/field.h"

#include "core/base/text.h"
#include "core/query/lexer.h"
#include "core/query/short_name.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace dailies::query {

namespace detail {

namespace {

std::optional<Entity> entityOf(std::string_view word) {
    if (word == "metrics" || word == "metric") return Entity::Metric;
    if (word == "params" || word == "param" || word == "parameters" || word == "parameter")
        return Entity::Param;
    if (word == "tags" || word == "tag") return Entity::Tag;
    if (word == "attributes" || word == "attribute" || word == "attr" || word == "run")
        return Entity::Attribute;
    return std::nullopt;
}

std::optional<Attribute> attributeOf(std::string_view word) {
    for (const auto& entry : kAttributes)
        if (word == entry.name) return entry.attribute;
    if (word == "created" || word == "Created") return Attribute::StartTime;
    if (word == "name" || word == "run name" || word == "Run name" || word == "Run Name")
        return Attribute::RunName;
    return std::nullopt;
}

bool isWrappedIn(std::string_view text, char quote) {
    return text.size() >= 2 && text.front() == quote && text.back() == quote;
}

std::string_view unwrapped(std::string_view text, std::initializer_list<char> quotes) {
    for (const char quote : quotes)
        if (isWrappedIn(text, quote)) return text.substr(1, text.size() - 2);
    return text;
}

/// The field that was probably meant by a word that is none: a key that lacks its entity, else the nearest of
/// `names` to `name`, else the nearest key. Empty where nothing is near.
std::string meantBy(std::string_view word, std::string_view name, const std::vector<std::string>& names,
                    const Vocabulary& known) {
    constexpr std::array kWithKeys = {Entity::Metric, Entity::Param, Entity::Tag};
    for (const auto entity : kWithKeys)
        if (const Field field{entity, std::string(word), {}}; isKnown(field, known))
            return formatField(field);
    for (const auto entity : kWithKeys)
        if (const auto longer = keysEndingIn(word, keysOf(entity, known)); !longer.empty())
            return formatField({entity, longer.front(), {}});
    if (auto near = nearest(name, names); !near.empty()) return near;
    for (const auto entity : kWithKeys)
        if (const auto near = nearestKey(word, keysOf(entity, known)); !near.empty())
            return formatField({entity, near, {}});
    return {};
}

std::string didYouMean(const std::string& proposal) {
    return proposal.empty() ? "" : "Did you mean " + sanitizedText(proposal) + "? ";
}

Proposal proposalOf(const std::string& meant, std::size_t begin, std::size_t end) {
    return meant.empty() ? Proposal() : Proposal{{meant}, begin, end - begin};
}

constexpr const char* kFields =
    "A field is metrics.KEY, params.KEY, tags.KEY, or one of status, run_name, run_id, start_time, end_time, "
    "experiment, "
    "user_id, artifact_uri.";

double asMlflowStores(double value) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    return std::isnan(value) ? value : std::clamp(value, -kLargest, kLargest);
}

template <typename Map>
Value textIn(const Map& values, const std::string& key) {
    const auto at = values.find(key);
    if (at == values.end()) return {};
    return std::string_view(at->second);
}

Value attributeValue(Attribute attribute, const tracking::Run& run) {
    switch (attribute) {
        case Attribute::RunId:
            return std::string_view(run.id);
        case Attribute::RunName:
            return std::string_view(run.name);
        case Attribute::Status:
            return tracking::toText(run.status);
        case Attribute::StartTime:
            return static_cast<double>(run.startMs);
        case Attribute::EndTime:
            if (!run.endMs) return {};
            return static_cast<double>(*run.endMs);
        case Attribute::UserId:
            return std::string_view(run.user);
        case Attribute::ArtifactUri:
            return std::string_view(run.artifactUri);
        case Attribute::Experiment:
            return std::string_view(run.experiment);
    }
    return {};
}

}  // namespace

const AttributeName& nameOf(Attribute attribute) {
    return *std::find_if(kAttributes.begin(), kAttributes.end(),
                         [&](const AttributeName& entry) { return entry.attribute == attribute; });
}

std::string_view nameOf(Entity entity) {
    switch (entity) {
        case Entity::Metric:
            return "metrics";
        case Entity::Param:
            return "params";
        case Entity::Tag:
            return "tags";
        case Entity::Attribute:
            break;
    }
    return "attributes";
}

bool isNumber(const Field& field) {
    return field.entity == Entity::Metric ||
           (field.entity == Entity::Attribute && nameOf(field.attribute).isNumber);
}

std::variant<Field, FieldProblem> fieldOf(std::string_view word, const Vocabulary& known) {
    const auto dot = word.find('.');
    const auto entityWord = unwrapped(word.substr(0, dot), {'`'});
    const auto entity = dot == std::string_view::npos ? Entity::Attribute : entityOf(entityWord);
    if (!entity) {
        if (entityWord == "datasets" || entityWord == "dataset")
            return FieldProblem{"Dailies does not read the datasets of runs, so it cannot search by them.",
                                kFields, 0, word.size()};
        if (word.front() == '"' || word.front() == '`')
            return FieldProblem{inQuotes(word) + " is not a field.",
                                "Quotes go around the key alone, as in params.`optimizer name`.", 0,
                                word.size()};
        const std::vector<std::string> entities{"metrics", "params", "tags", "attributes"};
        const auto meant = meantBy(word, entityWord, entities, known);
        const bool isEntity = std::ranges::find(entities, meant) != entities.end();
        return FieldProblem{inQuotes(entityWord) + " is not a field of a run.", didYouMean(meant) + kFields,
                            0, dot, proposalOf(meant, 0, isEntity ? dot : word.size())};
    }
    const auto begin = dot == std::string_view::npos ? 0 : dot + 1;
    const auto key = unwrapped(unwrapped(word.substr(begin), {'\'', '"'}), {'`'});
    if (key.empty())
        return FieldProblem{
            "The key is missing after " + inQuotes(word.substr(0, begin)) + ".",
            "It follows the dot at once, in backticks where it has blanks: params.`optimizer name`.", 0,
            word.size()};
    if (*entity != Entity::Attribute) return Field{*entity, std::string(key), {}};
    if (const auto attribute = attributeOf(key)) return Field{Entity::Attribute, {}, *attribute};
    std::vector<std::string> attributes;
    for (const auto& entry : kAttributes) attributes.emplace_back(entry.name);
    const auto meant = meantBy(key, key, attributes, known);
    const bool isAttribute = std::ranges::find(attributes, meant) != attributes.end();
    return FieldProblem{inQuotes(key) + " is not an attribute of a run.", didYouMean(meant) + kFields, begin,
                        word.size(), proposalOf(meant, isAttribute ? begin : 0, word.size())};
}

Value valueOf(const Field& field, const tracking::Run& run) {
    switch (field.entity) {
        case Entity::Metric: {
            const auto at = run.metrics.find(field.key);
            if (at == run.metrics.end()) return {};
            return asMlflowStores(at->second.value);
        }
        case Entity::Param:
            return textIn(run.params, field.key);
        case Entity::Tag:
            return textIn(run.tags, field.key);
        case Entity::Attribute:
            break;
    }
    return attributeValue(field.attribute, run);
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t kLongest = 60;  // nobody mistypes a longer one, and comparing it costs much
    if (word.empty() || word.size() > kLongest) return {};
    const std::size_t mostEdits = std::max<std::size_t>(2, word.size() / 3);
    // An edit supplies at most one letter that the other word has and this one lacks. Counting letters leaves
    // few words for the true distance, so that 10,000 keys can be searched at every keystroke.
    std::array<signed char, 256> letters{};
    for (const char c : word) ++letters[static_cast<unsigned char>(c)];
    std::vector<std::string> comparable;
    for (const auto& candidate : candidates) {
        if (candidate.size() > word.size() + mostEdits || candidate.size() + mostEdits < word.size())
            continue;
        auto left = letters;
        std::size_t shared = 0;
        for (const char c : candidate) shared += left[static_cast<unsigned char>(c)]-- > 0;
        if (std::max(word.size(), candidate.size()) - shared <= mostEdits) comparable.push_back(candidate);
    }
    return nearestWord(word, comparable);
}

std::string inQuotes(std::string_view text) {
    constexpr std::size_t kMost = 60;
    if (text.size() <= kMost) {
        // what brings quotes along needs no more of them
        const bool hasSome =
            text.size() > 1 && (text.front() == '\'' || text.front() == '"' || text.front() == '`');
        return hasSome ? sanitizedText(text) : "\"" + sanitizedText(text) + "\"";
    }
    std::size_t cut = kMost;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
    return "\"" + sanitizedText(text.substr(0, cut)) + "…\"";
}

}  // namespace detail

std::string formatField(const Field& field) {
    using namespace detail;
    if (field.entity == Entity::Attribute) return std::string(nameOf(field.attribute).name);
    const std::string entity = std::string(nameOf(field.entity)) + ".";
    // MLflow takes keys without quotes only where each part between dots is a word, and these few not even
    // then
    bool plain = true;
    for (const auto& part : split(field.key, '.')) {
        const bool word =
            !part.empty() && !(part[0] >= '0' && part[0] <= '9') &&
            std::all_of(part.begin(), part.end(), [](char c) {
                return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
            });
        const Token token{Token::Kind::Word, 0, part.size(), part};
        plain = plain && word;
        for (const char* keyword : {"IN", "CASE", "VALUES", "USING", "FROM", "AS"})
            plain = plain && !isKeyword(token, keyword);
    }
    if (plain && !field.key.empty()) return entity + field.key;
    for (const char quote : {'`', '"', '\''}) {
        const std::string candidate = entity + quote + field.key + quote;
        const auto parsed = tokenize(candidate);
        if (parsed.size() != 2 || parsed[0].kind != Token::Kind::Word) continue;
        const auto read = fieldOf(parsed[0].text);
        if (const auto* same = std::get_if<Field>(&read); same && *same == field) return candidate;
    }
    return {};
}

std::string quoteValue(std::string_view value) {
    if (value.ends_with('\\')) return {};  // it would take the closing quote for content
    for (const char quote : {'\'', '"'})
        if (value.find(quote) == std::string_view::npos) return quote + std::string(value) + quote;
    return {};
}

}  // namespace dailies::query
