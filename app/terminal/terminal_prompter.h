#pragma once

#include "remote/ssh/session.h"

namespace dailies::app {

/// Asks on the controlling terminal (never on standard input or output, which scripts use). Without one
/// nobody is asked: what would be fails with a remedy.
class TerminalPrompter : public remote::ssh::Prompter {
public:
    bool canAsk() const override;
    Trust trustHostKey(const remote::ssh::HostKey& key) override;
    std::optional<std::string> secret(const std::string& prompt, bool echo) override;
};

}  // namespace dailies::app
