#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace dailies::ui {

/// The places of the main window, in the order of its navigation and of Ctrl+1 … Ctrl+4.
enum class Page { Runs, Review, Launch, Cluster };

/// "runs" → Page::Runs; nullopt for a word that names no page.
std::optional<Page> pageFromName(std::string_view name);

/// What the desktop program opens with.
struct Options {
    std::filesystem::path storeFile;     ///< created when absent
    std::filesystem::path profilesFile;  ///< clusters.json; created with the first profile
    std::string clusterName;             ///< profile to connect to at once; empty: none
    Page page = Page::Runs;
};

}  // namespace dailies::ui
