#include "core/sweep/parameter.h"

#include "core/base/counts.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/sweep/command.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace dailies::sweep {

namespace {

using Kind = Parameter::Kind;

constexpr std::pair<Kind, std::string_view> kDistributions[] = {
    {Kind::Uniform, "uniform"},
    {Kind::LogUniform, "log_uniform_values"},
    {Kind::IntUniform, "int_uniform"},
    {Kind::QUniform, "q_uniform"},
    {Kind::QLogUniform, "q_log_uniform_values"},
    {Kind::Normal, "normal"},
    {Kind::LogNormal, "log_normal"},
    {Kind::QNormal, "q_normal"},
    {Kind::QLogNormal, "q_log_normal"},
    {Kind::Beta, "beta"},
    {Kind::QBeta, "q_beta"},
};

std::string shown(const Json& value) {
    return sanitizedText(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::optional<std::string> problemOfProbabilities(const Parameter& parameter) {
    const auto& all = parameter.probabilities;
    if (all.empty()) return std::nullopt;
    const auto expected = [&](const std::string& found, const std::string& wanted) {
        return parameter.key + ".probabilities: found " + found + ", expected " + wanted + ".";
    };
    if (all.size() != parameter.values.size())
        return expected(pluralize(static_cast<long long>(all.size()), "number", "numbers"),
                        "one for each of " +
                            pluralize(static_cast<long long>(parameter.values.size()), "value", "values"));
    for (const double probability : all)
        if (!(probability >= 0 && probability <= 1))
            return expected(shortNumber(probability), "numbers from 0 to 1");
    constexpr double kRounding = 1e-3;  // thirds as people write them: 0.333
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    if (std::abs(sum - 1) > kRounding) return expected("a sum of " + shortNumber(sum), "a sum of 1");
    return std::nullopt;
}

/// Here and below: `field` is null where any value is taken.
std::optional<std::string> problemOfValues(const Parameter& parameter, const config::Field* field) {
    const bool fixed = parameter.kind == Kind::Fixed;
    if (parameter.values.empty())
        return parameter.key + ".values is empty; give at least one" +
               (field ? ", " + field->accepted() : std::string()) + ".";
    if (fixed && parameter.values.size() > 1)
        return parameter.key + ": found several values, expected one; a list belongs under values.";
    for (auto value = parameter.values.begin(); value != parameter.values.end(); ++value) {
        if (field && !config::accepts(*field, *value))
            return parameter.key + ": found " + shown(*value) + ", expected " + field->accepted() + ".";
        if (std::find(parameter.values.begin(), value, *value) != value)
            return parameter.key + ": found " + shown(*value) + " twice, expected each value once.";
    }
    return problemOfProbabilities(parameter);
}

std::optional<std::string> problemOfEdges(const config::Field* field, double low, double high,
                                          const std::string& key) {
    if (!field) return std::nullopt;
    for (const double edge : {low, high})
        if ((field->minimum && edge < *field->minimum) || (field->maximum && edge > *field->maximum))
            return key + ": found " + shortNumber(edge) + ", expected " + field->accepted() + ".";
    return std::nullopt;
}

std::optional<std::string> problemOfDistribution(const Parameter& parameter, const config::Field* field) {
    const auto expected = [&](const std::string& found, const std::string& wanted) {
        return parameter.key + ": found " + found + ", expected " + wanted + ".";
    };
    if (field && field->typeName() != "integer" && field->typeName() != "number")
        return expected("the distribution " + std::string(distributionName(parameter.kind)),
                        "values, for this key takes " + field->accepted());
    for (const double number : {parameter.minimum, parameter.maximum, parameter.mu, parameter.sigma,
                                parameter.a, parameter.b, parameter.q})
        if (!std::isfinite(number)) return expected(shortNumber(number), "finite numbers");
    if (isQuantized(parameter.kind) && parameter.q <= 0)
        return expected("q " + shortNumber(parameter.q), "more than 0");
    if (isNormal(parameter.kind))
        return parameter.sigma > 0
                   ? std::nullopt
                   : std::optional(expected("sigma " + shortNumber(parameter.sigma), "more than 0"));
    if (isBeta(parameter.kind)) {
        for (const auto& [name, member] : numbersOf(parameter.kind))
            if (parameter.*member <= 0)
                return expected(std::string(name) + " " + shortNumber(parameter.*member), "more than 0");
        return problemOfEdges(field, 0, 1, parameter.key);
    }
    if (parameter.minimum > parameter.maximum)
        return expected(
            "min " + shortNumber(parameter.minimum) + " above max " + shortNumber(parameter.maximum),
            "min at most max");
    if ((parameter.kind == Kind::LogUniform || parameter.kind == Kind::QLogUniform) && parameter.minimum <= 0)
        return expected("min " + shortNumber(parameter.minimum),
                        "more than 0 for " + std::string(distributionName(parameter.kind)));
    if (isQuantized(parameter.kind) && std::floor(parameter.maximum / parameter.q + 1e-9) <
                                           std::ceil(parameter.minimum / parameter.q - 1e-9))
        return expected("q " + shortNumber(parameter.q),
                        "a number of which a multiple lies between min and max");
    if (parameter.kind == Kind::IntUniform && (parameter.minimum != std::floor(parameter.minimum) ||
                                               parameter.maximum != std::floor(parameter.maximum)))
        return expected(
            "min " + shortNumber(parameter.minimum) + " and max " + shortNumber(parameter.maximum),
            "whole numbers for int_uniform");
    return problemOfEdges(field, parameter.minimum, parameter.maximum, parameter.key);
}

}  // namespace

std::optional<std::string> validationError(const Parameter& parameter) {
    const config::Field* field = config::findField(parameter.key);
    if (!field) return unknownKey(parameter.key);
    return isListed(parameter.kind) ? problemOfValues(parameter, field)
                                    : problemOfDistribution(parameter, field);
}

std::optional<std::string> validationErrorOfArgument(const Parameter& parameter) {
    if (!isArgumentName(parameter.key))
        return sanitizedText(parameter.key) +
               ": no name of an argument; expected a letter or '_' and then letters, digits, '_', '.' or "
               "'-'.";
    return isListed(parameter.kind) ? problemOfValues(parameter, nullptr)
                                    : problemOfDistribution(parameter, nullptr);
}

std::string unknownKey(const std::string& key) {
    std::vector<std::string> keys;
    for (const auto& field : config::trainSchema()) keys.push_back(field.key);
    const auto suggestion = nearestWord(key, keys);
    return sanitizedText(key) + ": no such key" +
           (suggestion.empty() ? "." : "; did you mean " + suggestion + "?");
}

std::string_view distributionName(Kind kind) {
    for (const auto& [known, name] : kDistributions)
        if (known == kind) return name;
    return kind == Kind::Fixed ? "constant" : "categorical";
}

std::array<DistributionNumber, 2> numbersOf(Kind kind) {
    if (isNormal(kind)) return {{{"mu", &Parameter::mu}, {"sigma", &Parameter::sigma}}};
    if (isBeta(kind)) return {{{"a", &Parameter::a}, {"b", &Parameter::b}}};
    return {{{"min", &Parameter::minimum}, {"max", &Parameter::maximum}}};
}

std::string_view spellingOf(const Parameter& parameter, std::size_t index) {
    return index < parameter.spellings.size() ? std::string_view(parameter.spellings[index])
                                              : std::string_view();
}

std::string leafOf(const Parameter& parameter) {
    std::size_t prefix = 0;
    for (const auto& group : parameter.groups) prefix += group.size() + 1;
    return parameter.key.substr(prefix);
}

std::optional<Kind> distributionFromName(std::string_view name) {
    for (const auto& [kind, known] : kDistributions)
        if (known == name) return kind;
    if (name == "constant") return Kind::Fixed;
    if (name == "categorical" || name == "categorical_w_probabilities") return Kind::Values;
    return std::nullopt;
}

std::vector<std::string> distributionNames() {
    std::vector<std::string> names = {"constant", "categorical"};
    for (const auto& [kind, name] : kDistributions) names.emplace_back(name);
    return names;
}

}  // namespace dailies::sweep
