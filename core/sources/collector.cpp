#include "core/sources/collector.h"

#include "core/base/counts.h"
#include "core/base/text.h"

#include <algorithm>
#include <utility>

namespace dailies::sources {

namespace {

std::string text(std::size_t number) {
    return grouped(static_cast<long long>(number));
}

}  // namespace

bool Collector::takesKey(const std::string& key) {
    if (!key.empty() && key.size() <= m_limits.keyBytes) return true;
    excess("long names",
           "a name that is empty or longer than " + text(m_limits.keyBytes) + " bytes is not read.");
    return false;
}

void Collector::point(const std::string& key, const tracking::MetricPoint& point) {
    auto at = m_findings.metrics.find(key);
    if (at == m_findings.metrics.end()) {
        if (!takesKey(key)) return;
        if (m_findings.metrics.size() >= m_limits.keys)
            return excess("many metrics", "it has more than " + text(m_limits.keys) +
                                              " metrics; the rest of them is not read.");
        at = m_findings.metrics.try_emplace(key).first;
    }
    at->second.push_back(point);
    ++m_points;
}

void Collector::param(const std::string& key, std::string value) {
    if (!takesKey(key)) return;
    auto& params = m_findings.params;
    if (params.size() >= m_limits.params && !params.contains(key))
        return excess("many params",
                      "it has more than " + text(m_limits.params) + " params; the rest of them is not read.");
    if (value.size() > m_limits.paramBytes) {
        value.resize(m_limits.paramBytes);
        excess("long params", "a param longer than " + text(m_limits.paramBytes) + " bytes is cut there.");
    }
    params[key] = std::move(value);
}

void Collector::tag(const std::string& key, std::string value) {
    if (!takesKey(key)) return;
    auto& tags = m_findings.tags;
    if (value.size() > m_limits.tagBytes)
        return excess(kLongTexts, "texts longer than " + text(m_limits.tagBytes) + " bytes are not read.");
    if (tags.size() >= m_limits.tags && !tags.contains(key))
        return excess("many texts",
                      "it has more than " + text(m_limits.tags) + " texts; the rest of them is not read.");
    tags[key] = std::move(value);
}

void Collector::media(Media media) {
    const auto longest = std::max({media.path.size(), media.key.size(), media.type.size()});
    if (media.path.empty() || longest > m_limits.paramBytes) return;
    if (m_findings.media.size() >= m_limits.media)
        return excess("many media",
                      "more than " + text(m_limits.media) + " videos and pictures at once are not read.");
    if (media.caption.size() > m_limits.paramBytes) media.caption.resize(m_limits.paramBytes);
    m_findings.media.push_back(std::move(media));
}

void Collector::unread(const std::string& what) {
    constexpr std::size_t kMostKinds = 100, kLongest = 80;  // a file can call what it holds as it likes
    const std::string name = sanitizedText(what.substr(0, kLongest));
    if (m_unread.size() < kMostKinds || m_unread.contains(name)) ++m_unread[name];
}

void Collector::voidFrom(std::int64_t step) {
    ++m_voids;
    m_findings.voidFrom = std::min(step, m_findings.voidFrom.value_or(step));
    for (auto& [key, points] : m_findings.metrics)
        std::erase_if(points, [&](const tracking::MetricPoint& point) { return point.step >= step; });
    std::erase_if(m_findings.metrics, [](const auto& entry) { return entry.second.empty(); });
    std::erase_if(m_findings.media, [&](const Media& media) { return media.step >= step; });
}

}  // namespace dailies::sources
