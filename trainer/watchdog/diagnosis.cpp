#include "trainer/watchdog/diagnosis.h"

#include "core/base/text.h"

#include <algorithm>

namespace dailies::trainer {

namespace {

constexpr std::size_t kNamed = 8;

std::string named(const Heartbeat& beat) {
    return "rank " + std::to_string(beat.rank) + " on " + sanitizedText(beat.node);
}

std::string list(std::vector<std::string> names) {
    const auto count = names.size();
    if (count > kNamed) {
        names.resize(kNamed);
        names.push_back("and " + std::to_string(count - kNamed) + " more");
    }
    return join(names, ", ");
}

std::string where(const Heartbeat& beat) {
    return beat.activity == "step" ? "step " + std::to_string(beat.step) : "the " + beat.activity;
}

std::string collectiveOf(const Heartbeat& beat) {
    return "collective #" + std::to_string(beat.collectives) + " (" + beat.collective + ")";
}

std::string capitalised(std::string text) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

/// Those of the ranks that make the same calls as one of them.
std::vector<Heartbeat> likeOf(const Heartbeat& one, const std::vector<Heartbeat>& living, std::size_t alike) {
    std::vector<Heartbeat> found;
    const auto runOf = [alike](const Heartbeat& beat) { return static_cast<std::size_t>(beat.rank) / alike; };
    for (const auto& beat : living)
        if (runOf(beat) == runOf(one)) found.push_back(beat);
    return found;
}

/// Most of the living wait in it.
std::string whatTheOthersDo(const std::vector<Heartbeat>& living) {
    const auto furthest = std::ranges::max_element(living, {}, &Heartbeat::collectives);
    if (furthest == living.end() || furthest->collective.empty()) return "";
    return " The others wait for it in " + collectiveOf(*furthest) + " of " + where(*furthest) + ".";
}

struct Found {
    explicit Found(const std::vector<HeartbeatPair>& ranks) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            const auto& [before, after] = ranks[rank];
            if (!after)
                never.push_back("rank " + std::to_string(rank));
            else if (before && before->beat == after->beat)
                stopped.push_back(*after);
            else
                living.push_back(*after);
        }
    }
    std::vector<Heartbeat> living, stopped;
    std::vector<std::string> never;
};

}  // namespace

std::optional<std::string> findStoppedRanks(const std::vector<HeartbeatPair>& ranks) {
    const Found found(ranks);
    if (found.stopped.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const auto& beat : found.stopped)
        names.push_back(named(beat) + ", last heard of in " + where(beat) + ",");
    return capitalised(list(names)) +
           (names.size() == 1
                ? " no longer runs: its process was stopped or killed, or its node is gone."
                : " no longer run: their processes were stopped or killed, or their nodes are gone.") +
           whatTheOthersDo(found.living);
}

std::string findExitedRanks(const std::vector<HeartbeatPair>& ranks) {
    std::vector<std::string> names;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        if (!ranks[rank].after) names.push_back("rank " + std::to_string(rank));
    return list(std::move(names));
}

std::optional<std::string> diagnose(const std::vector<HeartbeatPair>& ranks, std::size_t alike) {
    if (auto stopped = findStoppedRanks(ranks)) return stopped;
    const Found found(ranks);
    const auto& living = found.living;
    const auto& never = found.never;
    if (!never.empty())
        return capitalised(list(never)) + " never began, or ended without a word." + whatTheOthersDo(living);
    if (living.empty()) return std::nullopt;

    // who computes, reads or writes holds up those who wait in a collective
    std::vector<std::string> busy;
    std::optional<Heartbeat> first;
    bool overdue = false;
    for (const auto& beat : living) {
        if (!beat.collective.empty()) continue;
        overdue = overdue || (beat.limit > 0 && beat.seconds > beat.limit);
        busy.push_back(named(beat) + ", for " + durationText(static_cast<std::int64_t>(1000 * beat.seconds)) +
                       " in " + where(beat));
        if (!first) first = beat;
    }
    if (!busy.empty() && !overdue) return std::nullopt;
    if (!busy.empty() && ranks.size() == 1) return capitalised(busy.front()) + ", does not go on.";
    if (!busy.empty()) {
        const auto like = likeOf(*first, living, alike);
        const auto behind = *std::ranges::min_element(like, {}, &Heartbeat::collectives);
        return capitalised(list(busy)) + ", does not come to collective #" +
               std::to_string(behind.collectives + 1) + "." +
               (living.size() > busy.size() ? whatTheOthersDo(living) : "");
    }

    for (const auto& one : living) {
        const auto like = likeOf(one, living, alike);
        const auto behind = *std::ranges::min_element(like, {}, &Heartbeat::collectives);
        const auto ahead = *std::ranges::max_element(like, {}, &Heartbeat::collectives);
        if (behind.collectives == ahead.collectives) continue;
        std::vector<std::string> late;
        for (const auto& beat : like)
            if (beat.collectives == behind.collectives) late.push_back(named(beat));
        return capitalised(list(late)) + " waits in " + collectiveOf(behind) + " of " + where(behind) +
               ", which others have left: the ranks no longer make the same calls." + whatTheOthersDo(like);
    }
    const auto& one = living.front();
    if (living.size() > alike)
        return "All " + std::to_string(living.size()) + " ranks are in collectives, rank " +
               std::to_string(one.rank) + " in " + collectiveOf(one) + " of " + where(one) +
               ", and they do not end: the network between them, or a GPU, no longer answers.";
    return (living.size() == 1 ? "The rank is" : "All " + std::to_string(living.size()) + " ranks are") +
           " in " + collectiveOf(one) + " of " + where(one) +
           ", and it does not end: the network between them, or a GPU, no longer answers.";
}

}  // namespace dailies::trainer
