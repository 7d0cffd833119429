#pragma once

#include <string>
#include <string_view>

namespace dailies::remote::ssh {

/// What a script is called in the log: its first line that does something, without the values of assignments,
/// because nobody knows what those are; of a script that begins with a comment, that comment. Never more than
/// that line: what a command reads stands behind it.
std::string scriptName(std::string_view script);

/// A comment in front of a script, by which `scriptName` calls it.
std::string nameComment(const std::string& name);

}  // namespace dailies::remote::ssh
