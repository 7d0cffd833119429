#include "core/query/time_text.h"

#include <ctime>
#include <string>

namespace dailies::query::detail {

std::optional<double> parseLocalTime(std::string_view text) {
    const std::string words(text);
    for (const char* format :
         {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"}) {
        std::tm day{};
        const char* end = ::strptime(words.c_str(), format, &day);
        if (!end || end != words.c_str() + words.size()) continue;
        std::tm normal = day;
        normal.tm_isdst = -1;
        const std::time_t seconds = std::mktime(&normal);
        // mktime makes the 31st of a month of 30 days the 1st of the next
        if (seconds == -1 || normal.tm_mday != day.tm_mday || normal.tm_mon != day.tm_mon)
            return std::nullopt;
        return static_cast<double>(seconds) * 1e3;
    }
    return std::nullopt;
}

}  // namespace dailies::query::detail
