#include "core/base/json_numbers.h"

namespace dailies {

Json numbersToJson(const std::vector<double>& values) {
    auto array = Json::array();
    for (const double value : values) array.push_back(numberToJson(value));
    return array;
}

std::vector<double> numbersFromJson(const Json& array) {
    std::vector<double> values;
    for (const auto& value : array) values.push_back(numberFromJson(value));
    return values;
}

}  // namespace dailies
