#include "remote/ssh/authentication.h"

#include "core/base/text.h"
#include "remote/ssh/connection.h"

#include <libssh/callbacks.h>

#include <cstring>
#include <exception>
#include <vector>

namespace dailies::remote::ssh {

namespace {

constexpr int kPasswordTries = 3;

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

class Authenticator {
public:
    Authenticator(Connection& connection, const Endpoint& endpoint, Prompter& prompter)
        : m_connection(connection), m_endpoint(endpoint), m_prompter(prompter) {
        m_callbacks.userdata = this;
        m_callbacks.auth_function = &Authenticator::askPassphrase;
        ssh_callbacks_init(&m_callbacks);
        ssh_set_callbacks(session(), &m_callbacks);
    }
    ~Authenticator() {
        m_callbacks.auth_function = nullptr;
        static ssh_callbacks_struct none = [] {
            ssh_callbacks_struct callbacks{};
            ssh_callbacks_init(&callbacks);
            return callbacks;
        }();
        ssh_set_callbacks(session(), &none);  // libssh keeps the pointer
    }
    Authenticator(const Authenticator&) = delete;
    Authenticator& operator=(const Authenticator&) = delete;

    void run() {
        if (done(ssh_userauth_none(session(), nullptr))) return;
        m_methods = static_cast<unsigned>(ssh_userauth_list(session(), nullptr));
        if (accepts(SSH_AUTH_METHOD_PUBLICKEY) && (done(useGivenKey()) || done(useOtherKeys()))) return;
        if (accepts(SSH_AUTH_METHOD_INTERACTIVE) && done(answerQuestions())) return;
        if (accepts(SSH_AUTH_METHOD_PASSWORD) && done(usePassword())) return;
        refuse();
    }

private:
    ssh_session session() const { return m_connection.handle(); }
    bool accepts(unsigned method) const { return (m_methods & method) != 0; }

    /// Partial success (a key, then a code) leaves a new list of methods to go on with.
    bool done(int result) {
        if (m_callbackFailure) std::rethrow_exception(m_callbackFailure);
        if (result == SSH_AUTH_SUCCESS) return true;
        if (result == SSH_AUTH_PARTIAL)
            m_methods = static_cast<unsigned>(ssh_userauth_list(session(), nullptr));
        if (result == SSH_AUTH_ERROR && !m_connection.connected()) refuse();
        return false;
    }

    int useGivenKey() {
        if (m_endpoint.identityFile.empty()) return SSH_AUTH_DENIED;
        if (!std::filesystem::exists(m_endpoint.identityFile))
            throw SessionError(Failure::Authentication,
                               "There is no key file " + m_endpoint.identityFile.string() + ".",
                               "Name the private key that the cluster knows.");
        ssh_key raw = nullptr;
        // Without a way to ask for a passphrase: an encrypted key may be in the agent, which is tried first.
        const int imported =
            ssh_pki_import_privkey_file(m_endpoint.identityFile.c_str(), nullptr, nullptr, nullptr, &raw);
        if (imported != SSH_OK) return SSH_AUTH_DENIED;
        const std::unique_ptr<ssh_key_struct, decltype(&ssh_key_free)> key(raw, &ssh_key_free);
        m_givenKeyTried = true;
        return ssh_userauth_publickey(session(), nullptr, raw);
    }

    int useOtherKeys() {
        if (m_givenKeyTried && !m_endpoint.readUserConfig) return SSH_AUTH_DENIED;
        return ssh_userauth_publickey_auto(session(), nullptr, nullptr);
    }

