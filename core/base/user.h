#pragma once

#include <string>

namespace dailies {

/// Who works with the program: $USER, $LOGNAME, else what the system calls them; "" when nobody knows.
std::string userName();

}  // namespace dailies
