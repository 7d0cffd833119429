#include "remote/ssh/authentication.h"

#include "core/base/text.h"
#include "core/log/log.h"
#include "remote/ssh/agent_relay.h"
#include "remote/ssh/connection.h"
#include "remote/ssh/key_file.h"
#include "remote/ssh/watchdog.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace dailies::remote::ssh {

namespace {

/// Ends of what a server may ask for: steps of signing in, rounds of questions in one, questions in a round,
/// characters in a question.
constexpr int kMaxSteps = 8;
constexpr int kMaxRounds = 16;
constexpr int kMaxQuestions = 16;
constexpr std::size_t kLongestQuestion = 1000;
constexpr int kPassphraseTries = 3;
/// After an answer the server may wait for a person in turn, such as for consent on a telephone: as long as
/// sshd's LoginGraceTime.
constexpr std::chrono::minutes kPersonsPatience{2};

/// What helps where the server asks something that only a person can answer.
constexpr const char* kTerminalRemedy =
    "Run this from a terminal, or set up a key that the cluster accepts: `ssh-copy-id`, then `ssh-add`.";

/// A person's answer, wiped when it is no longer needed.
class Secret {
public:
    explicit Secret(std::string text) : m_text(std::move(text)) {}
    ~Secret() { ::explicit_bzero(m_text.data(), m_text.size()); }
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    const std::string& text() const { return m_text; }

private:
    std::string m_text;
};

struct Method {
    std::string name;
    unsigned flag;
    const char* inWords;
};

const std::vector<Method>& allMethods() {
    static const std::vector<Method> methods{
        {"publickey", SSH_AUTH_METHOD_PUBLICKEY, "a key"},
        {"keyboard-interactive", SSH_AUTH_METHOD_INTERACTIVE, "answers to its questions"},
        {"password", SSH_AUTH_METHOD_PASSWORD, "a password"}};
    return methods;
}

class Authenticator {
public:
    Authenticator(Connection& connection, const Endpoint& endpoint, const HostConfig& config,
                  Prompter& prompter, std::stop_token stop)
        : m_connection(connection),
          m_endpoint(endpoint),
          m_config(config),
          m_prompter(prompter),
          m_stop(std::move(stop)) {}

    void run() {
        readKeys();
        if (wait([this] { return ssh_userauth_none(session(), nullptr); }) == SSH_AUTH_SUCCESS) return;
        m_accepted = static_cast<unsigned>(ssh_userauth_list(session(), nullptr));
        std::set<std::string> tried;
        for (int step = 0; step < kMaxSteps;) {
            const Method* method = nextMethod(tried);
            if (!method) break;
            tried.insert(method->name);
            const int result = attempt(*method);
            if (result == SSH_AUTH_SUCCESS) return;
            if (result != SSH_AUTH_PARTIAL) continue;
            m_accepted = static_cast<unsigned>(ssh_userauth_list(session(), nullptr));
            tried.clear();
            ++step;
            m_halfWay = true;
        }
        refuse();
    }

private:
    ssh_session session() const { return m_connection.handle(); }
    bool accepts(const Method& method) const { return (m_accepted & method.flag) != 0; }

    const Method* nextMethod(const std::set<std::string>& tried) const {
        for (const auto& name : m_config.methods) {
            const auto method = std::ranges::find(allMethods(), name, &Method::name);
            if (method != allMethods().end() && accepts(*method) && !tried.contains(name)) return &*method;
        }
        return nullptr;
    }

    int attempt(const Method& method) {
        const int result = method.flag == SSH_AUTH_METHOD_PUBLICKEY     ? useKeys()
                           : method.flag == SSH_AUTH_METHOD_INTERACTIVE ? answerQuestions()
                                                                        : usePassword();
        // Not "password: …", which would be taken for one.
        log::info("ssh", "sign-in to " + m_connection.host() + ": " + method.name +
                             (result == SSH_AUTH_SUCCESS   ? " accepted"
                              : result == SSH_AUTH_PARTIAL ? " accepted, and more is asked for"
                                                           : " refused"));
        return result;
    }

    /// Waits for the server's answer to a call of libssh. Not in libssh itself, which does not notice there
    /// that the server has ended the conversation.
    template <typename Call>
    int wait(const Call& call, std::chrono::milliseconds patience) {
        const Watchdog::Watch watch(m_connection.watchdog(), patience, m_stop);
        ssh_set_blocking(session(), 0);
        int result = SSH_AUTH_AGAIN;
        while ((result = call()) == SSH_AUTH_AGAIN && m_connection.connected()) {
            pollfd socket{ssh_get_fd(session()), POLLIN, 0};
            ::poll(&socket, 1, static_cast<int>(kTick.count()));
        }
        ssh_set_blocking(session(), 1);
        if (m_stop.stop_requested()) throw Cancelled();
        if (!isAccepted(result) && !m_connection.connected()) refuse();
        return result;
    }

    template <typename Call>
    int wait(const Call& call) {
        return wait(call, m_connection.idleTimeout());
    }

