#include "remote/sandbox/sandbox.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/ports.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "remote/sandbox/configuration.h"
#include "remote/sandbox/layout.h"
#include "remote/sandbox/processes.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace dailies::remote::sandbox {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kPrivate = fs::perms::owner_read | fs::perms::owner_write;
constexpr const char* kInstall =
    "Install what is missing: sudo apt-get install slurmctld slurmd slurm-client munge openssh-server "
    "openssh-client";
constexpr const char* kInstallAccounting =
    "Install what is missing: sudo apt-get install --no-install-recommends slurmdbd slurm-wlm-mysql-plugin "
    "mariadb-server-core mariadb-client-core";

/// Held while a sandbox is started or ended: two programs must not do so in one folder at once. On the folder
/// itself, so that no lock file is left behind.
class FolderLock {
public:
    explicit FolderLock(const fs::path& folder) {
        for (;;) {
            m_fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (m_fd < 0) throw Error("Cannot open " + folder.string() + ": " + std::strerror(errno) + ".");
            while (::flock(m_fd, LOCK_EX) != 0 && errno == EINTR) {
            }
            // Another program may have removed and made the folder anew while this one waited.
            struct stat locked {
            }, present{};
            ::fstat(m_fd, &locked);
            if (::stat(folder.c_str(), &present) == 0 && present.st_ino == locked.st_ino) return;
            ::close(m_fd);
            fs::create_directories(folder);
        }
    }
    ~FolderLock() { ::close(m_fd); }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int m_fd = -1;
};

struct Programs {
    fs::path munged, slurmctld, slurmd, sinfo, sshd, sshKeygen;
    fs::path slurmdbd, mariadbd, mariadbInstall, sacctmgr;  ///< with accounting
};

Programs findPrograms(bool accounting) {
    std::vector<std::string> missing;
    const auto find = [&missing](const std::string& name) {
        const auto found = findProgram(name);
        if (!found) missing.push_back(name);
        return found.value_or("");
    };
    Programs programs{find("munged"),
                      find("slurmctld"),
                      find("slurmd"),
                      find("sinfo"),
                      find("sshd"),
                      find("ssh-keygen"),
                      {},
                      {},
                      {},
                      {}};
    if (accounting) {
        programs.slurmdbd = find("slurmdbd");
        programs.mariadbd = find("mariadbd");
        programs.mariadbInstall = find("mariadb-install-db");
        programs.sacctmgr = find("sacctmgr");
    }
    if (!missing.empty() && accounting)
        throw Error(
            "The sandbox's accounting needs programs that are not installed: " + join(missing, ", ") + ".",
            kInstallAccounting);
    if (!missing.empty())
        throw Error("The sandbox needs programs that are not installed: " + join(missing, ", ") + ".",
                    kInstall);
    return programs;
}

std::string userName() {
    const passwd* user = ::getpwuid(::geteuid());
    if (!user)
        throw Error("The user id " + std::to_string(::geteuid()) +
                    " has no entry in the user database; Slurm needs one.");
    return user->pw_name;
}

/// Daemons' configuration files have no way to quote a path.
void requirePlainPath(const fs::path& folder) {
    const auto text = folder.string();
    const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '/' || c == '.' || c == '_' || c == '-' || c == '+';
    });
    if (!plain)
        throw InputError("The sandbox cannot live in '" + text + "'.",
                         "Choose a folder whose path has only letters, digits and the characters / . _ - +");
}

void makePrivateFolder(const fs::path& folder) {
    fs::create_directories(folder);
    fs::permissions(folder, fs::perms::owner_all);
}

/// A Unix socket's path has at most 107 characters, of which Slurm adds about 30 to the spool folder's.
fs::path makeRunFolder(const Layout& layout) {
    const auto inside = layout.folder / "run";
    if (inside.string().size() <= 60) {
        makePrivateFolder(inside);
        return inside;
    }
    std::string name = "/tmp/dailies-XXXXXX";
    if (!::mkdtemp(name.data()))
        throw Error("Cannot make a folder in /tmp: " + std::string(std::strerror(errno)) + ".");
    return name;
}

