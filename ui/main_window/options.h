#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::ui {

/// The places of the main window: first those of its navigation, in the order of Ctrl+1 … Ctrl+4, then those
/// that are reached from runs.
enum class Page { Runs, Review, Launch, Cluster, Compare, Run };
inline constexpr int kNavigatedPages = 4;

/// "runs" → Page::Runs; nullopt for a word that names no page.
std::optional<Page> pageFromName(std::string_view name);

/// What the desktop program opens with.
struct Options {
    std::filesystem::path storeFile;     ///< created when absent
    std::filesystem::path profilesFile;  ///< clusters.json; created with the first profile
    std::string clusterName;             ///< profile to connect to at once; empty: none
    Page page = Page::Runs;
    std::vector<std::string> runIds = {};  ///< what pages Compare and Run show; empty: the store's newest
    std::stop_token stop = {};             ///< closes it as its window's button would
    std::filesystem::path draftFile = {};  ///< keeps what the Launch page holds; empty: nothing does
    bool remembersCluster = false;         ///< and connects to that of the last session unless one is named
};

}  // namespace dailies::ui
