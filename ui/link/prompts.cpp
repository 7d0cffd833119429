#include "ui/link/prompts.h"

#include "core/base/text.h"

#include <utility>

namespace dailies::ui {

namespace {

QString shown(const std::string& remoteText) {
    return QString::fromStdString(sanitizedText(remoteText));
}

}  // namespace

Prompts::Trust Prompts::trustHostKey(const remote::ssh::HostKey& key) {
    std::unique_lock lock(m_mutex);
    if (m_closed) {
        return Trust::Refuse;
    }
    m_waiting = true;
    m_trust = Trust::Refuse;
    emit hostKeyAsked(shown(key.host), shown(key.type), shown(key.fingerprint));
    m_answered.wait(lock, [this] { return !m_waiting; });
    return m_trust;
}

std::optional<std::string> Prompts::secret(const std::string& prompt, bool echo) {
    std::unique_lock lock(m_mutex);
    if (m_closed) {
        return std::nullopt;
    }
    m_waiting = true;
    m_secret.reset();
    emit secretAsked(shown(prompt), echo);
    m_answered.wait(lock, [this] { return !m_waiting; });
    return std::exchange(m_secret, std::nullopt);
}

void Prompts::answerHostKey(Trust trust) {
    const std::lock_guard lock(m_mutex);
    m_trust = trust;
    m_waiting = false;
    m_answered.notify_all();
}

void Prompts::answerSecret(std::optional<std::string> secret) {
    const std::lock_guard lock(m_mutex);
    m_secret = std::move(secret);
    m_waiting = false;
    m_answered.notify_all();
}

void Prompts::refuse() {
    const std::lock_guard lock(m_mutex);
    m_trust = Trust::Refuse;
    m_secret.reset();
    m_waiting = false;
    m_answered.notify_all();
}

void Prompts::close() {
    {
        const std::lock_guard lock(m_mutex);
        m_closed = true;
    }
    refuse();
}

}  // namespace dailies::ui
