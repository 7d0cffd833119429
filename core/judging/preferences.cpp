#include "core/judging/preferences.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/judging/arena_records.h"
#include "core/tracking/run_tags.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace dailies::judging {

namespace {

/// Whose a clip of an arena is.
ClipKey clipOf(const Roster& roster, int contestant, int subject) {
    const auto& entry = roster.contestants[static_cast<std::size_t>(contestant)];
    const auto at = static_cast<std::size_t>(subject);
    return {entry.owners.empty() ? entry.runId : entry.owners[at], entry.paths[at]};
}

/// Answers to a pair, whichever side its clips stood on.
struct Tally {
    PromptSeed subject;
    int forFirst = 0, forSecond = 0;
};

using ClipPair = std::pair<ClipKey, ClipKey>;  // the lesser key first

void addAnswer(std::map<ClipPair, Tally>& tallies, const Roster& roster, const Choice& choice) {
    const auto& [subject, left, right] = choice.match;
    const auto leftClip = clipOf(roster, left, subject), rightClip = clipOf(roster, right, subject);
    if (leftClip == rightClip) return;
    const bool inOrder = leftClip < rightClip;
    auto& tally = tallies[inOrder ? ClipPair{leftClip, rightClip} : ClipPair{rightClip, leftClip}];
    tally.subject = roster.subjects[static_cast<std::size_t>(subject)];
    if (choice.outcome != Outcome::Left && choice.outcome != Outcome::Right) return;
    ++((choice.outcome == Outcome::Left) == inOrder ? tally.forFirst : tally.forSecond);
}

/// Where clips lie: in their run's folder on a cluster, or, of a run without one, on this machine.
class ClipFiles {
public:
    explicit ClipFiles(const tracking::Store& store) : m_store(store) {}

    struct Place {
        std::string cluster, file;
    };

    /// Nothing where the run is gone.
    std::optional<Place> of(const ClipKey& clip) {
        auto& run = m_runs[clip.runId];
        if (!run) run = m_store.run(clip.runId);
        if (!run) return std::nullopt;
        if (const auto folder = tracking::tagOf(*run, tracking::tag::kFolder); !folder.empty())
            return Place{tracking::tagOf(*run, tracking::tag::kCluster), folder + "/" + clip.path};
        if (!m_localFiles.contains(clip.runId))
            for (const auto& record : m_store.clips({clip.runId}))
                m_localFiles[clip.runId][record.path] = record.localPath;
        const auto file = m_localFiles[clip.runId][clip.path];
        return file.empty() ? std::nullopt : std::optional(Place{"", file});
    }

private:
    const tracking::Store& m_store;
    std::map<std::string, std::optional<tracking::Run>> m_runs;
    std::map<std::string, std::map<std::string, std::string>> m_localFiles;  ///< by run and path
};

}  // namespace

Preferences preferencesOf(const tracking::Store& store, const std::vector<std::string>& runIds) {
    const std::set<std::string> wanted(runIds.begin(), runIds.end());
    std::map<ClipPair, Tally> tallies;
    for (const auto& arena : arenasOf(store, runIds)) {
        const auto takesPart = [&](int contestant) {
            return wanted.contains(arena.roster.contestants[static_cast<std::size_t>(contestant)].runId);
        };
        for (const auto& choice : choicesOf(store, arena.id))
            if (takesPart(choice.match.left) || takesPart(choice.match.right))
                addAnswer(tallies, arena.roster, choice);
    }
    Preferences preferences;
    for (const auto& [clips, tally] : tallies) {
        if (tally.forFirst == tally.forSecond) {
            ++preferences.undecided;
            continue;
        }
        const bool first = tally.forFirst > tally.forSecond;
        preferences.pairs.push_back(
            {tally.subject, first ? clips.first : clips.second, first ? clips.second : clips.first,
             std::max(tally.forFirst, tally.forSecond), std::min(tally.forFirst, tally.forSecond)});
    }
    std::ranges::stable_sort(preferences.pairs, {}, [](const Preference& each) {
        return std::tie(each.subject.prompt, each.subject.seed);
    });
    return preferences;
}

std::string preferencesText(const WrittenPreferences& written) {
    auto text = pluralize(written.pairs, "pair of clips", "pairs of clips");
    if (written.undecided > 0)
        text += ", " + std::to_string(written.undecided) + " without a preferred one left out";
    if (written.apart > 0)
        text +=
            ", " + std::to_string(written.apart) + " on different clusters or of runs that are gone left out";
    return text + ".";
}

WrittenPreferences writePreferences(const tracking::Store& store, const std::vector<std::string>& runIds,
                                    const std::filesystem::path& file,
                                    const std::optional<std::string>& onCluster) {
    const auto preferences = preferencesOf(store, runIds);
    WrittenPreferences written{.undecided = preferences.undecided};
    ClipFiles files(store);
    std::string lines;
    for (const auto& [subject, better, worse, votes, against] : preferences.pairs) {
        const auto first = files.of(better), second = files.of(worse);
        if (!first || !second || first->cluster != second->cluster ||
            first->cluster != onCluster.value_or(first->cluster)) {
            ++written.apart;
            continue;
        }
        const Json line = {{"prompt", subject.prompt}, {"seed", subject.seed}, {"better", first->file},
                           {"worse", second->file},    {"votes", votes},       {"against", against},
                           {"cluster", first->cluster}};
        lines += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        ++written.pairs;
    }
    if (written.pairs == 0 && written.apart > 0 && onCluster)
        throw InputError(
            "No two clips that were compared are both on cluster '" + sanitizedText(*onCluster) + "'.",
            "Connect to the cluster on which they lie.");
    if (written.pairs == 0 && written.apart > 0)
        throw InputError("The clips of each pair lie on different clusters, or a run of them is gone.",
                         "Compare runs of one cluster in the blind arena.");
    if (written.pairs == 0)
        throw InputError("In no pair of clips of these runs one is preferred.",
                         "Compare the runs in the blind arena of the Review page.");
    writeFileAtomically(file, lines);
    return written;
}

}  // namespace dailies::judging