    static bool isAccepted(int result) { return result == SSH_AUTH_SUCCESS || result == SSH_AUTH_PARTIAL; }

    // ---- keys

    void readKeys() {
        if (!m_endpoint.identityFile.empty() && !std::filesystem::exists(m_endpoint.identityFile))
            throw SessionError(Failure::Authentication,
                               "There is no key file " + m_endpoint.identityFile.string() + ".",
                               "Specify the private key that is registered on the cluster.");
        std::error_code unreadable;
        for (const auto& file : m_config.identityFiles) {
            // Of a key in the agent or in a device, only the public part may lie there.
            m_named.push_back(readPublicKey(certificatePath(file)));
            m_named.push_back(readPublicKey(file.string() + ".pub"));
            if (!std::filesystem::is_regular_file(file, unreadable)) continue;
            if (const auto problem = tooOpen(file); !problem.empty()) {
                m_ignored.push_back("The key " + sanitizedText(file.string()) + " is not used: " + problem +
                                    ".");
                continue;
            }
            m_keys.emplace_back(file);
            if (m_keys.back().publicKey() != m_named.back()) m_named.push_back(m_keys.back().publicKey());
        }
        for (const auto& file : m_config.certificateFiles) m_named.push_back(readPublicKey(file));
    }

    /// What OpenSSH says of a private key that others may read or write: it does not use it.
    static std::string tooOpen(const std::filesystem::path& file) {
        struct stat info {};
        if (::stat(file.c_str(), &info) != 0 || info.st_uid != ::getuid() || (info.st_mode & 077) == 0)
            return {};
        char mode[8];
        std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(info.st_mode & 07777));
        return "its permissions " + std::string(mode) + " are too open; run: chmod 600 " + file.string();
    }

    int useKeys() {
        if (!m_agent) {
            m_agent.emplace(m_config.agentSocket, m_connection.watchdog(), m_stop);
            if (m_stop.stop_requested()) throw Cancelled();
        }
        int result = SSH_AUTH_DENIED;
        for (const auto& named : m_named)
            if (std::ranges::count(m_agent->keys(), named) && isAccepted(result = useAgent(named)))
                return result;
        for (const auto& key : m_keys)
            if (!key.isLocked() && isAccepted(result = useKey(key))) return result;
        if (!m_config.identitiesOnly)
            for (const auto& other : m_agent->keys())
                if (!std::ranges::count(m_named, other) && isAccepted(result = useAgent(other)))
                    return result;
        for (auto& key : m_keys)
            if (key.isLocked() && isAccepted(result = unlockAndUse(key))) return result;
        return SSH_AUTH_DENIED;
    }

    int useAgent(const std::string& key) {
        m_offered.insert("the agent's keys");
        log::debug("ssh", "offering a key of the agent");
        m_agent->show(key);
        ssh_set_agent_socket(session(), m_agent->socket());
        return wait([this] { return ssh_userauth_agent(session(), nullptr); });
    }

    int useKey(ssh_key key) {
        return wait([&] { return ssh_userauth_publickey(session(), nullptr, key); });
    }

    int useKey(const KeyFile& key) {
        if (!key.key()) {
            m_offered.insert(key.file().string() + " (not a readable private key)");
            return SSH_AUTH_DENIED;
        }
        m_offered.insert(key.file().string());
        log::debug("ssh", "offering the key " + key.file().string());
        int result = SSH_AUTH_DENIED;
        for (const auto& certified : key.withCertificates(m_config.certificateFiles))
            if (isAccepted(result = useKey(certified.get()))) return result;
        return useKey(key.key());
    }

    int unlockAndUse(KeyFile& key) {
        m_offered.insert(key.file().string());
        if (!mayBeAccepted(key)) return SSH_AUTH_DENIED;
        for (int tries = 0; tries < kPassphraseTries; ++tries) {
            const Secret passphrase(
                ask("Passphrase for the key " + key.file().string(), false,
                    "Add the key to the agent first: `ssh-add " + shellQuote(key.file().string()) + "`."));
            if (key.unlock(passphrase.text())) return useKey(key);
        }
        return SSH_AUTH_DENIED;
    }

    /// The server says so before it sees a signature. With a certificate it may accept a key that it does not
    /// know.
    bool mayBeAccepted(const KeyFile& key) {
        std::error_code unreadable;
        if (key.publicKey().empty() || !m_config.certificateFiles.empty() ||
            std::filesystem::exists(certificatePath(key.file()), unreadable))
            return true;
        ssh_key raw = nullptr;
        if (ssh_pki_import_pubkey_file((key.file().string() + ".pub").c_str(), &raw) != SSH_OK) return true;
        const Key publicKey(raw, &ssh_key_free);
        return wait([&] { return ssh_userauth_try_publickey(session(), nullptr, raw); }) == SSH_AUTH_SUCCESS;
    }

    // ---- questions

    /// A wrong answer may be given again, as a code runs out while it is typed.
    int answerQuestions() {
        int result = SSH_AUTH_DENIED;
        for (int tries = 0; tries < m_config.passwordPrompts && result == SSH_AUTH_DENIED; ++tries) {
            bool asked = false;
            result = answerRounds(asked);
            if (!asked) break;
        }
        return result;
    }

