#pragma once

#include "remote/ssh/session.h"
#include "remote/ssh/session_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <pwd.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace dailies::remote::ssh {

/// Answers as it was told to, and remembers what it was asked.
class ScriptedPrompter : public Prompter {
public:
    Trust trustHostKey(const HostKey& key) override {
        asked.push_back(key);
        return trust;
    }
    std::optional<std::string> secret(const std::string& prompt, bool echo) override {
        questions.push_back(prompt);
        echoes.push_back(echo);
        if (answers.empty()) return answer;
        const auto next = answers.front();
        answers.erase(answers.begin());
        return next;
    }

    Trust trust = Trust::Refuse;
    std::optional<std::string> answer;  ///< when `answers` are used up
    std::vector<std::string> answers;
    std::vector<HostKey> asked;
    std::vector<std::string> questions;
    std::vector<bool> echoes;  ///< of the questions: whether the answer may be seen
};

/// Bytes without a pattern that compression or a misplaced piece could hide in.
inline std::string noise(std::size_t size) {
    std::string bytes(size, '\0');
    std::uint64_t state = 88172645463325252ULL;
    for (auto& byte : bytes) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        byte = static_cast<char>(state);
    }
    return bytes;
}

inline std::string ownUser() {
    return ::getpwuid(::getuid())->pw_name;
}

}  // namespace dailies::remote::ssh
