#include "core/judging/arena.h"

#include "core/base/error.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/sampled_run.h"
#include "core/tracking/sampling_settings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace dailies::judging {

namespace {

/// The same numbers on every machine (SplitMix64; Steele, Lea and Flood 2014).
class Die {
public:
    Die(std::uint64_t seed, std::size_t round) : m_state(seed + 0x9e3779b97f4a7c15u * (round + 1)) {}

    std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }

private:
    std::uint64_t next() {
        std::uint64_t z = (m_state += 0x9e3779b97f4a7c15u);
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }

    std::uint64_t m_state;
};

/// The run whose checkpoint a run samples: another's, or its own.
std::string sourceOf(const tracking::Run& run) {
    const std::string source = tracking::tagOf(run, tracking::tag::kSampledRun);
    return source.empty() ? run.id : source;
}

Comparison comparisonOf(const Choice& choice) {
    return {choice.match.left, choice.match.right,
            choice.outcome == Outcome::Left    ? Winner::First
            : choice.outcome == Outcome::Right ? Winner::Second
                                               : Winner::Neither};
}

}  // namespace

Arena::Arena(Roster roster, std::uint64_t seed, std::vector<Choice> choices)
    : m_roster(std::move(roster)), m_seed(seed), m_choices(std::move(choices)) {
    const int contestants = static_cast<int>(m_roster.contestants.size());
    const int subjects = static_cast<int>(m_roster.subjects.size());
    for (int first = 0; first < contestants; ++first)
        for (int second = first + 1; second < contestants; ++second)
            for (int subject = 0; subject < subjects; ++subject)
                m_possibleMatches += canMeet(first, second, subject);
    if (m_possibleMatches == 0)
        throw InputError(
            "There are no two clips of the same prompt and seed to compare.",
            "Choose at least two runs that have sampled clips, and wait until these have arrived.");
    update();
}

ClipKey Arena::clip(int contestant, int subject) const {
    const Contestant& run = m_roster.contestants[static_cast<std::size_t>(contestant)];
    const auto place = static_cast<std::size_t>(subject);
    return {run.owners.empty() ? run.runId : run.owners[place], run.paths[place]};
}

bool Arena::canMeet(int first, int second, int subject) const {
    return !clip(first, subject).path.empty() && !clip(second, subject).path.empty();
}

void Arena::answer(const Choice& choice) {
    m_choices.push_back(choice);
    update();
}

std::optional<Choice> Arena::undoLast() {
    if (m_choices.empty()) return std::nullopt;
    Choice last = std::move(m_choices.back());
    m_choices.pop_back();
    update();
    return last;
}

void Arena::update() {
    std::vector<Comparison> comparisons;
    for (const Choice& choice : m_choices) comparisons.push_back(comparisonOf(choice));
    const int contestants = static_cast<int>(m_roster.contestants.size());
    m_strengths = fitStrengths(contestants, comparisons);

    const int best = m_strengths.ranking().front();
    m_contenders = {best};
    for (int other = 0; other < contestants; ++other) {
        if (other == best) continue;
        const double lead = m_strengths.strength[static_cast<std::size_t>(best)] -
                            m_strengths.strength[static_cast<std::size_t>(other)];
        if (lead <= kZ95 * m_strengths.standardErrorOfDifference(best, other)) m_contenders.push_back(other);
    }
    m_next = isDecided() ? std::nullopt : choose();
}

std::vector<int> Arena::openSubjects(int first, int second) const {
    std::vector<int> open;
    for (int subject = 0; subject < static_cast<int>(m_roster.subjects.size()); ++subject) {
        const bool asked = std::any_of(m_choices.begin(), m_choices.end(), [&](const Choice& choice) {
            const Match& match = choice.match;
            return match.subject == subject &&
                   std::minmax(match.left, match.right) == std::minmax(first, second);
        });
        if (!asked && canMeet(first, second, subject)) open.push_back(subject);
    }
    return open;
}

int Arena::matchesLeft() const {
    if (!m_next) return 0;
    int left = 0;
    const int contestants = static_cast<int>(m_roster.contestants.size());
    for (int first = 0; first < contestants; ++first)
        for (int second = first + 1; second < contestants; ++second)
            if (mayBeBest(first) || mayBeBest(second))
                left += static_cast<int>(openSubjects(first, second).size());
    return left;
}

bool Arena::mayBeBest(int contestant) const {
    return std::find(m_contenders.begin(), m_contenders.end(), contestant) != m_contenders.end();
}