    int answerQuestions() {
        int result = ssh_userauth_kbdint(session(), nullptr, nullptr);
        while (result == SSH_AUTH_INFO) {
            const std::string instruction = inertText(text(ssh_userauth_kbdint_getinstruction(session())));
            const int count = ssh_userauth_kbdint_getnprompts(session());
            for (int i = 0; i < count; ++i) {
                char echo = 0;
                const char* prompt =
                    ssh_userauth_kbdint_getprompt(session(), static_cast<unsigned>(i), &echo);
                const auto question =
                    (instruction.empty() ? "" : instruction + "\n") + inertText(text(prompt));
                const Secret answer(ask(question, echo != 0));
                ssh_userauth_kbdint_setanswer(session(), static_cast<unsigned>(i), answer.text().c_str());
            }
            result = ssh_userauth_kbdint(session(), nullptr, nullptr);
        }
        return result;
    }

    int usePassword() {
        int result = SSH_AUTH_DENIED;
        for (int tries = 0; tries < kPasswordTries && result == SSH_AUTH_DENIED; ++tries) {
            const Secret password(ask("Password for " + m_connection.host(), false));
            result = ssh_userauth_password(session(), nullptr, password.text().c_str());
        }
        return result;
    }

    std::string ask(const std::string& prompt, bool echo) {
        const Watchdog::Pause pause(m_connection.watchdog());
        auto answer = m_prompter.secret(prompt, echo);
        if (!answer) throw Cancelled();
        return std::move(*answer);
    }

    static std::string text(const char* libsshText) { return libsshText ? libsshText : ""; }

    /// libssh's question for a key's passphrase. No exception may cross its C frames.
    static int askPassphrase(const char* prompt, char* buffer, std::size_t size, int echo, int, void* self) {
        auto& me = *static_cast<Authenticator*>(self);
        if (me.m_callbackFailure) return -1;
        try {
            char* identity = nullptr;
            std::string question = text(prompt);
            if (ssh_userauth_publickey_auto_get_current_identity(me.session(), &identity) == SSH_OK) {
                question = "Passphrase for the key " + text(identity);
                ssh_string_free_char(identity);
            }
            const Secret answer(me.ask(question, echo != 0));
            if (answer.text().size() >= size) return -1;
            std::memcpy(buffer, answer.text().c_str(), answer.text().size() + 1);
            return 0;
        } catch (...) {
            me.m_callbackFailure = std::current_exception();
            return -1;
        }
    }

    [[noreturn]] void refuse() const {
        if (m_connection.watchdog().reason()) m_connection.fail("Signing in failed");
        std::vector<std::string> methods;
        if (accepts(SSH_AUTH_METHOD_PUBLICKEY)) methods.emplace_back("a key");
        if (accepts(SSH_AUTH_METHOD_INTERACTIVE)) methods.emplace_back("answers to its questions");
        if (accepts(SSH_AUTH_METHOD_PASSWORD)) methods.emplace_back("a password");
        const std::string tooMany =
            m_connection.connected() ? "" : " and ended the connection (too many tries?)";
        throw SessionError(
            Failure::Authentication,
            m_connection.host() + " did not let " + userName() + " in" + tooMany + ".",
            methods.empty()
                ? "Ask the cluster's administrators how to sign in."
                : "It accepts " + join(methods, ", ") + ". Check the user name and the key file" +
                      (m_endpoint.identityFile.empty() ? "."
                                                       : " (" + m_endpoint.identityFile.string() + ")."));
    }

    std::string userName() const {
        char* user = nullptr;
        if (ssh_options_get(session(), SSH_OPTIONS_USER, &user) != SSH_OK || !user) return "you";
        const std::string name = inertText(user);
        ssh_string_free_char(user);
        return name;
    }

    Connection& m_connection;
    const Endpoint& m_endpoint;
    Prompter& m_prompter;
    ssh_callbacks_struct m_callbacks{};
    std::exception_ptr m_callbackFailure;
    unsigned m_methods = 0;
    bool m_givenKeyTried = false;
};

}  // namespace

void authenticate(Connection& connection, const Endpoint& endpoint, Prompter& prompter) {
    Authenticator(connection, endpoint, prompter).run();
}

}  // namespace dailies::remote::ssh
