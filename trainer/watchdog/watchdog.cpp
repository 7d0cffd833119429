#include "trainer/watchdog/watchdog.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "trainer/runtime/flight_recorder.h"
#include "trainer/runtime/host_info.h"
#include "trainer/watchdog/stacks.h"

#include <algorithm>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>
#include <utility>

namespace dailies::trainer {

namespace {

constexpr std::size_t kStepsKept = 101;
/// The first steps of an attempt warm up: caches, kernels that are chosen, graphs that are recorded.
constexpr std::int64_t kFirstSteps = 5;
constexpr std::chrono::milliseconds kShortestPeriod{100}, kLongestPeriod{5000};
/// Beats between two looks at the others, so that every living rank has beaten in between.
constexpr int kBeatsBetweenLooks = 3;
/// A process that was itself stopped for a while (suspended by Slurm, say) must not count that time.
constexpr int kMissedBeats = 5;
constexpr unsigned kDumpSeconds = 30;
constexpr std::chrono::seconds kVerdictPatience{10};

constexpr const char* kStart = "start";
constexpr const char* kFoundByAnother = "another rank found why the run does not go on";

std::string attemptName() {
    const auto job = slurmJob();
    return job.empty() ? "without-slurm" : job + "-" + std::to_string(slurmRestarts());
}

/// Ten beats within the shortest limit.
std::chrono::milliseconds periodFor(const config::TrainConfig::Watchdog& limits) {
    double shortest = 1e9;
    for (const double limit :
         {limits.start_limit, limits.first_step_limit, limits.step_floor, limits.pause_limit})
        if (limit > 0) shortest = std::min(shortest, limit);
    return std::clamp(std::chrono::milliseconds(static_cast<std::int64_t>(100 * shortest)), kShortestPeriod,
                      kLongestPeriod);
}

double medianOf(std::deque<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

Watchdog::Watchdog(const config::TrainConfig::Watchdog& limits, std::filesystem::path runFolder,
                   const DistEnv& ranks, RunLog& log, std::int64_t stages)
    : m_limits(limits),
      m_runFolder(std::move(runFolder)),
      m_ranks(ranks),
      m_ranksOfStage(std::max<std::int64_t>(1, ranks.size / stages)),
      m_log(log),
      m_attempt(attemptName()),
      m_hangFolder(m_runFolder / "hangs" / m_attempt),
      m_period(periodFor(limits)),
      m_since(Clock::now()),
      m_file(m_runFolder, ranks.rank),
      m_neighbours(ranks.rank, ranks.size, nodeName()) {
    std::error_code ignored;
    if (m_ranks.isRank0())
        std::filesystem::remove_all(m_hangFolder, ignored);  // of an attempt of the same name
    prepareStacks();
    enter(kStart, m_limits.start_limit);
    m_thread = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Watchdog::~Watchdog() = default;

void Watchdog::beginStep(std::int64_t step) {
    {
        const std::lock_guard lock(m_mutex);
        m_step = step;
    }
    enter("step", stepLimit());
}

void Watchdog::enterActivity(const std::string& activity) {
    enter(activity, m_limits.pause_limit);
}

std::string Watchdog::nodeOf(std::int64_t rank) const {
    const auto beat = readHeartbeat(m_runFolder, rank, m_attempt);
    return beat ? beat->node : "";
}

void Watchdog::enter(const std::string& activity, double limit) {
    bool hasMet = false;  // all others, so that each has a heartbeat to look at
    {
        const std::lock_guard lock(m_mutex);
        const auto now = Clock::now();
        if (m_activity == "step") {
            ++m_stepsDone;
            if (m_stepsDone > 1) m_stepSeconds.push_back(Seconds(now - m_since).count());
            if (m_stepSeconds.size() > kStepsKept) m_stepSeconds.pop_front();
        }
        hasMet = m_activity == kStart;
        m_activity = activity;
        m_limit = limit;
        m_since = now;
        ++m_activityCount;
    }
    if (!hasMet) return;
    const std::lock_guard lock(m_wakeMutex);
    m_wanted = true;
    m_wake.notify_one();
}

double Watchdog::stepLimit() const {
    const std::lock_guard lock(m_mutex);
    if (m_stepsDone < kFirstSteps || m_stepSeconds.empty()) return m_limits.first_step_limit;
    if (m_limits.step_floor <= 0) return 0;
    return std::max(m_limits.step_floor, m_limits.step_factor * medianOf(m_stepSeconds));
}

Heartbeat Watchdog::ownBeat() {
    Heartbeat beat;
    beat.attempt = m_attempt;
    beat.rank = m_ranks.rank;
    beat.node = nodeName();
    beat.pid = ::getpid();
    beat.beat = ++m_beat;
    beat.collectives = FlightRecorder::ofProcess().count();
    if (const auto entry = FlightRecorder::ofProcess().inProgress()) beat.collective = entry->what;
    const std::lock_guard lock(m_mutex);
    beat.activity = m_activity;
    beat.step = m_step;
    beat.seconds = Seconds(Clock::now() - m_since).count();
    beat.limit = m_limit;
    return beat;
}

void Watchdog::watch(const std::stop_token& stop) {
    auto last = Clock::now();
    while (!stop.stop_requested()) {
        if (const auto gap = Clock::now() - last; gap > kMissedBeats * m_period) {
            const std::lock_guard shared(m_mutex);
            m_since += gap;
            m_suspectedActivity = -1;
        }
        last = Clock::now();
        const auto beat = ownBeat();
        m_file.write(beat);
        if (m_ranks.size > 1 && beat.activity != kStart && verdictIsOut()) endRun("hung", kFoundByAnother);
        if (const auto lost = foundLost()) endRun(lost->what, lost->verdict);
        checkNeighbours(beat);
        if (beat.limit > 0 && beat.seconds > beat.limit)
            suspect(beat);
        else
            m_suspectedActivity = -1;
        std::unique_lock lock(m_wakeMutex);
        m_wake.wait_for(lock, stop, m_period, [this] { return std::exchange(m_wanted, false); });
    }
}

std::vector<std::optional<Heartbeat>> Watchdog::allBeats() const {
    std::vector<std::optional<Heartbeat>> beats;
    for (std::int64_t rank = 0; rank < m_ranks.size; ++rank)
        beats.push_back(readHeartbeat(m_runFolder, rank, m_attempt));
    return beats;
}

/// The first look and one of now. Who looks lives, whatever the disk says.
std::vector<HeartbeatPair> Watchdog::looksAtAll(std::vector<std::optional<Heartbeat>> first,
                                                const Heartbeat& own) const {
    const auto second = allBeats();
    std::vector<HeartbeatPair> looks;
    for (std::size_t rank = 0; rank < second.size(); ++rank) looks.push_back({first[rank], second[rank]});
    looks[static_cast<std::size_t>(own.rank)] = {std::nullopt, own};
    return looks;
}

/// A first look at the others, some beats later a second; then a judgement, again and again while it is none.
void Watchdog::suspect(const Heartbeat& own) {
    std::int64_t turn = 0;
    {
        const std::lock_guard lock(m_mutex);
        turn = m_activityCount;
    }
    if (m_suspectedActivity != turn) {
        m_suspectedActivity = turn;
        m_suspectedAt = Clock::now();
        m_firstLook = allBeats();
        return;
    }
    if (Clock::now() - m_suspectedAt < kBeatsBetweenLooks * m_period) return;
    const auto looks = looksAtAll(m_firstLook, own);
    m_suspectedActivity = -1;
    if (const auto verdict = diagnose(looks, static_cast<std::size_t>(m_ranksOfStage)))
        endRun("hung", *verdict);
}

/// A process that is gone has left its heartbeat unless it ended by itself.
void Watchdog::checkNeighbours(const Heartbeat& own) {
    if (!m_neighbourGoneAt) {
        if (!m_neighbours.anyGone(
                [&](std::int64_t rank) { return readHeartbeat(m_runFolder, rank, m_attempt); }))
            return;
        m_neighbourGoneAt = Clock::now();
        m_lookAtGone = allBeats();
    } else if (Clock::now() - *m_neighbourGoneAt >= kBeatsBetweenLooks * m_period) {
        if (const auto stopped = findStoppedRanks(looksAtAll(m_lookAtGone, own)))
            endRun("lost a rank", *stopped);
        m_neighbours.forgetGone();
        m_neighbourGoneAt.reset();
    }
}

Error Watchdog::explain(const LostRank& lost) {
    auto before = allBeats();
    std::this_thread::sleep_for(kBeatsBetweenLooks * m_period);
    Heartbeat own;
    own.rank = m_ranks.rank;
    const auto looks = looksAtAll(std::move(before), own);
    // who tells of it no longer beats either: what it found holds
    const bool told = isClaimed();
    const auto stopped = findStoppedRanks(looks);
    const auto left = findExitedRanks(looks);
    if (stopped || told || left.empty()) {
        {
            const std::lock_guard lock(m_mutex);
            m_lost = stopped || told ? Loss{"lost a rank", told ? kFoundByAnother : *stopped}
                                     : Loss{"lost a connection", brokenBetween(lost)};
        }
        while (true) std::this_thread::sleep_for(m_period);  // until the thread has ended the process
    }
    return Error("Lost " + left + " of this run, which ended without being killed.",
                 "Its own output, beside this one's, says why.");
}

Error Watchdog::endFor(const LostRank& lost) {
    auto error = explain(lost);
    std::int64_t step = 0;
    {
        const std::lock_guard lock(m_mutex);
        step = m_step;
    }
    m_log.append(events::End{"failed", step, error.full()});
    m_log.close();
    return error;
}

std::string Watchdog::brokenBetween(const LostRank& lost) const {
    const auto entry = FlightRecorder::ofProcess().inProgress();
    return std::string(lost.what()) + " Rank " + std::to_string(m_ranks.rank) + " on " + nodeName() +
           " found it" + (entry ? std::string(" in ") + entry->what : "") + "; all ranks live.";
}

std::optional<Watchdog::Loss> Watchdog::foundLost() {
    const std::lock_guard lock(m_mutex);
    return m_lost;
}

bool Watchdog::verdictIsOut() const {
    return ::access((m_hangFolder / "verdict.txt").c_str(), F_OK) == 0;
}

bool Watchdog::isClaimed() const {
    return ::access((m_hangFolder / "claim").c_str(), F_OK) == 0;
}

/// Of several ranks that find out at once, one tells.
bool Watchdog::claim() const {
    std::error_code ignored;
    std::filesystem::create_directories(m_hangFolder, ignored);
    const int file = ::open((m_hangFolder / "claim").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file >= 0) ::close(file);
    return file >= 0 || errno != EEXIST;  // a disk that takes nothing must not keep all from telling
}

/// A rank that leaves breaks the collectives that the others wait in, and srun ends them all: whoever ends
/// waits until the verdict is out, and then until every other watchdog has seen it.
void Watchdog::endRun(const std::string& what, const std::string& verdict) {
    ::alarm(kDumpSeconds);  // ends the process if what follows hangs as well
    std::cerr << "dailies-train: rank " << m_ranks.rank << " on " << nodeName()
              << " ends: " << sanitizedText(verdict) << std::endl;
    const bool tells = !verdictIsOut() && claim();
    if (!tells) m_log.close();  // the verdict is the run's end, whatever its loop still meets
    writeDump();
    if (tells) report(what, verdict);
    ::alarm(kDumpSeconds);
    for (const auto end = Clock::now() + kVerdictPatience; !verdictIsOut() && Clock::now() < end;)
        std::this_thread::sleep_for(m_period);
    std::this_thread::sleep_for(kBeatsBetweenLooks * m_period);
    ::_exit(kHungExit);
}

void Watchdog::report(const std::string& what, const std::string& verdict) {
    std::int64_t step = 0;
    {
        const std::lock_guard lock(m_mutex);
        step = m_step;
    }
    const events::Health health{"hang",
                                "The run " + what + ". " + verdict +
                                    " What each rank was doing is in hangs/" + m_attempt +
                                    " of the run's folder.",
                                step};
    try {
        const auto tell = [&](auto& log) {
            log.append(health);
            // Of a job only its script knows whether it goes on.
            if (slurmJob().empty()) log.append(events::End{"failed", step, "It " + what + ". " + verdict});
        };
        if (m_ranks.isRank0()) {
            tell(m_log);
            m_log.close();  // the loop will only find that the others are gone
        } else {            // rank 0 is what hangs
            events::EventLogWriter log(m_runFolder / "events.jsonl");
            tell(log);
        }
        writeFileAtomically(m_hangFolder / "verdict.txt", verdict + "\n");
    } catch (const std::exception& error) {
        std::cerr << "dailies-train: " << sanitizedText(error.what()) << std::endl;
    }
}

void Watchdog::writeDump() const {
    const auto collectives = toText(FlightRecorder::ofProcess().newest());
    const auto stacks = stacksOfOtherThreads();
    const auto mainThread = stacks.substr(0, stacks.find("\nthread ") + 1);
    std::cerr << "rank " << m_ranks.rank << ", " << mainThread << std::flush;
    try {
        writeFileAtomically(m_hangFolder / ("rank-" + std::to_string(m_ranks.rank) + ".txt"),
                            "rank " + std::to_string(m_ranks.rank) + " on " + nodeName() +
                                "\n\nits newest collectives\n" + collectives + "\nits threads\n" + stacks);
    } catch (const std::exception& error) {
        std::cerr << "dailies-train: " << sanitizedText(error.what()) << std::endl;
    }
}

}  // namespace dailies::trainer
