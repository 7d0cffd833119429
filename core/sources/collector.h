#pragma once

#include "core/sources/source.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace dailies::sources {

/// How much one reading may bring of each kind; what is more is left out, and told.
struct Limits {
    std::size_t keys = 10'000;
    std::size_t params = 10'000;
    std::size_t tags = 1'000;
    std::size_t media = 10'000;
    std::size_t keyBytes = 250;  ///< what MLflow's columns hold
    std::size_t paramBytes = 5'000;
    std::size_t tagBytes = 5'000;  ///< what MLflow's servers take

    /// For files that a person chose to import. A text that no server would take is none of a run's tags
    /// there either.
    static Limits none() {
        constexpr auto kAny = std::numeric_limits<std::size_t>::max();
        return {kAny, kAny, kAny, kAny, kAny, kAny, 5'000};
    }
};

/// Gathers what the records of a file say. Both who follows a file and who imports it whole read records into
/// one of these.
class Collector {
public:
    explicit Collector(const Limits& limits = {}) : m_limits(limits) {}

    void point(const std::string& key, const tracking::MetricPoint& point);
    void param(const std::string& key, std::string value);
    void tag(const std::string& key, std::string value);
    void media(Media media);
    void end(const tracking::SourceEnd& end) { m_findings.end = end; }

    /// The writer goes on from here again: points at or above the step that came before are void.
    void voidFrom(std::int64_t step);
    std::size_t voids() const { return m_voids; }  ///< how often, each of which looks at all points

    /// Something that is not read ("images"), once for each that there is.
    void unread(const std::string& what);
    /// How often since this was asked last.
    std::map<std::string, std::int64_t> takeUnread() { return std::exchange(m_unread, {}); }

    /// What was out of proportion, by what tells one such problem from another; a sentence each.
    const std::map<std::string, std::string>& excesses() const { return m_excesses; }
    static constexpr const char* kLongTexts = "long texts";  ///< one of them, of tags

    std::int64_t points() const { return m_points; }  ///< that were added so far

    Findings& findings() { return m_findings; }
    const Findings& findings() const { return m_findings; }

private:
    bool takesKey(const std::string& key);
    void excess(const char* kind, const std::string& sentence) { m_excesses.emplace(kind, sentence); }

    Limits m_limits;
    Findings m_findings;
    std::map<std::string, std::int64_t> m_unread;
    std::map<std::string, std::string> m_excesses;
    std::int64_t m_points = 0;
    std::size_t m_voids = 0;
};

}  // namespace dailies::sources
