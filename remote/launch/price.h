#pragma once

#include "remote/cluster/profile.h"
#include "remote/launch/forecast.h"

#include <cstdint>
#include <string>

namespace dailies::remote {

/// "about 41 USD": what the GPU-hours of a launch cost at the profile's price; empty where one of the two is
/// not known.
std::string priceText(const Forecast& forecast, const ClusterProfile& profile);

/// "0.25", "41": hours of processors, as people read them.
std::string hoursText(double hours);

/// "Sun 17:40", or "12 Dec 17:40" of a time that is days away, in this computer's time. Unix seconds.
std::string clockText(std::int64_t time, std::int64_t now);

/// "Ends about Sun 17:40 if it starts now." in this computer's time; of a start that Slurm foresees: "… if it
/// starts at Sun 14:05, as Slurm expects." Empty where the forecast knows no time. Unix seconds; `start` 0:
/// now.
std::string endText(const Forecast& forecast, std::int64_t now, std::int64_t start = 0);

}  // namespace dailies::remote
