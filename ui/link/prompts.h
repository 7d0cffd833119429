#pragma once

#include "remote/ssh/session.h"

#include <QObject>
#include <QString>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

namespace dailies::ui {

/// Carries the questions of a connecting thread to the GUI and the answers back. The asking thread waits; the
/// GUI never does.
class Prompts : public QObject, public remote::ssh::Prompter {
    Q_OBJECT

public:
    using Trust = remote::ssh::Prompter::Trust;

    // -- the connecting thread
    Trust trustHostKey(const remote::ssh::HostKey& key) override;
    std::optional<std::string> secret(const std::string& prompt, bool echo) override;

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
    std::mutex m_mutex;
    std::condition_variable m_answered;
    bool m_waiting = false;
    bool m_closed = false;
    Trust m_trust = Trust::Refuse;
    std::optional<std::string> m_secret;
};

}  // namespace dailies::ui
