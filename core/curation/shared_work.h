#pragma once

#include "core/base/error.h"
#include "core/base/sleep.h"
#include "core/curation/share_out.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace dailies::curation {

/// Items of work that several processes share through a folder which all of them see, without one that
/// leads: an item is claimed by creating a file (its owner's host and process id), which stays fresh as long
/// as its process lives. The claim of a process that died goes stale and is taken over. Two may work on an
/// item at once in the moment of that, so what they make must be the same bytes, written whole. Any thread.
class SharedWork {
public:
    /// After which a claim that nobody refreshed is a dead process's.
    static constexpr std::chrono::seconds kStaleAfter{60};

    /// Makes the folder. Throws `Error`.
    explicit SharedWork(std::filesystem::path folder);
    ~SharedWork();  ///< gives back what is still claimed

    /// Whether the item is this process's now. Throws `Error` where the folder cannot be written.
    bool claim(const std::string& item);
    void giveBack(const std::string& item);

    /// That nobody needs to work on the item any more, and why it failed, where it did. Throws `Error`.
    void end(const std::string& item, const std::string& problem = {});
    std::set<std::string> ended() const;  ///< by any process
    /// Faster, but may miss what ended on another node just now.
    bool hasEnded(const std::string& item) const;
    /// Of one that has ended; empty where it did not fail.
    std::string problemOf(const std::string& item) const;

private:
    std::filesystem::path claimOf(const std::string& item) const { return m_folder / (item + ".claim"); }
    std::filesystem::path endOf(const std::string& item) const { return m_folder / (item + ".end"); }
    bool isStale(const std::filesystem::path& claim) const;
    void refreshClaims();

    std::filesystem::path m_folder;
    std::filesystem::path m_clock;  ///< touched to learn what time it is for the folder's file system
    mutable std::mutex m_mutex;     ///< of what follows
    std::set<std::string> m_claimed;
    std::jthread m_refresher;
};

/// Where jobs share work below `parent`: the folder of the one with this name, a word of letters and digits.
std::filesystem::path sharedFolder(const std::filesystem::path& parent, const std::string& job);
/// Removes such folders that nobody has used for a week: their jobs have ended.
void removeOldShares(const std::filesystem::path& parent);

/// What `workTogether` tells of items that are not ended yet. Threads as `work`.
struct SharedProgress {
    std::function<void(std::size_t open)> onOpen = {};     ///< each time that it has looked at all items
    std::function<void(std::size_t open)> onWaiting = {};  ///< others are at all of them
};

/// Works on those of the items that nobody has or has ended, on up to so many threads, and returns when all
/// are ended, by whatever process. `work(i)` returns the problem with item i, or nothing. Items without a
/// name are left out. Throws `Cancelled`, and what `work` throws, whose item is free again then.
template <class Work>
void workTogether(SharedWork& shared, const std::vector<std::string>& items, unsigned threads,
                  const Work& work, const std::stop_token& stop, const SharedProgress& progress = {}) {
    /// How often to look whether others have ended, or died.
    constexpr std::chrono::seconds kLookEvery(1);
    for (;;) {
        const auto ended = shared.ended();
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < items.size(); ++i)
            if (!items[i].empty() && !ended.contains(items[i])) open.push_back(i);
        if (progress.onOpen) progress.onOpen(open.size());
        if (open.empty()) return;
        std::atomic<bool> worked = false;
        shareOut(open.size(), threads, [&](std::size_t i) {
            if (stop.stop_requested()) throw Cancelled();
            const auto& item = items[open[i]];
            if (!shared.claim(item)) return;
            worked = true;
            try {
                // its last owner may have ended it since
                if (!shared.hasEnded(item)) shared.end(item, work(open[i]));
            } catch (...) {
                shared.giveBack(item);
                throw;
            }
            shared.giveBack(item);
        });
        if (worked) continue;
        if (progress.onWaiting) progress.onWaiting(open.size());
        sleepUnlessStopped(kLookEvery, stop);
    }
}

}  // namespace dailies::curation