std::string publicKey(const fs::path& key) {
    return std::string(trim(readFile(key.string() + ".pub")));
}

void makeKeys(const Layout& layout, const Programs& programs, const State& state) {
    for (const auto& key : {layout.hostKey(), layout.userKey()}) {
        if (fs::exists(key)) continue;
        const auto made = runProcess({programs.sshKeygen.string(), "-q", "-t", "ed25519", "-N", "", "-C",
                                      "dailies-sandbox", "-f", key.string()});
        if (!made.ok()) throw Error("ssh-keygen failed: " + std::string(trim(made.err)));
    }
    if (!fs::exists(layout.mungeKey())) {
        std::string secret;
        while (secret.size() < 128) secret += newId();
        writeFileAtomically(layout.mungeKey(), secret, kPrivate);
    }
    writeFileAtomically(layout.authorizedKeys(), publicKey(layout.userKey()) + "\n", kPrivate);
    writeFileAtomically(
        layout.knownHosts(),
        "[127.0.0.1]:" + std::to_string(state.sshPort) + " " + publicKey(layout.hostKey()) + "\n", kPrivate);
}

void makeGpus(const Layout& layout, int count) {
    fs::remove_all(layout.gpus());
    fs::create_directories(layout.gpus());
    for (int gpu = 0; gpu < count; ++gpu)
        fs::create_symlink("/dev/null", layout.gpus() / ("gpu" + std::to_string(gpu)));
}

/// The last lines of what a daemon said, for the message of a failed start.
std::string lastWords(const Layout& layout, const std::string& daemon) {
    const auto file = layout.log(daemon);
    if (!fs::exists(file)) return "(it said nothing)";
    auto lines = split(trim(readFile(file)), '\n');
    if (lines.size() > 4) lines.erase(lines.begin(), lines.end() - 4);
    return lines.empty() ? "(it said nothing)" : sanitizedText(join(lines, "\n"));
}

/// A folder that goes again unless it was finished: a later start takes what is there for whole.
class HalfMade {
public:
    explicit HalfMade(fs::path folder) : m_folder(std::move(folder)) {}
    ~HalfMade() {
        std::error_code ignored;
        if (!m_folder.empty()) fs::remove_all(m_folder, ignored);
    }
    HalfMade(const HalfMade&) = delete;
    HalfMade& operator=(const HalfMade&) = delete;
    void keep() { m_folder.clear(); }

private:
    fs::path m_folder;
};

/// One start: the daemons in the order in which they need each other.
class Start {
public:
    Start(const Layout& layout, State& state, const Programs& programs,
          const std::function<void(const std::string&)>& progress, std::stop_token stop)
        : m_layout(layout),
          m_state(state),
          m_programs(programs),
          m_progress(progress),
          m_stop(std::move(stop)) {}

