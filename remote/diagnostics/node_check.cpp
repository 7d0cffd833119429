#include "remote/diagnostics/node_check.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/sleep.h"
#include "core/base/text.h"
#include "remote/cluster/stop_timeout.h"
#include "remote/diagnostics/finding_reporter.h"
#include "remote/job_script/job_script.h"

#include <cstdlib>
#include <map>
#include <optional>

namespace dailies::remote {

namespace {

using Clock = std::chrono::steady_clock;
using Answers = std::map<std::string, std::string>;

constexpr auto kPollEvery = std::chrono::seconds(1);
/// A file that a node wrote may show on the login node only after its cache has aged.
constexpr auto kFileSystemTimeout = std::chrono::seconds(10);
constexpr std::int64_t kNodeClockSlack = 5;
/// For tidying up, which must not wait for a file server that hangs.
constexpr auto kCleanupTimeout = std::chrono::seconds(10);
constexpr std::string_view kFolderMissing = "73:0";  ///< how resources/slurm/check.sbatch ends then

std::int64_t clockOf(ssh::Session& session, const std::stop_token& stop) {
    return std::atoll(session.run("date +%s\n", stop).out.c_str());
}

/// The folder of one check, removed at the end.
class CheckFolder {
public:
    CheckFolder(ssh::Session& session, const std::string& workspace, const std::string& token)
        : m_session(session), m_path(workspace + "/checks/" + token) {
        session.write(m_path + "/token", token + "\n");
    }
    ~CheckFolder() {
        try {
            const StopTimeout limit(kCleanupTimeout);
            m_session.run("rm -rf -- " + shellQuote(m_path) + "\nrmdir -- " +
                              shellQuote(m_path.substr(0, m_path.rfind('/'))) + " 2>/dev/null\n",
                          limit.token());
        } catch (const std::exception&) {
            // a lost connection leaves a small file, and so does a file server that hangs
        }
    }
    CheckFolder(const CheckFolder&) = delete;
    CheckFolder& operator=(const CheckFolder&) = delete;

    const std::string& path() const { return m_path; }

private:
    ssh::Session& m_session;
    std::string m_path;
};

class NodeCheck : FindingReporter {
public:
    NodeCheck(ssh::Session& session, slurm::Scheduler& scheduler, const ClusterProfile& profile,
              const FindingCallback& report, const std::stop_token& stop)
        : FindingReporter(report),
          m_session(session),
          m_scheduler(scheduler),
          m_profile(profile),
          m_stop(stop) {}

    void run(const std::string& workspace, int gpus, std::chrono::seconds timeout) {
        const auto token = newId();
        const CheckFolder folder(m_session, workspace, token);
        const auto before = clockOf(m_session, m_stop);
        const auto begin = Clock::now();
        const auto job = m_scheduler.submit(nodeCheckScript(folder.path(), gpus, m_profile), token, m_stop);
        const auto status = waitFor(job, timeout);
        if (!status) return;
        const auto answers = readAnswers(folder.path(), status->state == "COMPLETED");
        if (answers.empty()) return reportSilence(*status, folder.path());
        const auto after = clockOf(m_session, m_stop);
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
        good("Compute node", "a job ran on " + value(answers, "node") + " and was over after " +
                                 durationText(std::max<std::int64_t>(1000, took.count())));
        if (value(answers, "token") == token)
            good("Shared folder", value(answers, "node") + " sees the workspace and writes in it");
        else
            bad("Shared folder", value(answers, "node") + " sees another folder under the workspace's name",
                "Choose a workspace on a file system that login and compute nodes share.");
        reportClock(std::atoll(value(answers, "clock").c_str()), before, after);
        reportTools(answers, gpus > 0);
    }

private:
    static std::string value(const Answers& answers, const std::string& name) {
        const auto found = answers.find(name);
        return found == answers.end() ? "" : found->second;
    }

    /// nullopt, and a warning, when the job did not begin in time.
    std::optional<slurm::JobStatus> waitFor(const std::string& job, std::chrono::seconds timeout) {
        const auto deadline = Clock::now() + timeout;
        slurm::JobStatus last;
        try {
            for (int absent = 0;;) {
                const auto found = m_scheduler.poll({job}, m_stop);
                if (!found.empty()) last = found.front();
                if (slurm::isFinal(last.state) || (found.empty() && ++absent > 2)) return last;
                if (last.state == "PENDING" && Clock::now() > deadline) break;
                sleepUnlessStopped(kPollEvery, m_stop);
            }
        } catch (const Cancelled&) {
            const StopTimeout limit(kCleanupTimeout);
            m_scheduler.cancel({job}, limit.token());
            throw;
        }
        m_scheduler.cancel({job}, m_stop);
        warn("Compute node",
             "the job was still queued after " + durationText(timeout.count() * 1000) + ": " +
                 slurm::explain(last),
             "Nothing is known of the compute nodes yet. Test again when the queue is shorter, or choose "
             "another "
             "partition.");
        return std::nullopt;
    }

