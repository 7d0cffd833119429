#include "remote/cluster/cluster.h"

#include "core/base/error.h"
#include "core/base/sleep.h"
#include "core/base/text.h"
#include "remote/cluster/environment_script.h"
#include "remote/cluster/stop_timeout.h"

namespace dailies::remote {

namespace {

constexpr auto kAskAgain = std::chrono::seconds(1);

/// A leading "~" or $HOME and $USER anywhere are what people write into a profile; nothing else of the shell
/// is expanded, so a workspace can hold any character that a file name may hold.
constexpr std::string_view kResolveWorkspace = R"sh(
case $w in
    '~'|'~/'*) w=$HOME${w#'~'} ;;
    '$HOME'|'$HOME/'*) w=$HOME${w#'$HOME'} ;;
esac
case $w in *'$USER'*) w=${w%%'$USER'*}$(id -un)${w#*'$USER'} ;; esac
case $w in /*) ;; *) echo "it is not absolute" >&2; exit 1 ;; esac
umask 022
mkdir -p -- "$w/runs" "$w/sweeps" "$w/trainer" || exit 1
probe=$w/.dailies-probe-$$
echo probe >"$probe" && rm -- "$probe" || exit 1
printf '%s\n' "$w"
)sh";

/// Commands that hang after the login, as in a home folder whose file server is down, keep nobody waiting.
constexpr std::chrono::seconds kResponseTimeout{60};

/// `who` would have been silent.
template <typename Call>
auto answered(const ClusterProfile& profile, const std::string& who, const std::stop_token& stop,
              const Call& call) {
    const StopTimeout limit(kResponseTimeout, stop);
    try {
        return call(limit.token());
    } catch (const Cancelled&) {
        if (stop.stop_requested()) throw;
        throw Error(who + " on cluster '" + profile.name + "' gave no answer in " +
                        std::to_string(kResponseTimeout.count()) + " s.",
                    "`dailies clusters test " + profile.name + "` says what hangs there.");
    }
}

}  // namespace

ssh::Endpoint endpointOf(const ClusterProfile& profile) {
    return {.host = profile.host,
            .port = profile.port,
            .user = profile.user,
            .identityFile = profile.identityFile,
            .knownHostsFile = profile.knownHostsFile,
            .readUserConfig = profile.readUserConfig};
}

std::string resolveWorkspace(ssh::Session& session, const ClusterProfile& profile,
                             const std::stop_token& stop) {
    if (profile.workspace.empty() || profile.workspace.find_first_of("\n\r\t") != std::string::npos)
        throw InputError("Cluster '" + profile.name + "' has no workspace.",
                         "Set it to a folder on the cluster's shared file system, such as ~/dailies.");
    const ssh::ExecResult result =
        session.run("w=" + shellQuote(profile.workspace) + std::string(kResolveWorkspace), stop);
    std::string folder(trim(result.out));
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    if (!result.ok() || !folder.starts_with('/'))
        throw Error("The workspace " + profile.workspace + " on cluster '" + profile.name +
                        "' cannot be written: " + sanitizedText(trim(result.err)) + ".",
                    "Choose a folder of yours on the shared file system, and check its quota.");
    return folder;
}

Cluster::Cluster(const ClusterProfile& profile, ssh::Prompter& prompter, const Progress& progress,
                 std::stop_token stop)
    : m_profile(profile) {
    const auto say = [&](const std::string& line) {
        if (progress) progress(line);
    };
    say("Connecting to " + profile.host);
    m_session = std::make_unique<ssh::Session>(endpointOf(profile), prompter, stop);
    say("Asking for Slurm");
    m_scheduler =
        std::make_unique<slurm::Scheduler>(*m_session, setupLines(profile.environment, profile.setup));
    shareCalls(std::make_shared<PollRateLimiter>(profile.callsPerMinute));
    m_facts = answered(profile, "The shell or Slurm", stop,
                       [this](const std::stop_token& limited) { return m_scheduler->facts(limited); });
    say("Checking the workspace " + profile.workspace);
    m_workspace = answered(
        profile, "The file system of the workspace", stop,
        [&](const std::stop_token& limited) { return resolveWorkspace(*m_session, profile, limited); });
    say("Connected: Slurm " + m_facts.version + ", workspace " + m_workspace);
}

void Cluster::shareCalls(std::shared_ptr<PollRateLimiter> calls) {
    m_calls = std::move(calls);
    m_scheduler->onCall([this] { m_calls->countCall(PollRateLimiter::Clock::now()); });
}

void Cluster::waitToAskAgain(const std::stop_token& stop) const {
    const auto now = PollRateLimiter::Clock::now();
    const auto wait = m_calls->nextInBackground(now, kAskAgain) - now;
    sleepUnlessStopped(std::chrono::ceil<std::chrono::milliseconds>(wait), stop);
}

}  // namespace dailies::remote