    void run() {
        m_progress("starting sshd and munged");
        start("sshd", {m_programs.sshd.string(), "-D", "-e", "-f", m_layout.sshdConfig().string()});
        const auto run = m_state.runFolder;
        start("munged",
              {m_programs.munged.string(), "--foreground", "--force", "--num-threads=2",
               "--key-file=" + m_layout.mungeKey().string(), "--socket=" + (run / "munge.socket").string(),
               "--pid-file=" + (run / "munged.pid").string(), "--seed-file=" + (run / "munged.seed").string(),
               "--log-file=" + m_layout.log("munged-details").string()});
        await("munged", [&] { return fs::exists(run / "munge.socket"); });
        if (m_state.accounting) startAccounting();
        m_progress("starting Slurm");
        start("slurmctld", {m_programs.slurmctld.string(), "-D"});
        await("slurmctld", [this] { return acceptsConnections(m_state.controllerPort); });
        for (int node = 0; node < m_state.nodes; ++node)
            start("slurmd-" + nodeName(node), {m_programs.slurmd.string(), "-D", "-N", nodeName(node)});
        m_progress("waiting for the nodes");
        await("slurmctld", [this] { return nodesAreIdle(); });
        await("sshd", [this] { return acceptsConnections(m_state.sshPort); });
    }

private:
    void startAccounting() {
        m_progress("starting the accounting database");
        const auto data = m_layout.database(), run = m_state.runFolder;
        const std::string user = "--user=" + m_state.user;
        if (!fs::exists(data)) {
            HalfMade unfinished{data};
            const auto made = runProcess(
                {m_programs.mariadbInstall.string(), "--no-defaults", user, "--datadir=" + data.string(),
                 "--skip-test-db", "--force", "--auth-root-authentication-method=socket"},
                {}, m_stop);
            if (!made.ok())
                throw Error("mariadb-install-db failed: " + sanitizedText(trim(made.out + made.err)));
            unfinished.keep();
        }
        start("mariadbd", {m_programs.mariadbd.string(), "--no-defaults", user, "--datadir=" + data.string(),
                           "--socket=" + (run / "mariadb.socket").string(),
                           "--pid-file=" + (run / "mariadb.pid").string(), "--bind-address=127.0.0.1",
                           "--port=" + std::to_string(m_state.databasePort), "--skip-name-resolve",
                           "--innodb-buffer-pool-size=32M", "--innodb-lock-wait-timeout=900",
                           "--init-file=" + m_layout.databaseInit().string()});
        await("mariadbd", [this] { return acceptsConnections(m_state.databasePort); });
        start("slurmdbd", {m_programs.slurmdbd.string(), "-D"});
        await("slurmdbd", [this] { return acceptsConnections(m_state.accountingPort); });
        // slurmctld registers only a cluster that is known already.
        await("slurmdbd", [this] {
            return asAdministrator({"add", "cluster", "sandbox"}) &&
                   asAdministrator({"add", "account", "sandbox"}) &&
                   asAdministrator({"add", "user", m_state.user, "account=sandbox"});
        });
    }

    /// What is there already is no failure.
    bool asAdministrator(std::vector<std::string> words) const {
        words.insert(words.begin(), {m_programs.sacctmgr.string(), "-i"});
        const auto answer = runProcess(words,
                                       {.environment = {{"SLURM_CONF", m_layout.slurmConf().string()}},
                                        .timeout = std::chrono::seconds(20)},
                                       m_stop);
        const std::string said = answer.out + answer.err;
        return answer.ok() || said.find("already exists") != std::string::npos ||
               said.find("Nothing new added") != std::string::npos;
    }

