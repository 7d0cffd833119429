#pragma once

#include "core/base/error.h"
#include "core/sweep/sweep.h"

#include <string>
#include <vector>

namespace dailies::sweep {

/// What is said against a sweep file, its runs included.
inline std::string refusal(const std::string& yaml) {
    try {
        expand(parseSweep(yaml, "sweep.yaml"));
    } catch (const InputError& refused) {
        return refused.full();
    }
    return "accepted";
}

/// What is said about one that is accepted.
inline std::vector<std::string> noticesOf(const std::string& yaml) {
    std::vector<std::string> notices;
    parseSweep(yaml, "sweep.yaml", &notices);
    return notices;
}

}  // namespace dailies::sweep
