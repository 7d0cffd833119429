#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace dailies::trainer {

/// Where a rank stands, as it writes it for the others every few seconds. Its own thread writes it: a rank
/// that waits still beats, one that was stopped, or whose node is gone, does not.
struct Heartbeat {
    std::string attempt;  ///< of the run: those of earlier ones mean nothing
    std::int64_t rank = 0;
    std::string node;
    std::int64_t pid = 0;
    std::int64_t beat = 0;  ///< grows
    std::string activity;   ///< "start", "step", "checkpoint", …
    std::int64_t step = 0;
    std::int64_t collectives = 0;  ///< that this rank has begun
    std::string collective;        ///< that it is in now; empty: in none
    double seconds = 0;            ///< that it has been in the activity
    double limit = 0;              ///< of these, after which it counts as hung; 0: none
};

/// The file of one rank below a run's folder. Writing it again replaces it in one small write.
class HeartbeatFile {
public:
    HeartbeatFile(const std::filesystem::path& runFolder, std::int64_t rank);
    ~HeartbeatFile();  ///< the rank ended by itself: removes it
    HeartbeatFile(const HeartbeatFile&) = delete;
    HeartbeatFile& operator=(const HeartbeatFile&) = delete;

    /// Says whether the disk took it; a run does not end for its heartbeat.
    bool write(const Heartbeat& heartbeat);

private:
    std::filesystem::path m_path;
    int m_file = -1;
};

/// nullopt when there is none, or none of this attempt.
std::optional<Heartbeat> readHeartbeat(const std::filesystem::path& runFolder, std::int64_t rank,
                                       const std::string& attempt);

}  // namespace dailies::trainer