    void start(const std::string& name, const std::vector<std::string>& command) {
        const std::map<std::string, std::string> environment{
            {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
            {"LANG", "C.UTF-8"},
            {"USER", m_state.user},
            {"LOGNAME", m_state.user},
            {"SLURM_CONF", m_layout.slurmConf().string()},
            {kMarkVariable, m_state.mark}};
        std::error_code absent;
        fs::remove(m_layout.log(name), absent);
        m_state.daemons.emplace_back(name, startDaemon(command, environment, m_layout.log(name)));
        // After each: a program killed in the middle of `up` leaves nothing that `down` would not know.
        writeState(m_layout, m_state);
    }

    void await(const std::string& daemon, const std::function<bool()>& ready) {
        using namespace std::chrono_literals;
        for (const auto deadline = Clock::now() + 30s; !ready(); std::this_thread::sleep_for(10ms)) {
            if (m_stop.stop_requested()) throw Cancelled();
            for (const auto& [name, process] : m_state.daemons)
                if (!isAlive(process)) fail(name, "ended while the sandbox was starting");
            if (Clock::now() > deadline) fail(daemon, "was not ready within 30 s");
        }
    }

    [[noreturn]] void fail(const std::string& daemon, const std::string& how) const {
        throw Error(daemon + " " + how + ": " + lastWords(m_layout, daemon),
                    "All it said is in " + m_layout.log(daemon).string() + ".");
    }

    bool nodesAreIdle() const {
        const auto answer = runProcess({m_programs.sinfo.string(), "-h", "-N", "-o", "%T"},
                                       {.environment = {{"SLURM_CONF", m_layout.slurmConf().string()}},
                                        .timeout = std::chrono::seconds(20)},
                                       m_stop);
        const auto words = split(trim(answer.out), '\n');
        return static_cast<int>(words.size()) == m_state.nodes &&
               std::all_of(words.begin(), words.end(), [](const std::string& state) {
                   return state == "idle" || state == "mixed" ||
                          state == "allocated";  // jobs of before go on
               });
    }

    const Layout& m_layout;
    State& m_state;
    const Programs& m_programs;
    const std::function<void(const std::string&)>& m_progress;
    const std::stop_token m_stop;
};

void end(const Layout& layout, const State& state) {
    SandboxProcesses what{{}, state.mark, layout.log("sshd"), state.runFolder};
    for (const auto& [name, process] : state.daemons) what.daemons.push_back(process);
    killAll(what);
    fs::remove_all(state.runFolder);
}

bool isRunning(const State& state) {
    // munged, slurmctld and sshd, each node, and MariaDB and slurmdbd
    return static_cast<int>(state.daemons.size()) == 3 + state.nodes + (state.accounting ? 2 : 0) &&
           std::all_of(state.daemons.begin(), state.daemons.end(),
                       [](const auto& d) { return isAlive(d.second); });
}

ClusterProfile profileOf(const Layout& layout, const State& state) {
    ClusterProfile profile;
    profile.name = "sandbox";
    profile.host = "127.0.0.1";
    profile.port = state.sshPort;
    profile.user = state.user;
    profile.identityFile = layout.userKey().string();
    profile.knownHostsFile = layout.knownHosts().string();
    profile.readUserConfig = false;
    profile.workspace = layout.workspace().string();
    profile.pollSeconds = 1;
    profile.callsPerMinute = 0;  // nobody else is waiting for its answers
    // PyTorch: the user's own LibTorch, else the one in the virtual environment that the build made, else the
    // python3 on PATH
    if (const char* torchDir = std::getenv("Torch_DIR"); torchDir && *torchDir) profile.torchDir = torchDir;
    const fs::path activate = fs::path(DAILIES_SOURCE_FOLDER) / "build/python/bin/activate";
    if (fs::exists(activate)) profile.setup = {". " + shellQuote(activate.string())};
    return profile;
}

State newState(const Options& options, const std::optional<State>& earlier) {
    State state;
    state.mark = newId();
    state.user = userName();
    state.nodes = options.nodes;
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    state.cpusPerNode = options.cpusPerNode > 0 ? options.cpusPerNode : std::max(1, cores / options.nodes);
    state.gpusPerNode = options.gpusPerNode;
    const auto memory = ::sysconf(_SC_PHYS_PAGES) / 1024 * (::sysconf(_SC_PAGESIZE) / 1024);
    state.memoryPerNode = static_cast<int>(std::max(256L, memory / options.nodes));
    // The SSH port of before, so that what remembers this cluster still finds it.
    const auto ports = freePorts(4 + options.nodes, earlier ? earlier->sshPort : 0);
    state.sshPort = ports[0];
    state.controllerPort = ports[1];
    state.accounting = options.accounting;
    state.accountingPort = ports[2];
    state.databasePort = ports[3];
    state.databasePassword =
        earlier && !earlier->databasePassword.empty() ? earlier->databasePassword : newId();
    state.nodePorts.assign(ports.begin() + 4, ports.end());
    return state;
}

void prepare(const Layout& layout, State& state, const Programs& programs) {
    for (const auto& folder : {layout.folder, layout.keys(), layout.controllerState(), layout.workspace(),
                               layout.log("any").parent_path()})
        makePrivateFolder(folder);
    state.runFolder = makeRunFolder(layout);
    writeState(layout, state);
    for (int node = 0; node < state.nodes; ++node) makePrivateFolder(state.runFolder / nodeName(node));
    makeKeys(layout, programs, state);
    makeGpus(layout, state.gpusPerNode);
    const std::string path =
        "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:" + programs.sinfo.parent_path().string();
    writeFileAtomically(layout.slurmConf(), slurmConf(layout, state), kPrivate);
    if (state.accounting) {
        writeFileAtomically(layout.slurmdbdConf(), slurmdbdConf(state), kPrivate);
        writeFileAtomically(layout.databaseInit(), databaseInit(state), kPrivate);
    }
    writeFileAtomically(layout.gresConf(), gresConf(layout, state), kPrivate);
    writeFileAtomically(layout.sshdConfig(), sshdConfig(layout, state, path), kPrivate);
    // sshd of Debian confines its unprivileged part there when it runs as root. Other sshds use it too, so it
    // stays.
    if (::geteuid() == 0 && fs::create_directories("/run/sshd"))
        fs::permissions("/run/sshd", fs::perms(0755));  // as the system's own makes it, whatever our umask
}

Layout layoutAt(const fs::path& folder) {
    return {fs::absolute(folder).lexically_normal()};
}

}  // namespace

