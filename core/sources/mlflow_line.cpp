#include "core/sources/mlflow_line.h"

#include "core/base/numbers.h"
#include "core/base/text.h"

#include <string>

namespace dailies::sources {

std::optional<tracking::MetricPoint> parseMlflowLine(std::string_view line) {
    const auto fields = split(trim(line), ' ');
    if (fields.size() < 2) return std::nullopt;
    const auto time = parseInteger(fields[0]);
    const auto value = parseNumber(fields[1]);
    const auto step = fields.size() > 2 ? parseInteger(fields[2]) : std::optional<std::int64_t>(0);
    if (!time || !value || !step) return std::nullopt;
    return tracking::MetricPoint{*step, *time, *value};
}

}  // namespace dailies::sources
