#include "remote/slurm/scheduler.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/log/log.h"
#include "remote/slurm/controller_unreachable.h"
#include "remote/slurm/limits.h"
#include "remote/slurm/output.h"
#include "remote/ssh/script_name.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace dailies::remote::slurm {

namespace {

constexpr char kGroup = '\x1d';  ///< between the outputs of two commands of one script

/// Slurm's commands take defaults, filters and formats from the environment, and a job's variables leak into
/// nested submissions: only where its configuration lies may come from there. Times in seconds have no zone.
constexpr std::string_view kCleanEnvironment = R"sh(
for name in $(env | sed -nE 's/^((SLURM|SQUEUE|SACCT|SINFO|SBATCH|SCANCEL|SCONTROL|SALLOC|SRUN)_[A-Z0-9_]*)=.*/\1/p'); do
    case $name in SLURM_CONF*) ;; *) unset "$name" ;; esac
done
)sh";

/// A client waits nine seconds for a slurmctld that is down; ping knows at once.
constexpr std::string_view kPing = R"sh(
case $(scontrol ping 2>&1) in
    *UP*) ;;
    *) echo "Unable to contact slurm controller: slurmctld is down" >&2; exit 1 ;;
esac
)sh";

/// Only for queries: sbatch would hand these on to the job.
constexpr std::string_view kQueryEnvironment = "export LC_ALL=C SLURM_TIME_FORMAT=%s\n";

/// "squeue -O" with every column closed by the unit separator, which also keeps it from being cut at 20
/// characters.
std::string squeueFormat() {
    std::string format;
    for (const std::string& column : squeueColumns()) {
        if (!format.empty()) format += ',';
        format += column + ":" + kUnit;
    }
    return format;
}

/// Prints the id of our oldest job with this comment, in whatever state. `comment` must be a plain word.
std::string lookForComment(const std::string& comment) {
    return "squeue -h -t all -u \"$(id -un)\" -o '%F" + std::string(1, kUnit) + "%k' | sort -n | awk -F '" +
           std::string(1, kUnit) + "' -v comment=" + shellQuote(comment) +
           " '$2 == comment {print $1; exit}'";
}

void requirePlainWord(const std::string& comment) {
    if (comment.empty() ||
        comment.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-") !=
            std::string::npos)
        throw Error("'" + sanitizedText(comment) + "' cannot be a job comment.",
                    "Letters, digits, '.', '_' and '-' are accepted.");
}

/// A heredoc whose end word cannot occur in the text.
std::string heredoc(const std::string& text) {
    const std::string end = "END_" + newId();
    return " <<'" + end + "'\n" + text + (text.ends_with('\n') ? "" : "\n") + end + "\n";
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

bool isSilence(const std::string& message) {
    return contains(message, "contact slurm controller") || contains(message, "Connection refused") ||
           contains(message, "Connection timed out") || contains(message, "Socket timed out") ||
           contains(message, "connect failure");
}

std::string remedyFor(const std::string& message, const std::vector<std::string>& partitions) {
    if (contains(message, "nvalid partition"))
        return partitions.empty() ? "Choose a partition that `sinfo` lists."
                                  : "Choose one of: " + join(partitions, ", ") + ".";
    if (isSilence(message))
        return "slurmctld does not answer: it may be restarting. Try again in a minute, or ask the cluster's "
               "administrators.";
    if (contains(message, "nvalid account"))
        return "Set an account that `sacctmgr show associations user=$USER` lists.";
    if (contains(message, "nvalid qos")) return "Set a QOS that your account may use, or leave it empty.";
    if (contains(message, "emory specification") ||
        contains(message, "node configuration is not available") || contains(message, "CPU count"))
        return "No node of the partition has that much: ask for fewer CPUs, GPUs or less memory per node.";
    if (contains(message, "nvalid generic resource") || contains(message, "gres"))
        return "The partition has no such GPUs: set GPUs per node to what `sinfo -o '%R %G'` shows.";
    if (contains(message, "time limit") || contains(message, "Time limit"))
        return "Ask for a time limit within that of the partition.";
    if (contains(message, "array specification"))
        return "The cluster's MaxArraySize is smaller than this sweep: make it smaller.";
    if (contains(message, "QOSMax") || contains(message, "AssocMax") || contains(message, "AssocGrp"))
        return "Your account's limit is reached: wait until jobs have ended, or ask for less.";
    return {};
}

void requireJobId(const std::string& id) {
    if (!isJobId(id))
        throw Error("'" + sanitizedText(id) + "' is not a job id.", "\"12\" or \"12_3\" is accepted.");
}

[[noreturn]] void fail(const std::string& command, const ssh::ExecResult& result,
                       const std::vector<std::string>& partitions = {}) {
    std::string message = slurmMessage(result.err);
    if (message.empty())
        message = "it ended with exit code " + std::to_string(result.exitCode) + " and said nothing.";
    log::warning("slurm", command + ": " + message);
    if (isSilence(message))
        throw ControllerUnreachable(command + ": " + message, remedyFor(message, partitions));
    throw Error(command + ": " + message, remedyFor(message, partitions));
}

std::vector<std::string> lines(std::string_view text) {
    std::vector<std::string> result;
    for (const std::string& line : split(text, '\n'))
        if (const auto trimmed = trim(line); !trimmed.empty()) result.emplace_back(trimmed);
    return result;
}

std::vector<std::string> sections(const std::string& out) {
    return split(out, kGroup);
}

}  // namespace

