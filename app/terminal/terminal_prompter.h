#pragma once

#include "remote/ssh/session.h"

namespace dailies::app {

/// Asks on the controlling terminal (never on standard input or output, which scripts use). Without a
/// terminal an unknown host key is refused and no secret is given.
class TerminalPrompter : public remote::ssh::Prompter {
public:
    Trust trustHostKey(const remote::ssh::HostKey& key) override;
    std::optional<std::string> secret(const std::string& prompt, bool echo) override;
};

}  // namespace dailies::app
