#pragma once

#include <string>

namespace dailies::remote::ssh {

std::string libraryVersion();  ///< of the libssh in use: "0.10.6"

}  // namespace dailies::remote::ssh
