#include "remote/program/code_upload.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/size_text.h"
#include "core/base/text.h"
#include "remote/cluster/workspace_script.h"
#include "remote/program/code_tree.h"

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

/// The files as they are now: those of the folder may be edited while they travel.
void copyInto(const fs::path& folder, const CodeTree& tree, const fs::path& copy, std::stop_token stop) {
    for (const auto& file : tree.files) {
        if (stop.stop_requested()) throw Cancelled();
        std::error_code problem;
        fs::create_directories((copy / file.name).parent_path(), problem);
        if (!problem) fs::copy_file(folder / file.name, copy / file.name, problem);
        if (problem)
            throw Error("The code could not be read: " + sanitizedText((folder / file.name).string()) + ": " +
                        problem.message() + ".");
    }
}

}  // namespace

sweep::Code uploadCode(Cluster& cluster, const std::string& program, const fs::path& folder,
                       const Progress& progress, std::stop_token stop) {
    const CodeTree tree = readCodeTree(folder, stop);
    const TemporaryFolder copy("dailies-code");
    copyInto(folder, tree, copy.path(), stop);
    const std::string there = cluster.workspace() + "/code/" + hashOf(copy.path(), tree, stop);
    sweep::Code code{sweep::Code::Place::Cluster, there, tree.commit};
    if (cluster.session().stat(there + ".ready")) return code;

    std::uint64_t bytes = 0;
    for (const auto& file : tree.files) bytes += file.size;
    if (progress)
        progress("Uploading the code of " + sanitizedText(program) + " (" +
                 pluralize(static_cast<long long>(tree.files.size()), "file", "files") + ", " +
                 sizeText(bytes) + ")");
    constexpr const char* kFailure = "The code could not be put";
    runInWorkspace(cluster, kFailure, "mkdir -p -- " + shellQuote(cluster.workspace() + "/code") + "\n",
                   stop);
    cluster.session().uploadFolder(copy.path(), there, stop);
    if (!tree.changes.empty()) cluster.session().write(there + ".diff", tree.changes);
    std::string finish = "set -e\n";
    for (const auto& file : tree.files)
        if (file.isExecutable) finish += "chmod +x -- " + shellQuote(there + "/" + file.name) + "\n";
    runInWorkspace(cluster, kFailure, finish + "touch -- " + shellQuote(there + ".ready") + "\n", stop);
    return code;
}

}  // namespace dailies::remote
