#pragma once

#include "remote/ssh/connection.h"

namespace dailies::remote::ssh {

/// `Session::run`.
ExecResult runScript(Connection& connection, std::string_view script, const std::stop_token& stop);

}  // namespace dailies::remote::ssh
