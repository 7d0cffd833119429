#include "trainer/watchdog/stragglers.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstdio>

namespace dailies::trainer {

Stragglers::Stragglers(std::int64_t ranks, double factor)
    : m_factor(factor),
      m_sums(static_cast<std::size_t>(ranks)),
      m_slowWindows(m_sums.size()),
      m_said(m_sums.size()) {}

std::vector<Stragglers::Finding> Stragglers::add(const std::vector<double>& busySeconds) {
    for (std::size_t i = 0; i < m_sums.size(); ++i) m_sums[i] += busySeconds[i];
    if (++m_steps < kStepsPerWindow || *std::ranges::max_element(m_sums) < kSecondsPerWindow) return {};
    return closeWindow();
}

std::vector<Stragglers::Finding> Stragglers::closeWindow() {
    auto sorted = m_sums;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double median = *middle;  // of an even number the lower: of two ranks, the other
    std::vector<Finding> findings;
    if (median > 0) {
        m_slowest = *std::ranges::max_element(m_sums) / median;
        for (std::size_t i = 0; i < m_sums.size(); ++i) {
            const double times = m_sums[i] / median;
            const bool slow = m_factor > 0 && times > m_factor;
            m_slowWindows[i] = slow ? m_slowWindows[i] + 1 : 0;
            const Finding finding{static_cast<std::int64_t>(i), times,
                                  m_sums[i] / static_cast<double>(m_steps), !slow};
            if (slow ? m_slowWindows[i] >= kWindows && !m_said[i] : m_said[i]) {
                findings.push_back(finding);
                m_said[i] = slow;
            }
        }
    }
    m_steps = 0;
    std::ranges::fill(m_sums, 0.0);
    return findings;
}

std::string toText(const Stragglers::Finding& finding, const std::string& node) {
    const auto who =
        "Rank " + std::to_string(finding.rank) + (node.empty() ? "" : " on " + sanitizedText(node));
    if (finding.caughtUp) return who + " is as fast as the others again.";
    char text[128];
    std::snprintf(
        text, sizeof text,
        " takes %.2f times as long as the median rank, %.3f s of each step: all others wait for it.",
        finding.times, finding.seconds);
    return who + text;
}

}  // namespace dailies::trainer
