#pragma once

#include <filesystem>

// What commands that write a file of a person's choice have in common.
namespace dailies::app {

/// Throws `InputError` where there is a file already and `force` is not given.
void requireFree(const std::filesystem::path& file, bool force);

inline constexpr const char* kRawTextHelp =
    "Keep texts that begin with = + - @ as they are; by default an apostrophe in front keeps spreadsheets "
    "from running them as formulas";

}  // namespace dailies::app
