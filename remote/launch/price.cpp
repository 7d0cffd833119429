#include "remote/launch/price.h"

#include <cmath>
#include <cstdio>
#include <ctime>

namespace dailies::remote {

std::string hoursText(double hours) {
    char text[32];
    std::snprintf(text, sizeof text, hours < 10 ? "%.2g" : "%.0f", hours);
    return text;
}

/// Within the next days the weekday says it, later the date does.
std::string clockText(std::int64_t time, std::int64_t now) {
    const std::time_t seconds = time;
    std::tm local{};
    ::localtime_r(&seconds, &local);
    char text[32];
    const bool soon = time - now < 6 * 86400;
    return {text, std::strftime(text, sizeof text, soon ? "%a %H:%M" : "%e %b %H:%M", &local)};
}

std::string priceText(const Forecast& forecast, const ClusterProfile& profile) {
    if (!forecast.known || profile.gpuHourPrice <= 0 || forecast.gpuHours <= 0) return {};
    const double price = forecast.gpuHours * profile.gpuHourPrice;
    char text[64];
    std::snprintf(text, sizeof text, price < 10 ? "about %.2f " : "about %.0f ", price);
    return text + profile.currency;
}

std::string endText(const Forecast& forecast, std::int64_t now, std::int64_t start) {
    if (!forecast.known) return {};
    const bool waits = start > now + 60;
    const auto end = (waits ? start : now) + std::llround(forecast.seconds);
    return "Ends about " + clockText(end, now) +
           (waits ? " if it starts at " + clockText(start, now) + ", as Slurm expects."
                  : " if it starts now.");
}

}  // namespace dailies::remote
