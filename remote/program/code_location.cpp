#include "remote/program/code_location.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

using Place = sweep::Code::Place;

constexpr std::string_view kOnCluster = "cluster:";

sweep::Code codeOf(const std::string& asked) {
    if (asked.starts_with(kOnCluster)) return {Place::Cluster, asked.substr(kOnCluster.size())};
    return {Place::Local, asked};
}

/// The program as a path below a folder: "train.py", "src/train.py", "package" of `-m package.train`.
fs::path pathOf(const sweep::Program& program) {
    const std::string name = nameOf(program);
    const auto& words = commandOf(program);
    const auto module = std::ranges::find(words, "-m");
    const bool isModule = module != words.end() && module + 1 != words.end() && *(module + 1) == name;
    return isModule ? name.substr(0, name.find('.')) : name;
}

fs::path requireFolder(const fs::path& folder) {
    std::error_code problem;
    if (!fs::is_directory(folder, problem))
        throw InputError("code: there is no folder " + sanitizedText(folder.string()) + " on this machine.",
                         "Name one that is there, or one of the cluster as cluster:FOLDER.");
    return fs::canonical(folder);
}

}  // namespace

void locateCode(sweep::Program& program, const std::string& asked, const fs::path& sweepFolder) {
    auto& code = program.code;
    const fs::path here = fs::current_path();
    if (!asked.empty()) {
        code = codeOf(asked);
        if (code.place == Place::Local) code.folder = requireFolder(here / code.folder).string();
    } else if (code.place == Place::Local) {
        code.folder = requireFolder((here / sweepFolder) / code.folder).string();
    } else if (code.place == Place::Unknown) {
        const fs::path path = pathOf(program);
        if (path.is_absolute()) {
            code = {Place::Cluster, path.parent_path().string()};
            return;
        }
        for (const fs::path& folder : {(here / sweepFolder), here})
            if (!path.empty() && fs::exists(folder / path)) {
                code = {Place::Local, fs::canonical(folder).string()};
                return;
            }
    }
}

}  // namespace dailies::remote
