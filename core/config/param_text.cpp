#include "core/config/param_text.h"

#include "core/config/schema.h"

namespace dailies::config {

namespace {

bool takesAnyNumber(std::string_view key) {
    const Field* field = findField(key);
    TrainConfig config;
    return field && std::holds_alternative<double*>(field->slot(config));
}

}  // namespace

std::string paramText(std::string_view key, const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    // "guidance: 3" in a sweep file is the number 3.0 in the run's configuration.
    const bool whole = value.is_number_integer() && takesAnyNumber(key);
    return (whole ? Json(value.get<double>()) : value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dailies::config
