#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <thread>

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

}  // namespace dailies::curation
