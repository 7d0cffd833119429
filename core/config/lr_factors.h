#pragma once

#include <string>
#include <vector>

namespace dailies::config {

/// A line of `optimizer.lr_factors`, "PART=FACTOR": weights whose names contain PART learn at so many times
/// the learning rate.
struct LrFactor {
    std::string part;
    double factor = 1;

    bool matches(const std::string& name) const { return name.find(part) != std::string::npos; }
};

/// Throws `InputError` for a line that is none, or whose factor is not above 0.
LrFactor parseLrFactor(const std::string& line);

/// Of the last line whose part the name contains; 1 where none does.
double lrFactorOf(const std::vector<LrFactor>& factors, const std::string& name);

}  // namespace dailies::config
