#include "remote/ssh/host_config.h"

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <pwd.h>
#include <unistd.h>

namespace dailies::remote::ssh {

namespace {

namespace fs = std::filesystem;

/// Its commands (`Match exec`) may look at the network.
constexpr std::chrono::seconds kPatience{20};

struct Account {
    std::string name, home;
};

/// Of the user database, which ssh goes by, too, and not by $HOME. `lookUp`: getpwuid_r or getpwnam_r.
template <typename LookUp, typename Key>
std::optional<Account> findAccount(LookUp lookUp, Key key) {
    std::array<char, 16 << 10> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    if (lookUp(key, &entry, buffer.data(), buffer.size(), &found) != 0 || !found) return std::nullopt;
    return Account{entry.pw_name, entry.pw_dir};
}

Account ownAccount() {
    if (auto account = findAccount(::getpwuid_r, ::getuid())) return *account;
    const char* home = std::getenv("HOME");
    return {std::to_string(::getuid()), home ? home : "/"};
}

std::string localHost() {
    std::string name(256, '\0');
    if (::gethostname(name.data(), name.size()) != 0) return "localhost";
    return name.c_str();
}

int toNumber(const std::string& text) {
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// What `ssh -G` prints: "keyword value" lines, of which some keywords come several times.
class Answers {
public:
    explicit Answers(const std::string& printed) {
        for (const auto& line : split(printed, '\n')) {
            const auto space = line.find(' ');
            if (space != std::string::npos) m_values[line.substr(0, space)].push_back(line.substr(space + 1));
        }
    }
    /// "none", which is how most keywords are switched off, reads as "".
    std::string value(const std::string& keyword) const {
        const auto found = m_values.find(keyword);
        return found == m_values.end() || found->second.front() == "none" ? "" : found->second.front();
    }
    std::vector<std::string> values(const std::string& keyword) const {
        const auto found = m_values.find(keyword);
        return found == m_values.end() ? std::vector<std::string>{} : found->second;
    }
    bool isOn(const std::string& keyword) const {
        return value(keyword) == "yes" || value(keyword) == "true";
    }
    int number(const std::string& keyword) const { return toNumber(value(keyword)); }

private:
    std::map<std::string, std::vector<std::string>> m_values;
};

/// ssh_config(5), "TOKENS"; `ssh -G` expands them in some values only.
class Expansion {
public:
    Expansion(const Endpoint& endpoint, const HostConfig& config) {
        m_tokens = {{'%', "%"},
                    {'d', ownAccount().home},
                    {'h', config.hostName},
                    {'i', std::to_string(::getuid())},
                    {'k', config.hostKeyAlias.empty() ? endpoint.host : config.hostKeyAlias},
                    {'l', localHost()},
                    {'L', localHost().substr(0, localHost().find('.'))},
                    {'n', endpoint.host},
                    {'p', std::to_string(config.port)},
                    {'r', config.user},
                    {'u', ownAccount().name}};
    }

    std::string tokens(const std::string& text) const {
        std::string result;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto token =
                text[i] == '%' && i + 1 < text.size() ? m_tokens.find(text[i + 1]) : m_tokens.end();
            if (token == m_tokens.end()) {
                result += text[i];
            } else {
                result += token->second;
                ++i;
            }
        }
        return result;
    }

    /// Also "~", "~user" and "${VARIABLE}".
    fs::path path(const std::string& text) const {
        std::string result = tokens(text);
        for (std::size_t at = 0; (at = result.find("${", at)) != std::string::npos;) {
            const auto end = result.find('}', at);
            if (end == std::string::npos) break;
            const char* value = std::getenv(result.substr(at + 2, end - at - 2).c_str());
            const std::string put = value ? value : "";
            result.replace(at, end + 1 - at, put);
            at += put.size();
        }
        if (!result.starts_with('~')) return result;
        const auto slash = std::min(result.find('/'), result.size());
        const auto name = result.substr(1, slash - 1);
        const auto account =
            name.empty() ? std::optional(ownAccount()) : findAccount(::getpwnam_r, name.c_str());
        return account ? account->home + result.substr(slash) : result;
    }

private:
    std::map<char, std::string> m_tokens;
};

/// "user@host:port,user@[address]:port"
std::vector<JumpHost> parseJumps(const std::string& text) {
    std::vector<JumpHost> jumps;
    for (std::string part : split(text, ',')) {
        JumpHost jump;
        if (const auto at = part.rfind('@'); at != std::string::npos) {
            jump.user = part.substr(0, at);
            part.erase(0, at + 1);
        }
        const auto bracket = part.starts_with('[') ? part.find(']') : std::string::npos;
        const auto colon = part.find(':', bracket == std::string::npos ? 0 : bracket);
        if (colon != std::string::npos) {
            jump.port = toNumber(part.substr(colon + 1));
            part.resize(colon);
        }
        jump.host = bracket == std::string::npos ? part : part.substr(1, bracket - 1);
        jumps.push_back(jump);
    }
    return jumps;
}

/// For a person to read and to paste: quoted only where a shell would take it apart.
std::string plainOrQuoted(const std::string& word) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) ||
               std::string_view("_@%+=:,./~-").find(c) != std::string_view::npos;
    });
    return plain ? word : shellQuote(word);
}

