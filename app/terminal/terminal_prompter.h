#pragma once

#include "remote/ssh/session.h"

#include <stop_token>

namespace dailies::app {

/// Asks on the controlling terminal (never on standard input or output, which scripts use). Without one
/// nobody is asked: what would be fails with a remedy. A request to stop ends a question: Ctrl-C is one, and
/// reaches nobody who only waits for an answer.
class TerminalPrompter : public remote::ssh::Prompter {
public:
    explicit TerminalPrompter(std::stop_token stop) : m_stop(std::move(stop)) {}

    bool canAsk() const override;
    Trust trustHostKey(const remote::ssh::HostKey& key) override;
    std::optional<std::string> secret(const std::string& prompt, bool echo) override;

private:
    std::stop_token m_stop;
};

}  // namespace dailies::app
