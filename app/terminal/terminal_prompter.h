#pragma once

#include "remote/ssh/session.h"

#include <stop_token>

namespace dailies::app {

/// Asks on the controlling terminal (never on standard input or output, which scripts use). Without a
/// terminal an unknown host key is refused and no secret is given. A request to stop ends a question: Ctrl-C
/// is one, and reaches nobody who only waits for an answer.
class TerminalPrompter : public remote::ssh::Prompter {
public:
    explicit TerminalPrompter(std::stop_token stop) : m_stop(std::move(stop)) {}

    Trust trustHostKey(const remote::ssh::HostKey& key) override;
    std::optional<std::string> secret(const std::string& prompt, bool echo) override;

private:
    std::stop_token m_stop;
};

}  // namespace dailies::app