/// Whatever an endpoint says beside its host and user.
void addOptions(const Endpoint& endpoint, std::vector<std::string>& command) {
    const auto add = [&command](const char* flag, const std::string& value) {
        command.emplace_back(flag);
        command.push_back(value);
    };
    if (!endpoint.readUserConfig)
        add("-F", "none");
    else if (!endpoint.configFile.empty())
        add("-F", endpoint.configFile.string());
    if (endpoint.port != 0) add("-p", std::to_string(endpoint.port));
    if (!endpoint.identityFile.empty()) add("-i", endpoint.identityFile.string());
    if (!endpoint.jumps.empty()) add("-J", endpoint.jumps);
}

std::vector<std::string> commandFor(const Endpoint& endpoint) {
    std::vector<std::string> command{"ssh", "-G", "-T"};
    addOptions(endpoint, command);
    if (!endpoint.user.empty()) {
        command.emplace_back("-l");
        command.push_back(endpoint.user);
    }
    command.emplace_back("--");
    command.push_back(endpoint.host);
    return command;
}

/// ssh's words without its last, which only count the others.
std::string complaint(const std::string& said) {
    std::vector<std::string> lines;
    for (const auto& line : split(said, '\n'))
        if (const auto text = trim(line); !text.empty() && text.find("terminating,") == std::string::npos)
            lines.emplace_back(text);
    return sanitizedText(join(lines, "; "));
}

Answers ask(const Endpoint& endpoint, const std::stop_token& stop) {
    if (!findProgram("ssh"))
        throw InputError("OpenSSH's ssh, which reads ~/.ssh/config for Dailies, is not installed.",
                         "Install it: sudo apt-get install openssh-client");
    const auto answer = runProcess(commandFor(endpoint), {.timeout = kPatience}, stop);
    if (!answer.ok())
        throw InputError("ssh refuses its configuration: " + complaint(answer.err) + ".",
                         "Correct it; `ssh -G " + endpoint.host + "` says the same.");
    return Answers(answer.out);
}

HostConfig::UnknownKey unknownKeyFrom(const std::string& strictness) {
    if (strictness == "true" || strictness == "yes") return HostConfig::UnknownKey::Refuse;
    if (strictness == "false" || strictness == "no" || strictness == "off" || strictness == "accept-new")
        return HostConfig::UnknownKey::Accept;
    return HostConfig::UnknownKey::Ask;
}

/// Those of PreferredAuthentications that are known here and not switched off.
std::vector<std::string> methodsFrom(const Answers& answers) {
    const auto preferred = answers.value("preferredauthentications");
    const std::map<std::string, std::string> switches{
        {"publickey", "pubkeyauthentication"},
        {"keyboard-interactive", "kbdinteractiveauthentication"},
        {"password", "passwordauthentication"}};
    std::vector<std::string> methods;
    for (const auto& method :
         split(preferred.empty() ? "publickey,keyboard-interactive,password" : preferred, ',')) {
        const auto known = switches.find(method);
        if (known != switches.end() && answers.value(known->second) != "no" &&
            answers.value(known->second) != "false")
            methods.push_back(method);
    }
    return methods;
}

