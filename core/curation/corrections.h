#pragma once

#include "core/curation/verdict.h"

#include <filesystem>
#include <map>
#include <string>

namespace dailies::curation {

inline constexpr const char* kCorrectionsFile = "corrections.json";

/// What people decided of clips by hand, by the clips' ids. In FOLDER/corrections.json, apart from scores and
/// rules: `{"keep": ["<id>", …], "drop": […]}`. Curating again does not touch it, and obeys it.
using Corrections = std::map<std::string, Correction>;

Correction correctionOf(const Corrections& corrections, const std::string& clipId);

/// None where there is no such file. Throws `InputError` for a file that says anything else.
Corrections loadCorrections(const std::filesystem::path& folder);

/// Whole or not at all; where there are none, an empty file takes the place of one that is there. Throws
/// `Error`.
void saveCorrections(const std::filesystem::path& folder, const Corrections& corrections);

}  // namespace dailies::curation
