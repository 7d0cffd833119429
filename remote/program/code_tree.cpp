#include "remote/program/code_tree.h"

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/size_text.h"
#include "core/base/text.h"
#include "core/digest/sha256.h"

#include <algorithm>
#include <optional>

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kNamed = 3;
constexpr std::size_t kMaxChanges = 4 << 20;  ///< of a diff that is kept

/// What git says; nullopt where it is not there or refuses.
std::optional<std::string> git(const fs::path& folder, std::vector<std::string> words) {
    words.insert(words.begin(), "git");
    try {
        auto answer = runProcess(words, {.folder = folder});
        if (answer.ok()) return std::move(answer.out);
    } catch (const Error&) {
        // there is no git
    }
    return std::nullopt;
}

void addFile(const fs::path& folder, const fs::path& name, CodeTree& tree) {
    std::error_code problem;
    const fs::path file = folder / name;
    const auto status = fs::status(file, problem);
    if (problem || !fs::is_regular_file(status))
        return;  // a broken link, a socket, a file that git still lists
    const bool isExecutable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
    tree.files.push_back({name.generic_string(), fs::file_size(file), isExecutable});
}

void addFolder(const fs::path& folder, const fs::path& below, CodeTree& tree, const std::stop_token& stop) {
    auto at = fs::recursive_directory_iterator(folder / below, fs::directory_options::skip_permission_denied);
    for (; at != fs::recursive_directory_iterator(); ++at) {
        if (stop.stop_requested()) throw Cancelled();
        const std::string name = at->path().filename().string();
        if (at->is_directory() && std::ranges::find(kCodeCaches, name) != kCodeCaches.end())
            at.disable_recursion_pending();
        else
            addFile(folder, at->path().lexically_relative(folder), tree);
        if (tree.files.size() > kMaxCodeFiles) return;  // refused below
    }
}

void addTracked(const fs::path& folder, const std::string& names, CodeTree& tree,
                const std::stop_token& stop) {
    for (const std::string& name : split(names, '\0')) {
        if (name.empty()) continue;
        if (fs::is_directory(folder / name))
            addFolder(folder, name, tree, stop);  // a submodule
        else
            addFile(folder, name, tree);
    }
}

void requireSmall(const fs::path& folder, const CodeTree& tree, bool isGit) {
    std::uint64_t bytes = 0;
    for (const auto& file : tree.files) bytes += file.size;
    if (bytes <= kMaxCodeBytes && tree.files.size() <= kMaxCodeFiles) return;
    auto largest = tree.files;
    std::ranges::sort(largest, std::greater(), &CodeTree::File::size);
    std::vector<std::string> named;
    for (const auto& file : largest) {
        if (named.size() == kNamed) break;
        named.push_back(sanitizedText(file.name) + " (" + sizeText(file.size) + ")");
    }
    const bool many = tree.files.size() > kMaxCodeFiles;
    throw InputError(
        "code: " + sanitizedText(folder.string()) + " holds " +
            (many ? "more than " + std::to_string(kMaxCodeFiles) + " files"
                  : sizeText(bytes) + ", more than the " + sizeText(kMaxCodeBytes) + " that are uploaded") +
            "; the largest: " + join(named, ", ") + ".",
        isGit ? "Name what is no code in .gitignore, or keep the folder on the cluster: --code "
                "cluster:FOLDER."
              : "Move what is no code elsewhere, make it a git repository with a .gitignore, or keep "
                "the folder on the cluster: --code cluster:FOLDER.");
}

}  // namespace

std::string hashOf(const fs::path& folder, const CodeTree& tree, const std::stop_token& stop) {
    Sha256 hash;
    for (const auto& file : tree.files) {
        hash.add(std::to_string(file.name.size()) + ":" + file.name + (file.isExecutable ? "x" : "-"));
        hash.add(sha256OfFile(folder / file.name, stop));
    }
    return hash.hex(16);
}

CodeTree readCodeTree(const fs::path& folder, const std::stop_token& stop) {
    CodeTree tree;
    const auto names = git(folder, {"ls-files", "-z", "--cached", "--others", "--exclude-standard"});
    if (names)
        addTracked(folder, *names, tree, stop);
    else
        addFolder(folder, {}, tree, stop);
    std::ranges::sort(tree.files, {}, &CodeTree::File::name);
    const auto again =
        std::ranges::unique(tree.files, {}, &CodeTree::File::name);  // in a merge with conflicts
    tree.files.erase(again.begin(), again.end());
    requireSmall(folder, tree, names.has_value());
    if (tree.files.empty())
        throw InputError("code: there is no file in " + sanitizedText(folder.string()) + ".",
                         "Name the folder that the program is started in.");
    if (!names) return tree;
    tree.commit = trim(git(folder, {"rev-parse", "HEAD"}).value_or(""));
    tree.changes = git(folder, {"diff", "HEAD", "--no-color", "--", "."}).value_or("");
    if (tree.changes.size() > kMaxChanges) tree.changes.resize(kMaxChanges);
    return tree;
}

}  // namespace dailies::remote
