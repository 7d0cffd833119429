#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dailies::remote {

/// The compiler's, CMake's and linker's first complaints in a build log, at most `limit` lines; its last
/// lines when there is none.
std::vector<std::string> firstErrors(std::string_view log, std::size_t limit = 8);

/// The last line with something in it, for showing progress; "" for none.
std::string lastLine(std::string_view log);

}  // namespace dailies::remote