Scheduler::Scheduler(ssh::Session& session, std::vector<std::string> setup)
    : m_session(session), m_setup(std::move(setup)) {}

ssh::ExecResult Scheduler::call(const std::string& script, std::stop_token stop) {
    if (m_environment.empty()) m_environment = locate(stop);
    if (m_onCall) m_onCall();
    return m_session.run(ssh::nameComment(ssh::scriptName(script)) + m_environment +
                             std::string(kCleanEnvironment) + std::string(kPing) + script,
                         stop);
}

std::string Scheduler::locate(std::stop_token stop) {
    std::string search = "if command -v sbatch >/dev/null 2>&1; then echo found; exit 0; fi\nhostname >&2\n";
    search += "bash -l 3>&1 >/dev/null 2>&1";
    search += heredoc(join(m_setup, "\n") +
                      "\ncommand -v sbatch || exit 1\nprintf '%s\\n' located \"$PATH\" \"$LD_LIBRARY_PATH\" "
                      "\"$SLURM_CONF\" >&3\n");
    const ssh::ExecResult result = m_session.run(search, stop);
    const auto answer = split(result.out, '\n');
    if (!answer.empty() && answer[0] == "found") return "\n";
    if (answer.size() < 4 || answer[0] != "located")
        throw Error("sbatch was not found on " + sanitizedText(trim(result.err)) + ".",
                    "Choose a login node of a Slurm cluster, or add what makes Slurm available there (module "
                    "load slurm, export "
                    "PATH=…) to the profile's setup lines.");
    std::string environment = "export PATH=" + shellQuote(answer[1]) + "\n";
    if (!answer[2].empty()) environment += "export LD_LIBRARY_PATH=" + shellQuote(answer[2]) + "\n";
    if (!answer[3].empty()) environment += "export SLURM_CONF=" + shellQuote(answer[3]) + "\n";
    return environment;
}

ClusterFacts Scheduler::facts(std::stop_token stop) {
    const std::string group(1, kGroup);
    const std::string unit(1, kUnit);
    const ssh::ExecResult result =
        call(std::string(kQueryEnvironment) + "sinfo -h -e -o '%R" + unit + "%P" + unit + "%a" + unit + "%l" +
                 unit + "%D" + unit + "%c" + unit + "%G" + unit + "%m" + unit + "%f' || exit\nprintf '" +
                 group + "'\nsinfo -V\nprintf '" + group + "'\nscontrol show config\nprintf '" + group +
                 "'\nscontrol -o show partition\nprintf '" + group +
                 "'\nsacct -n -X -j 1 >/dev/null 2>&1 && echo accounting && {\nprintf '" + group +
                 "'\nsacctmgr -n -P show associations where user=\"$(id -un)\" format=Account,Partition,QOS "
                 "2>/dev/null\nprintf '" +
                 group + "'\nsacctmgr -n -P show qos format=Name,MaxWall 2>/dev/null\n}\ntrue\n",
             stop);
    const auto parts = sections(result.out);
    if (!result.ok() || parts.size() < 5) fail("Slurm does not answer", result);
    ClusterFacts facts;
    facts.partitions = parseSinfo(parts[0]);
    const auto version = split(trim(parts[1]), ' ');  // "slurm-wlm 22.05.8"
    if (!version.empty()) facts.version = version.back();
    auto config = parseConfig(parts[2]);
    addDefaultMemory(facts.partitions, parts[3], config);
    addLimits(facts.partitions, parts[3]);
    facts.maxArraySize = static_cast<std::size_t>(std::max(0LL, std::atoll(config["MaxArraySize"].c_str())));
    facts.clusterName = config["ClusterName"];
    facts.memoryCounted = contains(config["SelectTypeParameters"], "MEMORY");
    facts.accounting = !config["AccountingStorageType"].ends_with("/none") && trim(parts[4]) == "accounting";
    if (parts.size() > 6) {
        facts.associations = parseAssociations(parts[5]);
        facts.qosLimits = parseQosLimits(parts[6]);
    }
    return facts;
}

