#pragma once

#include "core/judging/arena.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dailies::judging {

/// Two clips of one prompt and seed of which people preferred one without knowing whose they were: what
/// training on preferences reads (DPO: trainer/data/preference_pairs.h).
struct Preference {
    PromptSeed subject;
    ClipKey better, worse;
    int votes = 0;    ///< answers for the better one, of all arenas and authors
    int against = 0;  ///< and for the other; fewer
};

struct Preferences {
    std::vector<Preference> pairs;  ///< by prompt, seed and clips
    int undecided = 0;              ///< pairs that were compared, and neither is preferred
};

/// What the arenas say of pairs in which a run of these took part.
Preferences preferencesOf(const tracking::Store& store, const std::vector<std::string>& runIds);

struct WrittenPreferences {
    int pairs = 0, undecided = 0;
    int apart =
        0;  ///< left out: their clips lie on different clusters or not on that wanted, or a run is gone
};

/// "12 pairs of clips, 3 without a preferred one left out."
std::string preferencesText(const WrittenPreferences& written);

/// Writes them as JSON lines: `prompt`, `seed`, `better` and `worse` (the files where the runs wrote them,
/// on their cluster), `votes`, `against` and `cluster`. `onCluster`: those of its clips alone. Replaces the
/// file. Throws `InputError` where there is none to write.
WrittenPreferences writePreferences(const tracking::Store& store, const std::vector<std::string>& runIds,
                                    const std::filesystem::path& file,
                                    const std::optional<std::string>& onCluster = {});

}  // namespace dailies::judging