fs::path defaultFolder() {
    if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state == '/')
        return fs::path(state) / "dailies/sandbox";
    const char* home = std::getenv("HOME");
    if (!home || !*home) throw Error("HOME is not set.", "Set it, or name a folder for the sandbox.");
    return fs::path(home) / ".local/state/dailies/sandbox";
}

Status up(const Options& options, const std::function<void(const std::string&)>& progress,
          std::stop_token stop) {
    const std::function<void(const std::string&)> report = progress ? progress : [](const std::string&) {};
    if (options.nodes < 1 || options.cpusPerNode < 0 || options.gpusPerNode < 0)
        throw InputError("A sandbox needs at least one node, and no negative numbers.");
    const auto layout = layoutAt(options.folder.empty() ? defaultFolder() : options.folder);
    requirePlainPath(layout.folder);
    const auto programs = findPrograms(options.accounting);
    std::error_code failure;
    fs::create_directories(layout.folder, failure);
    if (failure)
        throw Error("Cannot make the folder " + layout.folder.string() + ": " + failure.message() + ".");
    const FolderLock lock(layout.folder);

    auto earlier = readState(layout);
    if (!earlier && !fs::is_empty(layout.folder))
        throw InputError(layout.folder.string() + " holds files that are not a sandbox's.",
                         "Choose a new or empty folder.");
    if (earlier && isRunning(*earlier)) return sandbox::status(layout.folder);
    if (earlier) {
        report("ending what is left of an earlier start");
        end(layout, *earlier);
    }
    State state = newState(options, earlier);
    prepare(layout, state, programs);
    try {
        Start(layout, state, programs, report, stop).run();
    } catch (...) {
        end(layout, state);
        throw;
    }
    return sandbox::status(layout.folder);
}

Status status(const fs::path& folder) {
    const auto layout = layoutAt(folder);
    Status result;
    result.folder = layout.folder;
    const auto state = readState(layout);
    if (!state) {
        result.summary = "No sandbox in " + layout.folder.string() + ".";
        return result;
    }
    result.running = isRunning(*state);
    if (!result.running) {
        result.summary = "The sandbox in " + layout.folder.string() + " does not run (or only in part).";
        return result;
    }
    result.sshPort = state->sshPort;
    result.profile = profileOf(layout, *state);
    const auto count = [](int n, const std::string& what) {
        return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
    };
    result.summary = "The sandbox runs: " + count(state->nodes, "node") + " with " +
                     count(state->cpusPerNode, "core") +
                     (state->gpusPerNode > 0 ? " and " + count(state->gpusPerNode, "simulated GPU") : "") +
                     " each" + (state->accounting ? ", accounting" : "") + ", SSH on 127.0.0.1 port " +
                     std::to_string(state->sshPort) + ", in " + layout.folder.string() + ".";
    return result;
}

void down(const fs::path& folder) {
    const auto layout = layoutAt(folder);
    if (!fs::exists(layout.folder)) return;
    const FolderLock lock(layout.folder);
    const auto state = readState(layout);
    if (!state && !fs::is_empty(layout.folder))
        throw InputError(layout.folder.string() + " is not a sandbox's folder; nothing was removed.");
    if (state) end(layout, *state);
    fs::remove_all(layout.folder);
}

}  // namespace dailies::remote::sandbox
