#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace dailies::curation {

/// Where a curated folder was copied from: FOLDER/origin.json. The copy has its list, rules, corrections and
/// previews, but neither films nor clips.
struct CuratedOrigin {
    std::string cluster, folder;
    std::set<std::string> files;    ///< names in its clips/ at that time
    std::uint64_t listBytes = 0;    ///< of its clips.jsonl at that time,
    std::int64_t listModified = 0;  ///< and when that was changed, in unix seconds there
    bool unsent = false;            ///< verdicts were saved in the copy that it has not got
};

/// Nothing for a folder that is no copy. Throws `InputError`.
std::optional<CuratedOrigin> loadCuratedOrigin(const std::filesystem::path& folder);
/// Throws `Error`.
void saveCuratedOrigin(const std::filesystem::path& folder, const CuratedOrigin& origin);

}  // namespace dailies::curation
