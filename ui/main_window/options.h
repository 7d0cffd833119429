#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::ui {

/// The places of the main window: first those of its navigation, in the order of Ctrl+1 … Ctrl+5, then those
/// that are reached from runs.
enum class Page { Runs, Review, Launch, Cluster, Datasets, Compare, Run };
inline constexpr int kSidebarPages = 5;

/// "runs" → Page::Runs; nullopt for a word that names no page.
std::optional<Page> pageFromName(std::string_view name);
std::string_view nameOf(Page page);

/// What the desktop program opens with.
struct Options {
    std::filesystem::path storeFile;     ///< created when absent
    std::filesystem::path profilesFile;  ///< clusters.json; created with the first profile
    std::string clusterName;             ///< profile to connect to at once; empty: none
    Page page = Page::Runs;
    std::vector<std::string> runIds = {};  ///< what pages Review, Compare and Run show; empty: the newest
    std::stop_token stop = {};             ///< closes it as its window's button would
    std::filesystem::path draftFile = {};  ///< keeps what the Launch page holds; empty: nothing does
    /// Opens as it was left, connects to the last cluster unless one is named, and keeps how it is left this
    /// time.
    bool remember = false;
    bool reopenPage = false;  ///< and with the page that was on show, not with `page`
    std::filesystem::path datasetFolder =
        {};                       ///< what page Datasets shows; empty: the last one, with `remember`
    std::string facts = {};       ///< versions and the system, with which a report begins
    bool logLevelChosen = false;  ///< for this session: what is remembered of it does not count
};

}  // namespace dailies::ui
