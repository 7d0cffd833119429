#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace dailies::rules {

/// How a user's program names its videos: "samples/{step}/{prompt}_{seed}.mp4". `{step}` and `{seed}` are
/// digits, `{prompt}` is a part of a name. `*` stands for any part of a name, `?` for one character, and
/// `**/` for any folders. It is compared with the end of a path, whole names at a time; the file's ending may
/// be left out.
class ClipPattern {
public:
    /// Throws `InputError`: what is wrong with the pattern.
    explicit ClipPattern(const std::string& pattern);

    struct Match {
        std::optional<std::int64_t> step, seed;
        std::optional<std::string> prompt;
    };
    /// Nothing where the path, with '/' between folders, is not of this pattern.
    std::optional<Match> match(std::string_view path) const;

private:
    std::shared_ptr<const re2::RE2> m_expression;  ///< shared: it cannot be copied
    int m_step = 0, m_seed = 0, m_prompt = 0;      ///< numbers of their groups; 0: it has none
};

}  // namespace dailies::rules
