#include "ui/link/prompts.h"

#include "core/base/text.h"

#include <algorithm>
#include <utility>

namespace dailies::ui {

namespace {

QString shown(const std::string& remoteText) {
    return QString::fromStdString(sanitizedText(remoteText));
}

}  // namespace

Prompts::Trust Prompts::trustHostKey(Asker asker, const remote::ssh::HostKey& key) {
    Question question{
        asker, [this, &key] { emit hostKeyAsked(shown(key.host), shown(key.type), shown(key.fingerprint)); }};
    ask(question);
    return question.trust;
}

std::optional<std::string> Prompts::secret(Asker asker, const std::string& prompt, bool echo) {
    Question question{asker, [this, &prompt, echo] { emit secretAsked(shown(prompt), echo); }};
    ask(question);
    return std::move(question.secret);
}

void Prompts::ask(Question& question) {
    std::unique_lock lock(m_mutex);
    if (m_closed) return;
    m_questions.push_back(&question);
    if (m_questions.front() == &question) question.show();
    m_answered.wait(lock, [&] { return question.answered; });
    const bool wasShown = m_questions.front() == &question;
    m_questions.remove(&question);
    if (wasShown && !m_questions.empty()) m_questions.front()->show();
}

/// The first that has no answer yet: the thread of one that has may not have taken it away.
void Prompts::answer(const std::function<void(Question&)>& fill) {
    const std::lock_guard lock(m_mutex);
    const auto open = std::ranges::find_if(m_questions, [](const Question* one) { return !one->answered; });
    if (open == m_questions.end()) return;
    fill(**open);
    (*open)->answered = true;
    m_answered.notify_all();
}

void Prompts::answerHostKey(Trust trust) {
    answer([&](Question& question) { question.trust = trust; });
}

void Prompts::answerSecret(std::optional<std::string> secret) {
    answer([&](Question& question) { question.secret = std::move(secret); });
}

void Prompts::refuse() {
    answer([](Question&) {});
}

void Prompts::refuseOf(Asker asker) {
    const std::lock_guard lock(m_mutex);
    for (auto* question : m_questions)
        if (question->asker == asker) question->answered = true;
    m_answered.notify_all();
}

void Prompts::close() {
    const std::lock_guard lock(m_mutex);
    m_closed = true;
    for (auto* question : m_questions) question->answered = true;
    m_answered.notify_all();
}

}  // namespace dailies::ui
