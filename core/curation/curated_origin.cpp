#include "core/curation/curated_origin.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"

namespace dailies::curation {

namespace {
constexpr const char* kOriginFile = "origin.json";
}

std::optional<CuratedOrigin> loadCuratedOrigin(const std::filesystem::path& folder) {
    const auto file = folder / kOriginFile;
    std::error_code unknown;
    if (!std::filesystem::exists(file, unknown)) return std::nullopt;
    const auto json = parseJson(readFile(file), file.string());
    try {
        return CuratedOrigin{.cluster = json.at("cluster"),
                             .folder = json.at("folder"),
                             .files = json.at("files"),
                             .listBytes = json.at("list_bytes"),
                             .listModified = json.at("list_modified"),
                             .unsent = json.at("unsent")};
    } catch (const Json::exception& error) {
        throw InputError(file.string() + ": " + error.what(), "Remove the folder, and copy it again.");
    }
}

void saveCuratedOrigin(const std::filesystem::path& folder, const CuratedOrigin& origin) {
    const Json json = {{"cluster", origin.cluster},
                       {"folder", origin.folder},
                       {"files", origin.files},
                       {"list_bytes", origin.listBytes},
                       {"list_modified", origin.listModified},
                       {"unsent", origin.unsent}};
    writeFileAtomically(folder / kOriginFile, json.dump() + "\n");
}

}  // namespace dailies::curation
