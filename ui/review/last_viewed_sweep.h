#pragma once

#include <filesystem>
#include <string>

namespace dailies::ui {

/// The sweep of this store that the Review page showed last, kept beside the other settings; "" where nobody
/// knows. Touches the disk: not on the GUI thread.
std::string lastViewedSweep(const std::filesystem::path& storeFile);
/// Forgets stores that are gone. Throws `Error`.
void setLastViewedSweep(const std::filesystem::path& storeFile, const std::string& sweepId);

}  // namespace dailies::ui
