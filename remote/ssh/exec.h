#pragma once

#include "remote/ssh/channel.h"
#include "remote/ssh/connection.h"

#include <functional>

namespace dailies::remote::ssh {

/// `Session::run`.
ExecResult runScript(Connection& connection, std::string_view script, const std::stop_token& stop);

/// Collects what the command prints until its streams have ended or `enough`. It may be silent for as long as
/// it likes (slow start-up files of a shell, say): the server is then asked now and then whether it is still
/// there. No Watch may live meanwhile.
void readUntil(Connection& connection, Channel& channel, std::string& out, std::string& err,
               const std::stop_token& stop, const std::function<bool()>& enough);

}  // namespace dailies::remote::ssh