    int answerRounds(bool& asked) {
        const auto call = [this] { return ssh_userauth_kbdint(session(), nullptr, nullptr); };
        int result = wait(call);
        for (int round = 0; result == SSH_AUTH_INFO; ++round) {
            const int count = ssh_userauth_kbdint_getnprompts(session());
            if (round == kMaxRounds || count > kMaxQuestions)
                throw SessionError(Failure::Authentication,
                                   m_connection.host() + " sent too many authentication prompts.",
                                   "Ask the cluster's administrators how to sign in.");
            const auto instruction = harmless(ssh_userauth_kbdint_getinstruction(session()));
            for (unsigned i = 0; static_cast<int>(i) < count; ++i) {
                char echo = 0;
                const auto prompt = harmless(ssh_userauth_kbdint_getprompt(session(), i, &echo));
                asked = true;
                const Secret answer(ask((instruction.empty() ? "" : instruction + "\n") + "(" + who() + ") " +
                                            (prompt.empty() ? "Answer" : prompt),
                                        echo != 0, kTerminalRemedy));
                ssh_userauth_kbdint_setanswer(session(), i, answer.text().c_str());
            }
            result = wait(call, kPersonsPatience);
        }
        return result;
    }

    int usePassword() {
        int result = SSH_AUTH_DENIED;
        for (int tries = 0; tries < m_config.passwordPrompts && result == SSH_AUTH_DENIED; ++tries) {
            const Secret password(ask("Password for " + who(), false, kTerminalRemedy));
            result = wait([&] { return ssh_userauth_password(session(), nullptr, password.text().c_str()); },
                          kPersonsPatience);
        }
        return result;
    }

    /// `remedy`: what helps where nobody is there to ask.
    std::string ask(const std::string& prompt, bool echo, const std::string& remedy) {
        if (!m_prompter.canAsk())
            throw SessionError(Failure::Authentication,
                               m_connection.host() + ": cannot log in: it asks \"" + sanitizedText(prompt) +
                                   "\", and there is no terminal to answer on.",
                               join(m_ignored, " ") + (m_ignored.empty() ? "" : " ") + remedy);
        log::debug("ssh", "a person is asked for something that only they know");
        const Watchdog::Pause pause(m_connection.watchdog());
        // ssh warns of keys that it does not use before it asks for something else.
        auto answer = m_prompter.secret(
            m_toldOfIgnored || m_ignored.empty() ? prompt : join(m_ignored, "\n") + "\n" + prompt, echo);
        m_toldOfIgnored = true;
        if (!answer) throw Cancelled();
        return std::move(*answer);
    }

    static std::string harmless(const char* serversText) {
        const std::string text = serversText ? serversText : "";
        return sanitizedText(trim(std::string_view(text).substr(0, kLongestQuestion)));
    }

    std::string who() const { return m_config.user + "@" + m_connection.host(); }

    [[noreturn]] void refuse() const {
        if (m_connection.watchdog().reason()) m_connection.fail("Signing in failed");
        std::vector<std::string> methods, offered;
        for (const auto& method : allMethods())
            if (accepts(method)) methods.emplace_back(method.inWords);
        for (const auto& what : m_offered) offered.push_back(sanitizedText(what));
        const std::string tooMany =
            m_connection.connected() ? "" : " and ended the connection (too many tries?)";
        throw SessionError(
            Failure::Authentication,
            m_connection.host() + (m_halfWay ? " accepted one authentication step, but" : "") +
                " did not let " + sanitizedText(m_config.user) + " in" + tooMany + ".",
            join(m_ignored, " ") + (m_ignored.empty() ? "" : " ") +
                (methods.empty() ? "Ask the cluster's administrators how to sign in."
                                 : "It accepts " + join(methods, ", ") + ". " +
                                       (offered.empty() ? "No key was found to offer."
                                                        : "Tried: " + join(offered, ", ") + ".") +
                                       " Check the user name and the keys."));
    }

    Connection& m_connection;
    const Endpoint& m_endpoint;
    const HostConfig& m_config;
    Prompter& m_prompter;
    std::stop_token m_stop;
    std::vector<KeyFile> m_keys;        ///< files that are there, in the configuration's order
    std::optional<AgentRelay> m_agent;  ///< from the first need of keys on
    std::vector<std::string> m_named;   ///< public keys and certificates that the configuration names, base64
    std::vector<std::string> m_ignored;  ///< keys that are not used, and why: sentences
    bool m_toldOfIgnored = false;
    std::set<std::string> m_offered;
    unsigned m_accepted = 0;
    bool m_halfWay = false;
};

}  // namespace

void authenticate(Connection& connection, const Endpoint& endpoint, const HostConfig& config,
                  Prompter& prompter, const std::stop_token& stop) {
    Authenticator(connection, endpoint, config, prompter, stop).run();
}

}  // namespace dailies::remote::ssh
