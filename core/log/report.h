#pragma once

#include "core/log/log_file.h"

#include <string>

namespace dailies::log {

/// What a person sends who reports a fault: `facts` (versions, the system), where the log is and how
/// detailed, and its last lines. Secrets are taken out once more: an older version may have known fewer.
/// Reads the disk; a log that cannot be read is said in it.
std::string reportText(const std::string& facts, const LogFile& file = {}, std::size_t lines = 200);

}  // namespace dailies::log
