#pragma once

#include <string>

namespace dailies::remote {

/// Refuses what can be no login node: a host name, an address (IPv4, or IPv6 without brackets) or a Host of
/// ~/.ssh/config is accepted. Throws `InputError`.
void requireHostName(const std::string& host);

}  // namespace dailies::remote
