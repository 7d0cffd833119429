#include "core/log/redactor.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <unistd.h>

namespace dailies::log {

namespace {

constexpr std::string_view kHidden = "***";
/// Shorter values ("1", "true") are no secrets, and taking them out would make the log unreadable.
constexpr std::size_t kShortestSecret = 6;

bool namesSecret(const std::string& variable) {
    const auto name = lowered(variable);
    for (const auto* end : {"_path", "_file", "_dir", "_home", "_sock"})
        if (name.ends_with(end)) return false;
    return std::ranges::any_of(
        std::initializer_list<const char*>{"token", "secret", "passw", "passphrase", "api_key", "apikey",
                                           "access_key", "private_key", "credential", "webhook"},
        [&](const char* word) { return name.find(word) != std::string::npos; });
}

void hideAll(std::string& text, const std::string& secret) {
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + kHidden.size()))
        text.replace(at, secret.size(), kHidden);
}

/// From the first line of a private key to its last, or to the end of the text; also where the text begins
/// within one, and without its lines where only what is between them is there.
void hidePrivateKeys(std::string& text) {
    constexpr std::string_view kEnd = "PRIVATE KEY-----";
    for (auto at = text.find("-----BEGIN "); at != std::string::npos; at = text.find("-----BEGIN ", at + 1)) {
        const auto head = text.find(kEnd, at);
        if (head == std::string::npos || head - at > 40) continue;
        const auto foot = text.find(kEnd, head + kEnd.size());
        text.replace(at, foot == std::string::npos ? foot : foot + kEnd.size() - at, kHidden);
    }
    constexpr std::string_view kOpenSsh = "b3BlbnNzaC1rZXktdjE";  // "openssh-key-v1" in base64
    if (const auto at = text.find(kOpenSsh); at != std::string::npos)
        text.replace(at, std::string::npos, kHidden);
}

}  // namespace

std::vector<std::string> secretsOfEnvironment() {
    std::vector<std::string> found;
    for (char** variable = environ; variable && *variable; ++variable) {
        const std::string_view text = *variable;
        const auto equals = text.find('=');
        if (equals == std::string_view::npos || text.size() - equals - 1 < kShortestSecret) continue;
        if (namesSecret(std::string(text.substr(0, equals)))) found.emplace_back(text.substr(equals + 1));
    }
    return found;
}

Redactor::Redactor(std::vector<std::string> known) : m_known(std::move(known)) {
    std::erase_if(m_known, [](const std::string& secret) { return secret.size() < kShortestSecret; });
    // A longer one may begin with a shorter one.
    std::ranges::sort(m_known, std::ranges::greater{}, &std::string::size);
    const auto add = [this](std::vector<std::string_view> hints, const char* pattern,
                            const char* replacement) {
        m_rules.push_back(
            {std::move(hints),
             std::regex(pattern, std::regex::ECMAScript | std::regex::icase | std::regex::optimize),
             replacement});
    };
    add({"://"}, R"((://)[^/\s"']*@)", "$1***@");
    // Whoever knows a webhook's address may post to it: Slack, Discord, Teams, Mattermost, Telegram and kin.
    add({"hook", "/services/", "/workflows/", "/triggers/", "/bot"},
        R"re((://[^\s"']*?/(?:services|workflows|triggers|hooks|webhook[a-z0-9]*|bot[0-9]+)[/:])[^\s"']+)re",
        "$1***");
    add({"authorization", "bearer "},
        R"re((authorization["']?\s*[:=]\s*["']?(?:bearer |basic |token )?|bearer )[^\s"']+)re", "$1***");
    const std::vector<std::string_view> names{"token", "secret",     "passwd",    "password", "passphrase",
                                              "key",   "credential", "signature", "sig="};
    add(names,
        R"re(((?:token|secret|passwd|password|passphrase|(?:api|secret|access|private)[_-]?key(?:[_-]?id)?|credentials?|signature|[?&]sig|[?&]key)["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s&;,"']+))re",
        "$1***");
    add(names,
        R"re((--[a-z0-9-]*(?:token|secret|passwd|password|passphrase|key)\s+)("[^"]*"|'[^']*'|[^\s"']+))re",
        "$1***");
    add({"hf_", "gh", "glpat-", "xox", "akia", "sk-", "wandb_v1", "eyj", "npm_"},
        R"(\b(?:hf_[a-z0-9]{16,}|gh[pousr]_[a-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|akia[a-z0-9]{16}|sk-[\w-]{20,}|wandb_v1_\w{16,}|npm_[a-z0-9]{20,}|eyj[\w-]{10,}\.[\w-]{10,}\.[\w-]+))",
        "***");
}

std::string Redactor::operator()(std::string_view whole) const {
    std::string text(whole.substr(0, kLongest));
    for (const auto& secret : m_known) hideAll(text, secret);
    hidePrivateKeys(text);
    const auto small = lowered(text);
    for (const auto& rule : m_rules) {
        const bool possible = std::ranges::any_of(
            rule.hints, [&](std::string_view hint) { return small.find(hint) != std::string::npos; });
        if (possible) text = std::regex_replace(text, rule.pattern, rule.replacement);
    }
    return text;
}

}  // namespace dailies::log
