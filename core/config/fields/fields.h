#pragma once

#include "core/config/schema.h"

#include <utility>

/// The fields of the configuration, one function and one file a group, in the order in which people meet
/// them; `trainSchema()` joins them. Below them stand the few words that describe a field.
namespace dailies::config {

std::vector<Field> runFields();
std::vector<Field> modelFields();
std::vector<Field> dataFields();
std::vector<Field> tokenizerFields();
std::vector<Field> textFields();
std::vector<Field> diffusionFields();
std::vector<Field> optimizerFields();
std::vector<Field> loraFields();
std::vector<Field> layoutFields();
std::vector<Field> samplingFields();
std::vector<Field> validationFields();
std::vector<Field> checkpointFields();
std::vector<Field> runtimeFields();
std::vector<Field> watchdogFields();

/// Gives the fields their `appliesWhen`.
void describeWhatApplies(std::vector<Field>& fields);

#define CONFIG_SLOT(member) [](TrainConfig& c) -> Slot { return &c.member; }

inline Field field(std::string key, std::string label, std::string unit, std::string doc,
                   std::function<Slot(TrainConfig&)> slot) {
    Field f;
    f.key = std::move(key);
    f.label = std::move(label);
    f.unit = std::move(unit);
    f.doc = std::move(doc);
    f.slot = std::move(slot);
    return f;
}

inline Field between(Field f, std::optional<double> minimum, std::optional<double> maximum) {
    f.minimum = minimum;
    f.maximum = maximum;
    return f;
}

inline Field oneOf(Field f, std::vector<std::string> choices) {
    f.choices = std::move(choices);
    return f;
}

inline Field logarithmic(Field f) {
    f.logarithmic = true;
    return f;
}

}  // namespace dailies::config
