#include "remote/job_script/three_way_merge.h"

#include "core/base/text.h"

#include <algorithm>
#include <optional>

namespace dailies::remote {

namespace {

using Lines = std::vector<std::string>;

/// For each line of `from` its place in `to`, by a longest common subsequence.
std::vector<std::optional<std::size_t>> places(const Lines& from, const Lines& to) {
    std::vector<std::vector<std::size_t>> common(from.size() + 1, std::vector<std::size_t>(to.size() + 1, 0));
    for (std::size_t i = from.size(); i-- > 0;)
        for (std::size_t j = to.size(); j-- > 0;)
            common[i][j] =
                from[i] == to[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    std::vector<std::optional<std::size_t>> found(from.size());
    for (std::size_t i = 0, j = 0; i < from.size() && j < to.size();) {
        if (from[i] == to[j])
            found[i++] = j++;
        else
            common[i + 1][j] >= common[i][j + 1] ? ++i : ++j;
    }
    return found;
}

Lines part(const Lines& lines, std::size_t begin, std::size_t end) {
    return {lines.begin() + static_cast<std::ptrdiff_t>(begin),
            lines.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

std::vector<bool> changedLines(const std::string& base, const std::string& mine) {
    std::vector<bool> changed;
    for (const auto& place : places(split(mine, '\n'), split(base, '\n')))
        changed.push_back(!place.has_value());
    return changed;
}

MergedLines mergeLines(const std::string& base, const std::string& mine, const std::string& theirs) {
    const Lines old = split(base, '\n'), ours = split(mine, '\n'), others = split(theirs, '\n');
    const auto inOurs = places(old, ours), inOthers = places(old, others);
    MergedLines merged;
    Lines result;
    std::size_t atOld = 0, atOurs = 0, atOthers = 0;
    const auto between = [&](std::size_t endOld, std::size_t endOurs, std::size_t endOthers) {
        const Lines was = part(old, atOld, endOld);
        const Lines my = part(ours, atOurs, endOurs), their = part(others, atOthers, endOthers);
        const bool conflicts = my != was && their != was && my != their;
        for (const auto& line : my == was ? their : my) {
            result.push_back(line);
            if (conflicts) merged.conflicts.push_back(result.size());
        }
        if (conflicts && my.empty()) merged.conflicts.push_back(result.size() + 1);
    };
    for (std::size_t i = 0; i < old.size(); ++i) {
        if (!inOurs[i] || !inOthers[i]) continue;
        between(i, *inOurs[i], *inOthers[i]);
        result.push_back(old[i]);
        atOld = i + 1;
        atOurs = *inOurs[i] + 1;
        atOthers = *inOthers[i] + 1;
    }
    between(old.size(), ours.size(), others.size());
    merged.text = join(result, "\n");
    return merged;
}

}  // namespace dailies::remote