std::vector<std::string> Scheduler::accounts(std::stop_token stop) {
    const ssh::ExecResult result = call(
        "sacctmgr -n -P show associations where user=\"$(id -un)\" format=Account 2>/dev/null\ntrue\n", stop);
    auto found = lines(result.out);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::string Scheduler::submit(const std::string& script, const std::string& comment, std::stop_token stop) {
    requirePlainWord(comment);
    if (contains(script, std::string_view("\0", 1)))
        throw Error("The job script holds a NUL byte.", "Remove it: a script is text.");
    const ssh::ExecResult result = call(
        "known=$(" + lookForComment(comment) + ")\nif [ -n \"$known\" ]; then echo \"$known\"; exit 0; fi\n" +
            "sbatch --parsable --comment=" + shellQuote(comment) + heredoc(script) +
            "code=$?\n[ $code = 0 ] || sinfo -h -o %R | sort -u\nexit $code\n",
        stop);
    if (!result.ok()) fail("sbatch refused the job", result, lines(result.out));
    const auto answer = lines(result.out);
    const std::string id =
        answer.empty() ? "" : answer.back().substr(0, answer.back().find(';'));  // "id;cluster"
    if (!isJobId(id))
        throw Error("sbatch answered '" + sanitizedText(trim(result.out)) + "' where a job id was expected.");
    log::info("slurm", "job " + id + " has the comment " + comment);
    return id;
}

StartEstimate Scheduler::testOnly(const std::string& script, std::stop_token stop) {
    // no job is made that could inherit what the query needs
    const ssh::ExecResult result =
        call(std::string(kQueryEnvironment) + "sbatch --test-only" + heredoc(script) +
                 "code=$?\n[ $code = 0 ] || sinfo -h -o %R | sort -u\nexit $code\n",
             stop);
    if (!result.ok()) fail("Slurm would refuse the job", result, lines(result.out));
    return parseTestOnly(result.err);
}

std::optional<std::string> Scheduler::findSubmission(const std::string& comment, std::stop_token stop) {
    requirePlainWord(comment);
    // The comment is in the accounting database only where AccountingStoreFlags has job_comment; the working
    // folder, which ends in the sweep's id, always is.
    const std::string unit(1, kUnit);
    const ssh::ExecResult result = call(
        std::string(kQueryEnvironment) + "jobs=$(squeue -h -t all -u \"$(id -un)\" -o '%F" + unit +
            "%k') || exit\n" + "known=$(printf '%s\\n' \"$jobs\" | sort -n | awk -F '" + unit +
            "' -v comment=" + shellQuote(comment) +
            " '$2 == comment {print $1; exit}')\n[ -n \"$known\" ] || known=$(sacct -n -X -P --delimiter='" +
            unit + "' -u \"$(id -un)\" -S now-7days -o JobID,Comment,WorkDir 2>/dev/null | awk -F '" + unit +
            "' -v comment=" + shellQuote(comment) +
            " '$2 == comment || $3 ~ (\"/\" comment \"$\") {sub(/_.*/, \"\", $1); print $1; exit}')\necho "
            "\"$known\"\n",
        stop);
    if (!result.ok()) fail("squeue", result);
    const std::string id(trim(result.out));
    if (!isJobId(id)) return std::nullopt;
    return id;
}

std::vector<JobStatus> Scheduler::poll(const std::vector<std::string>& jobIds, std::stop_token stop) {
    const std::set<std::string> asked(jobIds.begin(), jobIds.end());
    for (const std::string& id : asked) requireJobId(id);
    if (asked.empty()) return {};
    const std::string ids = join({asked.begin(), asked.end()}, ",");
    const ssh::ExecResult result = call(
        std::string(kQueryEnvironment) + "rows=$(squeue -h -r -t all -j " + ids + " -O '" + squeueFormat() +
            "' 2>&1) || case $rows in *'nvalid job id'*) rows= ;; *) printf "
            "'%s\\n' \"$rows\" >&2; exit 1 ;; esac\nprintf '%s" +
            std::string(1, kGroup) + "' \"$rows\"\nmissing=\nfor id in " +
            join({asked.begin(), asked.end()}, " ") + "; do\n    case \"\n$rows\" in *\"\n$id" + kUnit +
            "\"*|*\"\n${id}_\"*|*\"\n${id}+\"*) ;; *) missing=$missing,$id ;; esac\ndone\n" +
            "[ -z \"$missing\" ] || sacct -n -X -P --delimiter='" + kUnit + "' -j \"${missing#,}\" -o " +
            std::string(kSacctColumns) + " 2>/dev/null\ntrue\n",
        stop);
    const auto parts = sections(result.out);
    if (!result.ok() || parts.size() < 2) fail("squeue", result);
    std::vector<JobStatus> found = parseSqueue(parts[0]);
    std::set<std::string> seen;
    for (const JobStatus& status : found) seen.insert(status.job);
    for (JobStatus& status : parseSacct(parts[1]))
        if (seen.insert(status.job).second) found.push_back(std::move(status));
    std::erase_if(found, [&](const JobStatus& s) {
        return !asked.contains(s.job) && !asked.contains(arrayJobId(s.job));
    });
    return found;
}

std::string Scheduler::snapshot(const std::string& folder, bool withNodes, std::stop_token stop) {
    ssh::ExecResult result =
        call(std::string(kQueryEnvironment) + snapshotScript(newId().substr(0, 12), folder, withNodes), stop);
    if (!result.ok()) fail("Slurm does not answer", result);
    return std::move(result.out);
}

std::vector<QueuedJob> Scheduler::history(int days, std::stop_token stop) {
    const ssh::ExecResult result =
        call(std::string(kQueryEnvironment) + "sacct -n -X -P --delimiter='" + kUnit +
                 "' -u \"$(id -un)\" -S now-" + std::to_string(days) + "days -o " +
                 std::string(kHistoryColumns) + " 2>/dev/null\ntrue\n",
             stop);
    if (!result.ok()) fail("sacct", result);
    std::vector<QueuedJob> ended = parseHistory(result.out);
    std::erase_if(ended, [](const QueuedJob& job) { return !isFinal(job.status.state); });
    std::ranges::stable_sort(ended, std::greater{}, [](const QueuedJob& job) { return job.status.endTime; });
    return ended;
}

std::vector<NodeUsage> Scheduler::usage(const std::string& job, std::stop_token stop) {
    requireJobId(job);
    const ssh::ExecResult result = call(usageScript(job), stop);
    if (!result.ok()) fail("srun", result);
    std::vector<NodeUsage> nodes = parseUsage(result.out);
    if (nodes.empty())
        throw Error("Job " + job + " reported no resource usage.",
                    "It may have just ended. Try again, or check its log.");
    return nodes;
}

void Scheduler::cancel(const std::vector<std::string>& jobs, std::stop_token stop) {
    change("scancel", jobs, stop);
}

void Scheduler::requestStop(const std::vector<std::string>& jobs, std::stop_token stop) {
    change("scancel --batch --signal=TERM", jobs, stop);
}

void Scheduler::hold(const std::vector<std::string>& jobs, std::stop_token stop) {
    change("scontrol uhold", jobs, stop);  // one that its user may end, also where the user is an operator
}

void Scheduler::release(const std::vector<std::string>& jobs, std::stop_token stop) {
    change("scontrol release", jobs, stop);
}

void Scheduler::change(const std::string& words, const std::vector<std::string>& jobs, std::stop_token stop) {
    for (const std::string& id : jobs) requireJobId(id);
    if (jobs.empty()) return;
    log::info("slurm", words + " " + join(jobs, " "));
    const ssh::ExecResult result = call(words + " " + join(jobs, " ") + "\n", stop);
    if (result.ok()) return;
    for (const std::string& line : lines(result.err))
        if (!contains(line, "nvalid job id") && !contains(line, "already complet") &&
            !contains(line, "already finished") && !contains(line, "not running") &&
            !contains(line, "is pending") && !contains(line, "no longer pending") &&
            !line.ends_with(": No error"))  // the tasks of an array for which it was done
            fail(words.substr(0, words.find(" -")), result);
}

}  // namespace dailies::remote::slurm
