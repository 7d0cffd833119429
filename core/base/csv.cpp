#include "core/base/csv.h"

namespace dailies {

std::string csvField(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string csvRecord(const std::vector<std::string>& fields) {
    std::string record;
    for (const auto& field : fields) record += (&field == &fields.front() ? "" : ",") + csvField(field);
    return record + "\r\n";
}

}  // namespace dailies
