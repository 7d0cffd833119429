#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// So much code is brought to a cluster, and not more: data among it would be a mistake.
inline constexpr std::uint64_t kMaxCodeBytes = 256ULL << 20;
inline constexpr std::size_t kMaxCodeFiles = 20'000;

/// Folders beside a program that are no code: what git, Python and trackers leave behind.
inline constexpr std::array kCodeCaches = {
    ".git",       "__pycache__", ".venv",       "venv",          "node_modules",
    "wandb",      "mlruns",      ".mypy_cache", ".pytest_cache", ".ipynb_checkpoints",
    ".ruff_cache"};

/// The files of a program's folder as they are uploaded.
struct CodeTree {
    struct File {
        std::string name;  ///< relative, with '/'
        std::uint64_t size = 0;
        bool isExecutable = false;
    };
    std::vector<File> files;  ///< by name
    std::string commit;       ///< of git: what is checked out; empty outside a work tree
    std::string changes;      ///< `git diff HEAD` of the folder; empty: none
};

/// In a work tree of git what is tracked or could be added, elsewhere all but the caches that Python and its
/// trackers leave behind. Links count as what they point to. Throws `InputError` for more than the limits,
/// naming the largest files, and `Cancelled`.
CodeTree readCodeTree(const std::filesystem::path& folder, const std::stop_token& stop = {});

/// Of names and contents in this folder, which may be a copy: 16 hex digits.
std::string hashOf(const std::filesystem::path& folder, const CodeTree& tree,
                   const std::stop_token& stop = {});

}  // namespace dailies::remote
