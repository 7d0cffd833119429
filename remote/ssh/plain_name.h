#pragma once

#include <string>

namespace dailies::remote::ssh {

/// Refuses a host or user name that ssh or a shell would read as an option or as syntax: it may end up in a
/// proxy command. `what`: "host name". Throws `InputError`. Empty names pass.
void requirePlainName(const std::string& what, const std::string& name);

}  // namespace dailies::remote::ssh