fs::path agentFrom(const Answers& answers, const Expansion& expansion) {
    const auto agentOf = [](const char* variable) {
        const char* socket = std::getenv(variable);
        return fs::path(socket ? socket : "");
    };
    const auto configured = answers.values("identityagent");
    if (configured.empty() || configured.front() == "SSH_AUTH_SOCK") return agentOf("SSH_AUTH_SOCK");
    if (configured.front() == "none") return {};
    if (configured.front().starts_with('$') && !configured.front().starts_with("${"))
        return agentOf(configured.front().c_str() + 1);
    return expansion.path(configured.front());
}

void addTimes(HostConfig& config, const Answers& answers) {
    using std::chrono::seconds;
    if (const int limit = answers.number("connecttimeout")) config.connectTimeout = seconds(limit);
    if (const int limit = answers.number("serveraliveinterval") * answers.number("serveralivecountmax"))
        config.idleTimeout = seconds(limit);
}

}  // namespace

std::string sshCommand(const Endpoint& endpoint, const std::string& remoteCommand) {
    std::vector<std::string> words{"ssh"};
    addOptions(endpoint, words);
    if (!endpoint.knownHostsFile.empty()) {
        words.emplace_back("-o");
        words.push_back("UserKnownHostsFile=" + endpoint.knownHostsFile.string());
    }
    words.push_back((endpoint.user.empty() ? "" : endpoint.user + "@") + endpoint.host);
    std::string line;
    for (const auto& word : words) line += plainOrQuoted(word) + ' ';
    return sanitizedText(line) + remoteCommand;
}

HostConfig resolveHost(const Endpoint& endpoint, const std::stop_token& stop) {
    const auto answers = ask(endpoint, stop);
    HostConfig config;
    config.hostName = answers.value("hostname");
    config.port = answers.number("port");
    config.user = answers.value("user");
    config.hostKeyAlias = answers.value("hostkeyalias");
    const Expansion expansion(endpoint, config);
    const auto paths = [&](const std::vector<std::string>& texts) {
        std::vector<fs::path> result;
        for (const auto& text : texts)
            if (!text.empty() && text != "none") result.push_back(expansion.path(text));
        return result;
    };
    config.jumps = parseJumps(answers.value("proxyjump"));
    config.proxyCommand = expansion.tokens(answers.value("proxycommand"));
    // These two are printed in one line each, expanded, and without quotes: a path with a space falls apart.
    config.userKnownHosts = paths(split(answers.value("userknownhostsfile"), ' '));
    config.globalKnownHosts = paths(split(answers.value("globalknownhostsfile"), ' '));
    if (!endpoint.knownHostsFile.empty()) config.userKnownHosts = {endpoint.knownHostsFile};
    config.hashKnownHosts = answers.isOn("hashknownhosts");
    if (const auto revoked = paths(answers.values("revokedhostkeys")); !revoked.empty())
        config.revokedHostKeys = revoked.front();
    config.unknownKey = unknownKeyFrom(answers.value("stricthostkeychecking"));
    config.methods = methodsFrom(answers);
    config.identityFiles = paths(answers.values("identityfile"));
    config.certificateFiles = paths(answers.values("certificatefile"));
    // A key that was chosen for this host is the only one, so that an agent full of others cannot use up the
    // server's tries.
    config.identitiesOnly =
        answers.isOn("identitiesonly") || (!endpoint.readUserConfig && !endpoint.identityFile.empty());
    config.agentSocket = agentFrom(answers, expansion);
    config.passwordPrompts = std::max(1, answers.number("numberofpasswordprompts"));
    config.ciphers = answers.value("ciphers");
    config.macs = answers.value("macs");
    config.keyExchanges = answers.value("kexalgorithms");
    config.hostKeyAlgorithms = answers.value("hostkeyalgorithms");
    config.publicKeyAlgorithms = answers.value("pubkeyacceptedalgorithms");
    config.compression = answers.isOn("compression");
    addTimes(config, answers);
    return config;
}

}  // namespace dailies::remote::ssh
