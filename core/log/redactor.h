#pragma once

#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::log {

/// The values of variables whose names say that they hold a secret (HF_TOKEN, WANDB_API_KEY, …).
std::vector<std::string> secretsOfEnvironment();

/// Takes out of a line what looks like a secret, in whatever text it came: private keys, passwords in
/// addresses, webhooks, values named token, password, key and the like, tokens in the shape of those of
/// well-known services, and the values of this process's own secret variables. "***" stands in their place.
///
/// The net below callers that log no secret to begin with, not a leave to do so: a password in the middle of
/// a sentence looks like any word. One may be used by several threads.
class Redactor {
public:
    explicit Redactor(std::vector<std::string> known = secretsOfEnvironment());

    /// Long texts are cut first, as they would be in the log: `kLongest` characters.
    std::string operator()(std::string_view text) const;

    static constexpr std::size_t kLongest = 8 << 10;

private:
    struct Rule {
        std::vector<std::string_view>
            hints;  ///< one of them, in small letters, is in every text that matches
        std::regex pattern;
        const char* replacement;
    };
    std::vector<std::string> m_known;
    std::vector<Rule> m_rules;
};

}  // namespace dailies::log
