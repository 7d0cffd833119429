#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <map>
#include <string>

namespace dailies::trainer {

/// What a process of the trainer finds when it begins, whichever way a test started it.
struct ChildSetup {
    std::string output = {};                            ///< a file; standard output and error are added to it
    std::string folder = {};                            ///< the working one
    std::map<std::string, std::string> variables = {};  ///< the whole environment
    std::int64_t fileLimit = 0;                         ///< the largest file that it may write, 0 for any

    /// Of this process, with `changes` to its environment.
    static ChildSetup inherited(const std::map<std::string, std::string>& changes);
    /// To be called in the child, right after the fork.
    void apply() const;
};

Json toJson(const ChildSetup& setup);
ChildSetup setupFromJson(const Json& setup);

}  // namespace dailies::trainer
