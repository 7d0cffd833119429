#include "remote/trainer_install/trainer_install.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/sleep.h"
#include "core/base/text.h"
#include "core/digest/sha256.h"
#include "remote/cluster/environment_script.h"
#include "remote/job_script/job_script.h"
#include "remote/trainer_install/build_log.h"

#include <algorithm>

namespace dailies::remote {

namespace {

constexpr int kMaxCpus = 16;
constexpr std::int64_t kLogTail = 8 << 10;
constexpr std::size_t kWholeLog = 16 << 20;
constexpr auto kPollEvery = std::chrono::seconds(1);

/// Prints "ready", "mine", or "held <token> <age>" with age "old" for a lock that was taken minutes ago. The
/// lock is a folder, because mkdir is atomic on every shared file system; its token is the comment of the
/// build's job, by which Slurm is asked for it.
constexpr std::string_view kTakeLock = R"sh(
mkdir -p -- "$folder" && cd -- "$folder" || exit 1
if [ -e ready ] && [ -x build/bin/dailies-train ]; then echo ready; exit 0; fi
if mkdir lock 2>/dev/null; then echo "$token" >lock/token && echo mine; exit; fi
echo "held $(cat lock/token 2>/dev/null || echo -) $([ -n "$(find lock -maxdepth 0 -mmin +5 2>/dev/null)" ] && echo old || echo new)"
)sh";

/// Moved away first, so that of two clients which break a dead builder's lock only one does.
constexpr std::string_view kBreakLock = R"sh(
cd -- "$folder" || exit 1
[ "$(cat lock/token 2>/dev/null || echo -)" = "$token" ] && mv lock "lock.$$" && rm -rf "lock.$$"
true
)sh";

/// The version of a trainer that is built in this profile's environment: that of its sources, with the
/// environment's where a sweep brings one of its own.
std::string versionOf(const SourceBundle& bundle, const sweep::Environment& environment,
                      const ClusterProfile& profile) {
    if (sweep::sameSoftware(environment, profile.environment)) return bundle.hash;
    sweep::Environment software = environment;
    software.variables.clear();
    software.fabric.clear();
    Sha256 hash;
    hash.add(sweep::toJson(software).dump());
    return bundle.hash + "-" + hash.hex(8);
}

class Installation {
public:
    Installation(Cluster& cluster, const SourceBundle& bundle, const sweep::Environment& own,
                 const Progress& progress, std::stop_token stop)
        : m_cluster(cluster),
          m_bundle(bundle),
          m_progress(progress),
          m_stop(stop),
          m_profile(cluster.profile()) {
        m_profile.environment = sweep::overlay(own, m_profile.environment);
        m_version = versionOf(bundle, m_profile.environment, cluster.profile());
        m_folder = cluster.workspace() + "/trainer/" + m_version;
    }

    InstalledTrainer run() {
        const std::string token = newId();
        for (;;) {
            const auto answer = split(trim(script(kTakeLock, token)), ' ');
            if (answer.size() == 1 && answer[0] == "ready")
                return {m_version, m_folder + "/build/bin/dailies-train"};
            if (answer.size() == 1 && answer[0] == "mine") {
                buildLocked(token);
                continue;
            }
            if (answer.size() != 3 || answer[0] != "held")
                throw Error("The trainer's folder " + m_folder +
                            " gave an unexpected answer: " + sanitizedText(join(answer, " ")) + ".");
            waitForOther(answer[1], answer[2] == "old");
        }
    }

private:
    void say(const std::string& line) {
        if (line == m_said || line.empty()) return;
        m_said = line;
        if (m_progress) m_progress(line);
    }

    std::string script(std::string_view body, const std::string& token) {
        const auto result = m_cluster.session().run(
            "folder=" + shellQuote(m_folder) + "\ntoken=" + shellQuote(token) + "\n" + std::string(body), {});
        if (!result.ok())
            throw Error("The trainer's folder " + m_folder +
                            " cannot be used: " + sanitizedText(trim(result.err)) + ".",
                        "Check that the workspace is writable and within its quota.");
        return result.out;
    }

    void buildLocked(const std::string& token) {
        try {
            build(token);
        } catch (...) {
            if (m_cluster.session().connected()) script(kBreakLock, token);
            throw;
        }
        script(kBreakLock, token);
    }

    void build(const std::string& token) {
        const std::string torch = findTorch();
        say("Uploading the trainer (" + std::to_string(m_bundle.tar.size() / 1024) + " kB)");
        m_cluster.session().write(m_folder + "/source.tar", m_bundle.tar);
        if (m_stop.stop_requested()) throw Cancelled();
        const std::string job =
            m_cluster.scheduler().submit(trainerBuildScript(m_folder, torch, cpus(), m_profile), token);
        try {
            finish(job);
        } catch (const Cancelled&) {
            m_cluster.scheduler().cancel({job});
            throw;
        }
    }

