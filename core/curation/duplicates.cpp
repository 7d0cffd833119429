#include "core/curation/duplicates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

namespace dailies::curation {

namespace {

/// Finds hashes within a distance of one, without looking at all: of four parts of 16 bits, one differs by at
/// most a quarter of the distance, and all values of a part that are so near are looked up.
class HashIndex {
public:
    explicit HashIndex(int distance) : m_distance(distance) {
        const int reach = distance / kParts;
        for (std::uint32_t mask = 0; mask <= 0xffff; ++mask)
            if (std::popcount(mask) <= reach) m_masks.push_back(static_cast<std::uint16_t>(mask));
    }

    void add(std::uint64_t hash, std::size_t clip) {
        for (int part = 0; part < kParts; ++part) m_parts[part][partOf(hash, part)].push_back({hash, clip});
    }

    std::set<std::size_t> clipsNear(std::uint64_t hash) const {
        std::set<std::size_t> clips;
        for (int part = 0; part < kParts; ++part)
            for (const auto mask : m_masks) {
                const auto found = m_parts[part].find(partOf(hash, part) ^ mask);
                if (found == m_parts[part].end()) continue;
                for (const auto& entry : found->second)
                    if (std::popcount(entry.hash ^ hash) <= m_distance) clips.insert(entry.clip);
            }
        return clips;
    }

private:
    static constexpr int kParts = 4;

    struct Entry {
        std::uint64_t hash;
        std::size_t clip;
    };

    static std::uint16_t partOf(std::uint64_t hash, int part) {
        return static_cast<std::uint16_t>(hash >> (16 * part));
    }

    int m_distance;
    std::vector<std::uint16_t> m_masks;
    std::unordered_map<std::uint16_t, std::vector<Entry>> m_parts[kParts];
};

auto rankOf(const ClipRecord& clip) {
    return std::tuple(-static_cast<double>(clip.frames()) * clip.crop.width * clip.crop.height,
                      std::cref(clip.source).get(), clip.firstFrame);
}

}  // namespace

std::vector<std::size_t> byPreference(const std::vector<ClipRecord>& clips) {
    std::vector<std::size_t> order(clips.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return rankOf(clips[i]); });
    return order;
}

void markDuplicates(std::vector<ClipRecord>& clips, const DuplicateRules& rules) {
    const auto rank = [&](std::size_t i) { return rankOf(clips[i]); };
    HashIndex index(rules.max_distance);
    for (const auto number : byPreference(clips)) {
        auto& clip = clips[number];
        clip.duplicateOf.reset();
        if (clip.hashes.empty()) continue;
        std::unordered_map<std::size_t, int> alike;
        std::size_t most = clips.size();
        for (const auto hash : clip.hashes)
            for (const auto other : index.clipsNear(hash)) ++alike[other];
        for (const auto& [other, count] : alike)
            if (count >= rules.min_share * static_cast<double>(clip.hashes.size()) &&
                (most == clips.size() ||
                 std::pair(-count, rank(other)) < std::pair(-alike[most], rank(most))))
                most = other;
        if (most != clips.size()) {
            clip.duplicateOf = clips[most].id;
            continue;
        }
        for (const auto hash : clip.hashes) index.add(hash, number);
    }
}

}  // namespace dailies::curation
