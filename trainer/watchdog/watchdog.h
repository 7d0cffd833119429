#pragma once

#include "core/config/train_config.h"
#include "trainer/parallel/dist_env.h"
#include "trainer/parallel/lost_rank_error.h"
#include "trainer/runtime/run_log.h"
#include "trainer/watchdog/diagnosis.h"
#include "trainer/watchdog/heartbeat.h"
#include "trainer/watchdog/node_neighbours.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace dailies::trainer {

/// How dailies-train ends when it hung: worth another attempt.
inline constexpr int kHungExit = 75;

/// Watches the loop of one rank from a thread of its own. When something takes longer than its limit it looks
/// at the heartbeats of all ranks, and unless the one that is waited for is merely busy, it ends the run: the
/// first to find out tells which rank and collective it was in the run's events and in
/// hangs/<attempt>/verdict.txt, every rank leaves its stacks and its newest collectives in
/// hangs/<attempt>/rank-<n>.txt, and all end with `kHungExit`. So they do where a rank was killed, which
/// those beside it on its node find within some beats, and the others by a collective that fails.
class Watchdog {
public:
    /// Begins with the activity "start". The folder and the log must outlive it; the log is written to by the
    /// watchdog's thread only after the loop hangs. `stages`: of a pipeline, each of which makes other calls.
    Watchdog(const config::TrainConfig::Watchdog& limits, std::filesystem::path runFolder,
             const DistEnv& ranks, RunLog& log, std::int64_t stages = 1);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    void beginStep(std::int64_t step);
    /// "checkpoint", "sampling", "validation": what stands between two steps.
    void enterActivity(const std::string& activity);

    /// After a collective failed. Ends the run, and does not return, where a rank was killed or lost its
    /// node, as two looks at the heartbeats tell, or where all of them live and the connection between them
    /// broke; else says which rank ended by itself. Any thread.
    Error explain(const LostRank& lost);

    /// The same on a thread that cannot go on: what is returned is logged as the run's end.
    Error endFor(const LostRank& lost);

    /// What the call gives; where it lost a rank, throws as `explain` says.
    template <class Call>
    auto withExplanation(Call call) {
        try {
            return call();
        } catch (const LostRank& lost) {
            throw explain(lost);
        }
    }

    /// The node of another rank, where its heartbeat tells; for messages.
    std::string nodeOf(std::int64_t rank) const;

private:
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;

    void enter(const std::string& activity, double limit);
    double stepLimit() const;
    void watch(const std::stop_token& stop);
    Heartbeat ownBeat();
    std::vector<std::optional<Heartbeat>> allBeats() const;
    bool verdictIsOut() const;
    bool isClaimed() const;
    std::vector<HeartbeatPair> looksAtAll(std::vector<std::optional<Heartbeat>> first,
                                          const Heartbeat& own) const;
    void suspect(const Heartbeat& own);
    void checkNeighbours(const Heartbeat& own);
    /// Why the run cannot go on.
    struct Loss {
        std::string what;  ///< the run did: "hung", "lost a rank", "lost a connection"
        std::string verdict;
    };
    std::optional<Loss> foundLost();
    std::string brokenBetween(const LostRank& lost) const;
    [[noreturn]] void endRun(const std::string& what, const std::string& verdict);
    void report(const std::string& what, const std::string& verdict);
    void writeDump() const;
    bool claim() const;

    const config::TrainConfig::Watchdog m_limits;
    const std::filesystem::path m_runFolder;
    const DistEnv m_ranks;
    const std::int64_t m_ranksOfStage;
    RunLog& m_log;
    const std::string m_attempt;
    const std::filesystem::path m_hangFolder;
    const std::chrono::milliseconds m_period;

    mutable std::mutex m_mutex;  ///< of what the loop and the thread share
    std::string m_activity;
    std::int64_t m_step = 0, m_stepsDone = 0;
    std::int64_t m_activityCount = 0;  ///< grows with each activity
    double m_limit = 0;
    Clock::time_point m_since;
    std::deque<double> m_stepSeconds;  ///< the newest
    std::optional<Loss> m_lost;        ///< what `explain` found, for the thread to end the run with

    // the thread's
    HeartbeatFile m_file;
    std::int64_t m_beat = 0;
    std::int64_t m_suspectedActivity = -1;
    Clock::time_point m_suspectedAt;
    std::vector<std::optional<Heartbeat>> m_firstLook;
    NodeNeighbours m_neighbours;
    std::optional<Clock::time_point> m_neighbourGoneAt;
    std::vector<std::optional<Heartbeat>> m_lookAtGone;  ///< when it was found gone

    std::mutex m_wakeMutex;
    bool m_wanted = false;  ///< the thread, before its next beat is due
    std::condition_variable_any m_wake;
    std::jthread m_thread;  ///< last: it uses everything above
};

}  // namespace dailies::trainer
