#include "trainer/preflight/preflight.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/preflight/build_report.h"
#include "trainer/parallel/backend.h"
#include "trainer/preflight/file_rates.h"
#include "trainer/preflight/gpu_info.h"
#include "trainer/preflight/phase_barrier.h"
#include "trainer/preflight/rates.h"
#include "trainer/preflight/round_robin.h"
#include "trainer/runtime/device.h"
#include "trainer/runtime/host_info.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>

namespace dailies::trainer {

namespace {

using Clock = std::chrono::steady_clock;

/// By which part of the budget each phase must have begun. Starting is the slowest: programs are loaded from
/// a shared file system by all nodes at once.
constexpr double kRollCallBy = 0.35, kComputeBy = 0.5, kLinksBy = 0.6, kAllReduceBy = 0.85, kDoneBy = 0.93;
constexpr std::chrono::seconds kGrace{5};
constexpr std::chrono::milliseconds kProducts{1500};
constexpr std::chrono::milliseconds kLongestPair{3000};
constexpr std::chrono::milliseconds kShortestPair{1000};

/// Ends the process when its time is over: whatever it hangs in, the job must hear of its node.
class LastResort {
public:
    explicit LastResort(Clock::time_point end)
        : m_waiter([this, end](const std::stop_token& stop) {
              std::unique_lock lock(m_mutex);
              m_wake.wait_until(lock, stop, end, [] { return false; });
              if (stop.stop_requested()) return;
              constexpr char text[] = "dailies-train: the preflight's time is over.\n";
              [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, sizeof text - 1);
              ::_exit(1);
          }) {}

private:
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::jthread m_waiter;
};

std::filesystem::path partsFolder(const PreflightJob& job) {
    return job.folder / "parts";
}

preflight::Report finished(preflight::Report report, double seconds) {
    report.time = unixSeconds();
    report.seconds = seconds;
    report.job = slurmJob();
    return report;
}

void write(const PreflightJob& job, const preflight::Report& report) {
    writeFileAtomically(job.folder / "preflight.json",
                        toJson(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

class Preflight {
public:
    Preflight(const PreflightJob& job, const DistEnv& ranks)
        : m_job(job),
          m_ranks(ranks),
          m_begin(Clock::now()),
          m_lastResort(m_begin + job.budget + kGrace),
          m_device(chooseDevice("auto", ranks.localRank)) {
        at::set_num_threads(job.threads);
        m_part.rank = ranks.rank;
        m_part.node = nodeName();
        m_part.device = m_device.is_cuda() ? "cuda" : "cpu";
    }

    preflight::Report run() {
        m_part.phase = "roll call";
        writePart();  // before rank 0 is looked for: should it be the one that is gone, this rank was there
        m_barrier.emplace(m_ranks, openStore(m_ranks, untilThen(kRollCallBy)), m_begin + m_job.budget);
        enter("roll call", kRollCallBy);
        begin("files");
        if (m_ranks.localRank == 0) measureFileSystem();
        enter("compute", kComputeBy);
        m_part.flops = measureMatmul(m_device, kProducts);
        if (m_ranks.localRank == 0) lookAtGpus();
        measureLinks(enter("links", kLinksBy));
        const auto& members = enter("all-reduce", kAllReduceBy);
        if (members.size() > 1 && hasBackend(m_device)) measureTogether(members);
        begin("done");
        m_barrier->enter("done", m_part.node, at(kDoneBy));
        if (!m_ranks.isRank0()) return {};
        auto report = finished(preflight::buildReport(m_barrier->told(), m_job.nodes),
                               std::chrono::duration<double>(Clock::now() - m_begin).count());
        report.ranks = m_ranks.size;
        write(m_job, report);
        return report;
    }

private:
    Clock::time_point at(double share) const {
        return m_begin + std::chrono::duration_cast<Clock::duration>(m_job.budget * share);
    }

    /// At least a moment.
    std::chrono::milliseconds untilThen(double share) const {
        return std::max(std::chrono::milliseconds(1),
                        std::chrono::duration_cast<std::chrono::milliseconds>(at(share) - Clock::now()));
    }

    void begin(const std::string& phase) {
        m_part.phase = phase;
        tell();
    }

    const std::vector<PhaseBarrier::Member>& enter(const std::string& phase, double by) {
        begin(phase);
        return m_barrier->enter(phase, m_part.node, at(by));
    }

    /// By the store for rank 0, and as a file for who looks when rank 0 is gone.
    void tell() {
        m_barrier->tell(m_part);
        writePart();
    }

    void writePart() const {
        try {
            writeFileAtomically(partsFolder(m_job) / (std::to_string(m_part.rank) + ".json"),
                                toJson(m_part).dump(-1, ' ', false, Json::error_handler_t::replace));
        } catch (const Error&) {
            // what a file system refuses is measured in a phase of its own
        }
    }

    void measureFileSystem() {
        try {
            const auto rates = measureFiles(m_job.folder / ("files-" + std::to_string(m_ranks.rank)));
            m_part.bytesWritten = rates.bytesPerSecond;
            m_part.filesMade = rates.filesPerSecond;
        } catch (const Error& error) {
            m_part.problems.push_back(error.what());
        }
    }

    void lookAtGpus() {
        auto facts = gpuInfo();
        m_part.gpus = std::move(facts.gpus);
        m_part.xids = std::move(facts.xids);
        m_part.gpuNote = std::move(facts.note);
    }

    /// Rank i of a node meets rank i of each other node: on machines with a network card for each GPU all
    /// of them work at once, as in training.
    void measureLinks(const std::vector<PhaseBarrier::Member>& members) {
        std::vector<std::vector<std::int64_t>> nodes;  // their ranks
        std::map<std::string, std::size_t> indices;
        std::size_t mine = 0, place = 0;
        for (const auto& member : members) {
            const auto node = indices.try_emplace(member.node, nodes.size()).first->second;
            if (node == nodes.size()) nodes.emplace_back();
            if (member.rank == m_ranks.rank) mine = node, place = nodes[node].size();
            nodes[node].push_back(member.rank);
        }
        if (nodes.size() < 2 || !hasBackend(m_device)) return;
        // rank 0 is the first of all members, so its node is the first
        if (mine == 0) m_part.skew = 0;
        const auto left = untilThen(kAllReduceBy);
        // many nodes and little time: some pairs stay unmeasured rather than all of them badly measured
        const auto rounds =
            std::min<std::size_t>(roundsOf(nodes.size()),
                                  static_cast<std::size_t>(std::max<std::int64_t>(1, left / kShortestPair)));
        const auto maxWait = std::clamp(left / static_cast<int>(rounds), kShortestPair, kLongestPair);
        for (std::size_t round = 0; round < rounds; ++round) {
            const auto partner = partnerOf(mine, round, nodes.size());
            if (!partner || place >= nodes[*partner].size()) continue;
            const auto& other =
                *std::ranges::find(members, nodes[*partner][place], &PhaseBarrier::Member::rank);
            m_part.links.push_back(measureLink(other, *partner == 0, maxWait));
        }
    }

    preflight::Link measureLink(const PhaseBarrier::Member& other, bool onFirstNode,
                                std::chrono::milliseconds maxWait) {
        const auto first = std::min(other.rank, m_ranks.rank), second = std::max(other.rank, m_ranks.rank);
        try {
            PeerGroup pair(m_barrier->store(), "pair/" + std::to_string(first) + "-" + std::to_string(second),
                           m_ranks.rank == first ? 0 : 1, 2, m_ranks.address, m_device, maxWait);
            const auto rates = measurePair(pair, maxWait / 4);
            if (onFirstNode) m_part.skew = rates.clockOffset;
            return {other.node, rates.bytesPerSecond, rates.latency, {}};
        } catch (const Error& error) {
            return {other.node, 0, 0, error.what()};
        }
    }

    void measureTogether(const std::vector<PhaseBarrier::Member>& members) {
        const auto me =
            std::ranges::find(members, m_ranks.rank, &PhaseBarrier::Member::rank) - members.begin();
        try {
            PeerGroup all(m_barrier->store(), "all", static_cast<int>(me), static_cast<int>(members.size()),
                          m_ranks.address, m_device, std::max(untilThen(kDoneBy), kShortestPair));
            m_part.allReduce = measureAllReduce(all);
        } catch (const Error& error) {
            std::cerr << "dailies-train: " << error.what() << std::endl;
        }
    }

    const PreflightJob& m_job;
    const DistEnv& m_ranks;
    Clock::time_point m_begin;
    LastResort m_lastResort;
    at::Device m_device;
    preflight::RankReport m_part;
    std::optional<PhaseBarrier> m_barrier;  ///< once rank 0 was reached
};

}  // namespace

preflight::Report runPreflight(const PreflightJob& job, const DistEnv& ranks) {
    ::setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0", 0);  // a link that fails is a finding, no reason to die
    return Preflight(job, ranks).run();
}

preflight::Report concludePreflight(const PreflightJob& job) {
    const auto file = job.folder / "preflight.json";
    if (std::filesystem::exists(file))
        return preflight::reportFromJson(parseJson(readFile(file), file.string()));
    std::vector<preflight::RankReport> parts;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(partsFolder(job), none))
        if (entry.path().extension() == ".json")
            parts.push_back(
                preflight::rankReportFromJson(parseJson(readFile(entry.path()), entry.path().string())));
    if (parts.empty()) throw Error("No rank of the preflight has begun.", "The log of its step says why.");
    std::ranges::sort(parts, {}, &preflight::RankReport::rank);
    auto report = finished(preflight::buildReport(parts, job.nodes), static_cast<double>(job.budget.count()));
    write(job, report);
    return report;
}

}  // namespace dailies::trainer