std::optional<Match> Arena::choose() const {
    struct Candidate {
        int first, second;
        std::vector<int> subjects;
    };
    const int contestants = static_cast<int>(m_roster.contestants.size());
    std::vector<Candidate> best;
    std::pair<int, double> bestWorth{0, 0};
    for (int first = 0; first < contestants; ++first) {
        for (int second = first + 1; second < contestants; ++second) {
            // a match with one who is out tells something of the one who is not, but less
            const int inReach = mayBeBest(first) + mayBeBest(second);
            if (inReach == 0) continue;
            const double error = m_strengths.standardErrorOfDifference(first, second);
            const double gain = 0.5 * std::log1p(m_strengths.information(first, second) * error * error);
            const bool better = inReach > bestWorth.first ||
                                (inReach == bestWorth.first && gain > bestWorth.second * (1 + 1e-9));
            const bool equal = inReach == bestWorth.first && gain >= bestWorth.second * (1 - 1e-9);
            if (!better && !equal) continue;
            auto subjects = openSubjects(first, second);
            if (subjects.empty()) continue;
            if (better) {
                best.clear();
                bestWorth = {inReach, gain};
            }
            best.push_back({first, second, std::move(subjects)});
        }
    }
    if (best.empty()) return std::nullopt;

    Die die(m_seed, m_choices.size());
    const Candidate& chosen = best[die.below(best.size())];
    Match match{chosen.subjects[die.below(chosen.subjects.size())], chosen.first, chosen.second};
    if (die.below(2) == 1) std::swap(match.left, match.right);
    return match;
}

Roster rosterAt(const std::vector<tracking::Run>& runs, const std::vector<tracking::ClipRecord>& clips,
                std::int64_t step) {
    using Made = std::pair<std::string, std::int64_t>;                          // prompt and seed
    std::map<std::string, std::map<Made, const tracking::ClipRecord*>> newest;  // by run
    std::map<std::string, std::int64_t> steps;                                  // that each run is at
    const auto takesPart = [&](const tracking::ClipRecord& clip) {
        return clip.step <= step && !clip.localPath.empty();
    };
    for (const auto& clip : clips)
        if (takesPart(clip)) {
            auto& last = steps.try_emplace(clip.runId, clip.step).first->second;
            last = std::max(last, clip.step);
        }
    Roster roster;
    for (const auto& clip : clips) {
        if (!takesPart(clip) || clip.step != steps.at(clip.runId)) continue;
        newest[clip.runId][{clip.prompt, clip.seed}] = &clip;
        const PromptSeed subject{clip.prompt, clip.seed};
        if (std::find(roster.subjects.begin(), roster.subjects.end(), subject) == roster.subjects.end())
            roster.subjects.push_back(subject);
    }
    // Runs that train come first: a resample is one of theirs, and not they one of its.
    std::vector<const tracking::Run*> entrants;
    for (const tracking::Run& run : runs) entrants.push_back(&run);
    std::ranges::stable_partition(entrants,
                                  [](const tracking::Run* run) { return sourceOf(*run) == run->id; });
    std::map<std::pair<std::string, tracking::SamplingSettings>, std::size_t> known;  // place in the roster
    for (const tracking::Run* run : entrants) {
        const auto made = newest.find(run->id);
        if (made == newest.end()) continue;
        const std::int64_t at = steps.at(run->id);
        const auto [same, isNew] =
            known.try_emplace({sourceOf(*run), tracking::samplingOf(*run, at)}, roster.contestants.size());
        if (isNew)
            roster.contestants.push_back({run->id, at, std::vector<std::string>(roster.subjects.size())});
        Contestant& contestant = roster.contestants[same->second];
        for (std::size_t i = 0; i < roster.subjects.size(); ++i) {
            const auto clip = made->second.find({roster.subjects[i].prompt, roster.subjects[i].seed});
            if (clip == made->second.end() || !contestant.paths[i].empty()) continue;
            contestant.paths[i] = clip->second->path;
            if (isNew) continue;
            if (contestant.owners.empty())
                contestant.owners.assign(contestant.paths.size(), contestant.runId);
            contestant.owners[i] = run->id;
        }
    }
    std::ranges::stable_sort(roster.contestants, {}, [&](const Contestant& contestant) {
        return std::ranges::find(runs, contestant.runId, &tracking::Run::id) - runs.begin();
    });
    return roster;
}

}  // namespace dailies::judging
