#pragma once

#include "core/base/json.h"
#include "core/config/train_config.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dailies::config {

/// Where a field lives in a `TrainConfig`; the alternative is the field's type.
using Slot = std::variant<bool*, std::int64_t*, double*, std::string*, std::vector<std::string>*>;

/// What another key must be for a key to have any effect.
struct Condition {
    std::string key;
    std::vector<Json> values;
    bool unless = false;  ///< it must be none of these
};

/// One key of the configuration: everything that a form, a parser and a reference page need to know of it.
struct Field {
    std::string key;    ///< dotted path: "optimizer.lr"
    std::string label;  ///< for a form: "Learning rate"
    std::string unit;   ///< "steps", "px", …; empty when it has none
    std::string doc;    ///< one or two sentences: what it does, and when to change it
    std::optional<double> minimum;
    std::optional<double> maximum;
    std::vector<std::string> choices;  ///< for text fields: the only values accepted; empty = any
    bool logarithmic = false;          ///< whether people compare its values as ratios (learning rates)
    std::vector<Condition> appliesWhen = {};  ///< all must hold, else the key has no effect
    std::function<Slot(TrainConfig&)> slot;

    std::string group() const {
        return key.substr(0, key.find('.') == std::string::npos ? 0 : key.find('.'));
    }
    std::string typeName() const;  ///< "integer", "number", "text", "list of texts", "true or false"
    std::string accepted() const;  ///< "an integer from 1 to 4096 (steps)", "one of: dit"
    Json defaultValue() const;
};

/// All fields in the order in which config.json and the form show them. Immutable; any thread.
const std::vector<Field>& trainSchema();

/// The field with that key, or null.
const Field* findField(std::string_view key);

/// Whether keys are in this group: "model", "model.layout"; not whether `key` is one itself.
bool isGroup(std::string_view key);

/// Reads one value typed by a person or found in a sweep file ("1e-3", "true", "a, b") as the field's type;
/// throws `InputError` naming the key, what was found and what would be accepted.
Json parseValue(const Field& field, const std::string& text);

/// Whether `resolve` takes this value for this field: its type, range and choices, not its combination with
/// others.
bool accepts(const Field& field, const Json& value);

/// Whether the field has any effect where `valuesOf` gives the values that a key takes: several where it
/// varies, none where they are not known.
bool applies(const Field& field, const std::function<std::vector<Json>(const Field&)>& valuesOf);

/// Sets `optimizer.lr` in a nested object, making the groups it needs.
void setByKey(Json& config, std::string_view key, Json value);

/// {"optimizer": {"lr": 0.01}} → {"optimizer.lr": 0.01}; lists stay whole. Params in the tracking store are
/// these pairs.
Json flatten(const Json& nested);

/// The schema as one JSON document (`dailies-train schema`).
Json schemaToJson();

}  // namespace dailies::config
