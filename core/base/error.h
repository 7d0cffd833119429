#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace dailies {

/// What every part below `ui` throws when something fails that a person can act on.
///
/// `what()` says what happened and where ("partition 'gpuu' does not exist on cluster 'sandbox'"); `remedy()`
/// says what would be accepted or what to do next ("choose one of: main, debug"). Both are shown to people as
/// they are, so they are whole sentences without a stack, and never hold a secret.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& what, std::string remedy = {})
        : std::runtime_error(what), m_remedy(std::move(remedy)) {}

    const std::string& remedy() const noexcept { return m_remedy; }

    /// "what. remedy" for a log line or a terminal.
    std::string full() const { return m_remedy.empty() ? what() : std::string(what()) + " " + m_remedy; }

private:
    std::string m_remedy;
};

/// Input that a person gave was wrong (bad flag, bad YAML, unknown config key): the command line exits
/// with 2.
class InputError : public Error {
public:
    using Error::Error;
};

/// The caller's `std::stop_token` asked to stop. Not a failure; nobody is shown a message.
class Cancelled : public std::exception {
public:
    const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace dailies