    Answers readAnswers(const std::string& folder, bool expected) {
        const auto deadline = Clock::now() + kFileSystemTimeout;
        while (!m_session.stat(folder + "/answer")) {
            if (!expected || Clock::now() > deadline) return {};
            sleepUnlessStopped(kPollEvery, m_stop);
        }
        Answers answers;
        for (const auto& line : split(m_session.readAll(folder + "/answer", 1 << 20), '\n'))
            if (const auto tab = line.find('\t'); tab != std::string::npos)
                answers[line.substr(0, tab)] = line.substr(tab + 1);
        return answers;
    }

    void reportSilence(const slurm::JobStatus& status, const std::string& folder) {
        const auto where = status.node.empty() ? "the compute node" : "node " + status.node;
        if (status.exitCode == kFolderMissing || status.state == "COMPLETED")
            return bad("Shared folder", where + " does not see " + folder,
                       "Choose a workspace on a file system that login and compute nodes share.");
        bad("Compute node", "the job ended without an answer on " + where + ": " + slurm::explain(status),
            "Check the profile's setup lines: one that ends the shell ends the job.");
    }

    /// The job ran between two looks at the login node's clock.
    void reportClock(std::int64_t node, std::int64_t before, std::int64_t after) {
        const auto skew = node < before ? before - node : node > after ? node - after : 0;
        if (skew <= kNodeClockSlack) return good("Node's clock", "agrees with the login node's");
        warn("Node's clock",
             "is " + durationText(skew * 1000) + (node < before ? " behind" : " ahead of") +
                 " the login node's",
             "Times of runs will be off by as much. Ask the administrators to synchronise the clocks (NTP).");
    }

    void reportTools(const Answers& answers, bool wantsGpu) {
        const std::string setup =
            " Add what makes it available (module load …) to the profile's setup lines.";
        if (value(answers, "cxx20") == "yes")
            good("Compiler", value(answers, "compiler"));
        else
            bad("Compiler",
                value(answers, "compiler").empty() ? "there is no c++"
                                                   : value(answers, "compiler") + " lacks C++20",
                "The trainer is built there and needs GCC 11 or Clang 14 or later." + setup);
        if (const auto cmake = value(answers, "cmake"); !cmake.empty())
            good("CMake", cmake);
        else
            bad("CMake", "there is no cmake", "The trainer is built with CMake 3.25 or later." + setup);
        reportTorch(value(answers, "torch"), wantsGpu);
        if (const auto ffmpeg = value(answers, "ffmpeg"); !ffmpeg.empty())
            good("FFmpeg", "libavcodec " + ffmpeg);
        else
            warn("FFmpeg", "its libraries were not found",
                 "Without them clips are written as .y4m, which the review room cannot play." + setup);
        if (const auto gpu = value(answers, "gpu"); wantsGpu && gpu.empty())
            warn("Node's GPU", "nvidia-smi shows none, although the job asked for one",
                 "Ask the administrators, or choose another partition.");
        else if (!gpu.empty())
            good("Node's GPU", gpu);
    }

    void reportTorch(const std::string& torch, bool wantsGpu) {
        const std::string setup =
            "Add what makes it available (module load pytorch, source venv/bin/activate) to "
            "the profile's setup lines, or set its torch_dir.";
        if (torch.empty()) return bad("PyTorch", "python3 has no torch", setup);
        if (wantsGpu && torch.ends_with(" cpu"))
            return warn("PyTorch", torch + ": it sees no GPU", "Use a build of PyTorch with CUDA. " + setup);
        good("PyTorch", torch);
    }

    ssh::Session& m_session;
    slurm::Scheduler& m_scheduler;
    const ClusterProfile& m_profile;
    std::stop_token m_stop;
};

}  // namespace

void checkNode(ssh::Session& session, slurm::Scheduler& scheduler, const ClusterProfile& profile,
               const std::string& workspace, int gpus, std::chrono::seconds timeout,
               const FindingCallback& report, const std::stop_token& stop) {
    NodeCheck(session, scheduler, profile, report, stop).run(workspace, gpus, timeout);
}

}  // namespace dailies::remote
