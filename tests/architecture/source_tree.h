#pragma once

#include <string>
#include <vector>

namespace dailies::architecture {

struct Include {
    std::string file, header;
    bool ours;
    int line;
};

/// The files below a folder that git tracks: what an editor or a build left there does not count.
std::vector<std::string> trackedFiles(const std::string& folder);

std::vector<Include> includesBelow(const std::string& folder);

/// "trainer/models" of "trainer/models/layers/linear.h"; empty for a file that lies in no room.
std::string roomOf(const std::string& file);

}  // namespace dailies::architecture
