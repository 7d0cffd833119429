#include "core/config/schema.h"

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/config/fields/fields.h"
#include "core/config/value_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace dailies::config {

namespace {

std::vector<Field> describe() {
    std::vector<Field> all;
    for (const auto group : {runFields, modelFields, dataFields, tokenizerFields, textFields, diffusionFields,
                             optimizerFields, loraFields, layoutFields, samplingFields, validationFields,
                             checkpointFields, runtimeFields, watchdogFields}) {
        auto fields = group();
        std::ranges::move(fields, std::back_inserter(all));
    }
    describeWhatApplies(all);
    return all;
}

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

Slot slotIn(const Field& f, const TrainConfig& config) {
    return f.slot(const_cast<TrainConfig&>(config));  // only read through by the callers below
}

Json readSlot(const Slot& slot) {
    return std::visit([](auto* value) { return Json(*value); }, slot);
}

std::string plainNumber(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15)
        return std::to_string(static_cast<std::int64_t>(value));
    return shortNumber(value);
}

}  // namespace

std::string Field::typeName() const {
    TrainConfig config;
    return std::visit(
        Overloaded{[](bool*) { return "true or false"; }, [](std::int64_t*) { return "integer"; },
                   [](double*) { return "number"; }, [](std::string*) { return "text"; },
                   [](std::vector<std::string>*) { return "list of texts"; }},
        slot(config));
}

std::string Field::accepted() const {
    if (!choices.empty()) return "one of: " + join(choices, ", ");
    std::string text = typeName();
    if (text == "integer")
        text = "an integer";
    else if (text != "true or false")
        text = "a " + text;
    if (minimum && maximum) text += " from " + plainNumber(*minimum) + " to " + plainNumber(*maximum);
    if (!unit.empty()) text += " (" + unit + ")";
    return text;
}

Json Field::defaultValue() const {
    return readSlot(slotIn(*this, TrainConfig{}));
}

const std::vector<Field>& trainSchema() {
    static const std::vector<Field> schema = describe();
    return schema;
}

const Field* findField(std::string_view key) {
    for (const auto& f : trainSchema())
        if (f.key == key) return &f;
    return nullptr;
}

bool isGroup(std::string_view key) {
    const auto prefix = std::string(key) + ".";
    return std::ranges::any_of(trainSchema(),
                               [&](const Field& field) { return field.key.starts_with(prefix); });
}

Json parseValue(const Field& f, const std::string& text) {
    const std::string word(trim(text));
    const auto refuse = [&]() -> Json {
        throw InputError(f.key + ": found \"" + sanitizedText(word) + "\", expected " + f.accepted() + ".");
    };
    TrainConfig config;
    return std::visit(Overloaded{[&](bool*) -> Json {
                                     if (word == "true") return true;
                                     if (word == "false") return false;
                                     return refuse();
                                 },
                                 [&](std::int64_t*) -> Json {
                                     const auto value = parseInteger(word);
                                     return value ? Json(*value) : refuse();
                                 },
                                 [&](double*) -> Json {
                                     const auto value = parseAs<double>(word);
                                     return value && std::isfinite(*value) ? Json(*value) : refuse();
                                 },
                                 [&](std::string*) -> Json { return text; },
                                 [&](std::vector<std::string>*) -> Json {
                                     Json list = Json::array();
                                     for (const auto& item : split(text, '\n'))
                                         if (!trim(item).empty())
                                             list.push_back(unquoted(std::string(trim(item))));
                                     return list;
                                 }},
                      f.slot(config));
}

bool applies(const Field& f, const std::function<std::vector<Json>(const Field&)>& valuesOf) {
    return std::ranges::all_of(f.appliesWhen, [&](const Condition& condition) {
        const auto values = valuesOf(*findField(condition.key));
        return values.empty() || std::ranges::any_of(values, [&](const Json& value) {
                   const bool named = std::ranges::find(condition.values, value) != condition.values.end();
                   return named != condition.unless;
               });
    });
}

void setByKey(Json& config, std::string_view key, Json value) {
    Json* at = &config;
    for (auto dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.')) {
        at = &(*at)[std::string(key.substr(0, dot))];
        key.remove_prefix(dot + 1);
    }
    (*at)[std::string(key)] = std::move(value);
}

namespace {

void flattenInto(const Json& nested, const std::string& prefix, Json& flat) {
    for (const auto& [name, value] : nested.items()) {
        if (value.is_object())
            flattenInto(value, prefix + name + ".", flat);
        else
            flat[prefix + name] = value;
    }
}

}  // namespace

Json flatten(const Json& nested) {
    Json flat = Json::object();
    flattenInto(nested, "", flat);
    return flat;
}

Json schemaToJson() {
    Json fields = Json::array();
    for (const auto& f : trainSchema()) {
        Json entry = {{"key", f.key}, {"type", f.typeName()}, {"default", f.defaultValue()}, {"doc", f.doc}};
        if (!f.unit.empty()) entry["unit"] = f.unit;
        if (f.minimum) entry["minimum"] = *f.minimum;
        if (f.maximum) entry["maximum"] = *f.maximum;
        if (!f.choices.empty()) entry["choices"] = f.choices;
        for (const auto& condition : f.appliesWhen)
            entry["applies_when"].push_back(
                {{"key", condition.key}, {condition.unless ? "is_not" : "is", condition.values}});
        fields.push_back(std::move(entry));
    }
    return {{"schema", 1}, {"fields", std::move(fields)}};
}

}  // namespace dailies::config
