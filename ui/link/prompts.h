#pragma once

#include "remote/ssh/session.h"

#include <QObject>
#include <QString>

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>

namespace dailies::ui {

/// Carries the questions of connecting threads to the GUI and the answers back. The asking thread waits; the
/// GUI never does. Where several ask, a person sees one question after the other.
class Prompts : public QObject, public remote::ssh::Prompter {
    Q_OBJECT

public:
    using Trust = remote::ssh::Prompter::Trust;

    // -- a connecting thread
    Trust trustHostKey(const remote::ssh::HostKey& key) override { return trustHostKey(nullptr, key); }
    std::optional<std::string> secret(const std::string& prompt, bool echo) override {
        return secret(nullptr, prompt, echo);
    }

    // -- the GUI thread
    void answerHostKey(Trust trust);
    /// nullopt: the person gave up.
    void answerSecret(std::optional<std::string> secret);
    /// Answers the open question with a refusal.
    void refuse();
    /// Refuses this and every later question: the program is closing.
    void close();

signals:
    void hostKeyAsked(const QString& host, const QString& type, const QString& fingerprint);
    void secretAsked(const QString& prompt, bool echo);

private:
    friend class ConnectionPrompter;
    using Asker = const remote::ssh::Prompter*;

    struct Question {
        Asker asker;
        std::function<void()> show;
        Trust trust = Trust::Refuse;
        std::optional<std::string> secret = {};
        bool answered = false;
    };

    Trust trustHostKey(Asker asker, const remote::ssh::HostKey& key);
    std::optional<std::string> secret(Asker asker, const std::string& prompt, bool echo);
    void ask(Question& question);
    void answer(const std::function<void(Question&)>& fill);
    void refuseOf(Asker asker);

    std::mutex m_mutex;
    std::condition_variable m_answered;
    std::list<Question*> m_questions;  ///< the first is shown; they live on the asking threads
    bool m_closed = false;
};

/// One connection's questions among those of all, so that giving up one connection refuses no other's.
class ConnectionPrompter : public remote::ssh::Prompter {
public:
    explicit ConnectionPrompter(Prompts& prompts) : m_prompts(prompts) {}

    Prompts::Trust trustHostKey(const remote::ssh::HostKey& key) override {
        return m_prompts.trustHostKey(this, key);
    }
    std::optional<std::string> secret(const std::string& prompt, bool echo) override {
        return m_prompts.secret(this, prompt, echo);
    }

    void refuse() { m_prompts.refuseOf(this); }  ///< from any thread: the question that it asks now

private:
    Prompts& m_prompts;
};

}  // namespace dailies::ui