    /// Waits for our build; throws with the compiler's words when it failed.
    void finish(const std::string& job) {
        const auto status = waitForJob(job);
        if (m_cluster.session().stat(m_folder + "/ready")) return;
        const std::string logPath = m_folder + "/build.log";
        std::string text = "The trainer could not be built on cluster '" + m_cluster.profile().name + "'.";
        if (status && status->state != "FAILED" && status->state != "COMPLETED")
            text.append(" ").append(slurm::explain(*status));
        if (const auto stat = m_cluster.session().stat(logPath)) {
            const std::string log = m_cluster.session().read(logPath, 0, kWholeLog);
            text.append("\n").append(join(firstErrors(log), "\n"));
        }
        throw Error(text, "The whole log is " + logPath + " on the cluster.");
    }

    /// Another client builds: waits for its job. A builder whose job is gone, or who never submitted one, is
    /// dead: its lock is broken.
    void waitForOther(const std::string& token, bool old) {
        const auto job = isId(token) ? m_cluster.scheduler().findSubmission(token, m_stop) : std::nullopt;
        if (job) {
            say("Another client is building this trainer (job " + *job + ")");
            waitForJob(*job);
            sleepUnlessStopped(kPollEvery, m_stop);  // its client unlocks, unless it is gone
            script(kBreakLock, token);
        } else if (old) {
            script(kBreakLock, token);
        } else {
            say("Another program is about to build this trainer");
            m_cluster.waitToAskAgain(m_stop);
        }
    }

    std::optional<slurm::JobStatus> waitForJob(const std::string& job) {
        std::optional<slurm::JobStatus> last;
        int absent = 0;
        for (;;) {
            const auto found = m_cluster.scheduler().poll({job}, m_stop);
            if (found.empty()) {
                if (++absent > 2) return last;
            } else {
                absent = 0;
                last = found.front();
                if (slurm::isFinal(last->state)) return last;
                say(last->state == "PENDING" ? "The build is queued. " + slurm::explain(*last)
                                             : "Building: " + tail());
            }
            m_cluster.waitToAskAgain(m_stop);
        }
    }

    std::string tail() {
        const std::string path = m_folder + "/build.log";
        const auto stat = m_cluster.session().stat(path);
        if (!stat) return "starting";
        const auto size = static_cast<std::int64_t>(stat->size);
        return lastLine(m_cluster.session().read(
            path, static_cast<std::uint64_t>(std::max<std::int64_t>(0, size - kLogTail)),
            static_cast<std::size_t>(kLogTail)));
    }

    /// The folder of TorchConfig.cmake; empty where it is in a container, in which the build's job looks.
    std::string findTorch() {
        const ClusterProfile& profile = m_profile;
        if (profile.torchDir.empty() && !profile.environment.container.image.empty()) return {};
        std::string search = "setup() {\n:\n" + join(setupLines(profile.environment, profile.setup), "\n") +
                             "\n}\nsetup >/dev/null 2>&1\n";
        search += profile.torchDir.empty()
                      ? "folder=$(python3 -c " + shellQuote(kFindTorch) + " 2>/dev/null)\n"
                      : "folder=" + shellQuote(profile.torchDir) + "\n";
        search += "[ -f \"$folder/TorchConfig.cmake\" ] && printf '%s\\n' \"$folder\"\n";
        const auto result = m_cluster.session().run("bash -l -c " + shellQuote(search) + "\n", m_stop);
        // A login shell may print a greeting first.
        const std::string answer(trim(result.out));
        const std::string folder = answer.substr(answer.rfind('\n') + 1);
        if (result.ok() && folder.starts_with('/')) return folder;
        if (!profile.torchDir.empty())
            throw Error("PyTorch was not found on cluster '" + profile.name + "': there is no " +
                            profile.torchDir + "/TorchConfig.cmake.",
                        "Set the profile's torch_dir to the folder that holds TorchConfig.cmake, or leave it "
                        "empty to ask python3.");
        throw Error("PyTorch was not found on cluster '" + profile.name + "': its python3 has no torch.",
                    "Add what makes it available (module load pytorch, source venv/bin/activate) to the "
                    "profile's setup lines, or set "
                    "torch_dir to the folder that holds TorchConfig.cmake.");
    }

    int cpus() const {
        const std::string& wanted = m_profile.partition;
        int found = 1;
        for (const slurm::Partition& partition : m_cluster.facts().partitions)
            if (wanted.empty() ? partition.isDefault : partition.name == wanted)
                found = partition.cpusPerNode;
        return std::clamp(found, 1, kMaxCpus);
    }

    Cluster& m_cluster;
    const SourceBundle& m_bundle;
    const Progress& m_progress;
    std::stop_token m_stop;
    ClusterProfile m_profile;  ///< in whose environment it is built
    std::string m_version, m_folder;
    std::string m_said;
};

}  // namespace

InstalledTrainer ensureTrainer(Cluster& cluster, const SourceBundle& bundle, const Progress& progress,
                               std::stop_token stop, const sweep::Environment& own) {
    return Installation(cluster, bundle, own, progress, stop).run();
}

}  // namespace dailies::remote
