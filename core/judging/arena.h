#pragma once

#include "core/judging/bradley_terry.h"
#include "core/judging/clip_key.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dailies::judging {

/// What two clips have in common that are compared: both were made from it.
struct PromptSeed {
    std::string prompt;
    std::int64_t seed = 0;
    bool operator==(const PromptSeed&) const = default;
};

/// A run as it was at one step, by the clips that it made then.
struct Contestant {
    std::string runId;
    std::int64_t step = 0;
    std::vector<std::string> paths;  ///< of its clip of each subject; "" where it has none
    /// Whose clips these are, where a resample with the run's own settings made some; empty: all are its own.
    std::vector<std::string> owners = {};
    bool operator==(const Contestant&) const = default;
};

/// Who takes part in an arena, and with which clips. Never changes: clips that arrive later are not in it.
struct Roster {
    std::vector<PromptSeed> subjects;
    std::vector<Contestant> contestants;
    bool operator==(const Roster&) const = default;
};

/// Two clips of one subject, beside each other. Indices of the roster.
struct Match {
    int subject = 0, left = 0, right = 0;
    bool operator==(const Match&) const = default;
};

enum class Outcome { Left, Right, Tie, BothBad };

/// What somebody answered to a match. Both bad counts as a tie: it says nothing of which is better.
struct Choice {
    Match match;
    Outcome outcome = Outcome::Tie;
    std::string author = {};
    std::int64_t timeMs = 0;
    std::int64_t id = 0;  ///< in the store; 0 before
};

/// A blind tournament: which match comes next, and what the answers come to so far.
///
/// Each pair of clips is asked about once, since asking the same person again would count one opinion twice.
/// Among those who may still be the best, the pair comes next whose answer is expected to tell the most of
/// the difference of its strengths, ½·ln(1 + information · variance) (Lindley 1956; Chaloner and Verdinelli,
/// Statistical Science 10, 1995, section 2.2); among equals, and for the subject and the sides, a die that
/// depends on nothing but the arena's seed and the number of answers, so that closing and opening again asks
/// the same.
class Arena {
public:
    /// Throws `InputError` when no two contestants have a clip of the same subject.
    Arena(Roster roster, std::uint64_t seed, std::vector<Choice> choices = {});

    const Roster& roster() const { return m_roster; }
    const std::vector<Choice>& choices() const { return m_choices; }
    const Strengths& strengths() const { return m_strengths; }

    /// What to ask next; nullopt when it is decided or every pair was asked about.
    const std::optional<Match>& next() const { return m_next; }

    /// Those whom the best does not beat beyond doubt, itself included: 95 % intervals of differences.
    const std::vector<int>& contenders() const { return m_contenders; }
    /// The best is separated from all others.
    bool isDecided() const { return m_contenders.size() <= 1; }

    int possibleMatches() const { return m_possibleMatches; }
    /// How many matches may still be asked about, at most: those that the answers to come make needless are
    /// among them.
    int matchesLeft() const;

    ClipKey clip(int contestant, int subject) const;

    void answer(const Choice& choice);
    std::optional<Choice> undoLast();  ///< the newest one; nullopt when there is none

private:
    bool canMeet(int first, int second, int subject) const;
    bool mayBeBest(int contestant) const;
    void update();
    std::optional<Match> choose() const;
    std::vector<int> openSubjects(int first, int second) const;

    Roster m_roster;
    std::uint64_t m_seed;
    std::vector<Choice> m_choices;
    int m_possibleMatches = 0;
    Strengths m_strengths;
    std::vector<int> m_contenders;
    std::optional<Match> m_next;
};

/// Each run at its newest step up to `step` of which clips have arrived, with the clips of that step, in the
/// order of `runs`; runs without any are left out. A run that samples another one's checkpoint with the
/// settings that this or a third one has already would meet itself: its clips are that one's, where that has
/// none.
Roster rosterAt(const std::vector<tracking::Run>& runs, const std::vector<tracking::ClipRecord>& clips,
                std::int64_t step);

}  // namespace dailies::judging
