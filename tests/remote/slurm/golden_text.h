#pragma once

#include "core/base/files.h"
#include "tests/support/folders.h"

#include <filesystem>
#include <string>
#include <utility>

namespace dailies::test {

/// A file of tests/remote/slurm/golden with its control characters, which it shows by their pictures.
inline std::string goldenText(const std::string& release, const std::string& file) {
    std::string text =
        readFile(std::filesystem::path(DAILIES_SOURCE_FOLDER) / "tests/remote/slurm/golden" / release / file);
    for (const auto& [picture, byte] :
         {std::pair<std::string, char>{"␝", '\x1d'}, {"␞", '\x1e'}, {"␟", '\x1f'}, {"␛", '\x1b'}})
        for (auto at = text.find(picture); at != std::string::npos; at = text.find(picture, at + 1))
            text.replace(at, picture.size(), 1, byte);
    return text;
}

}  // namespace dailies::test
