#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Finds the rank that all others wait for, step after step. What counts is the time that a rank computes and
/// reads, without waiting for others: the whole step is equally long on all.
class Stragglers {
public:
    /// `factor`: how many times the median of all ranks a rank must take, in `kWindows` windows in a row;
    /// 0: none is ever found.
    Stragglers(std::int64_t ranks, double factor);

    /// The seconds that each rank was busy in a step. What a window found that was not said before.
    struct Finding {
        std::int64_t rank = 0;
        double times = 0;       ///< the median of the ranks
        double seconds = 0;     ///< that it is busy in a step
        bool caughtUp = false;  ///< it was slow and is no longer
    };
    std::vector<Finding> add(const std::vector<double>& busySeconds);

    /// How many times the median the slowest rank took in the last whole window.
    std::optional<double> slowest() const { return m_slowest; }

    /// A window has at least so many steps and, as a moment's noise means nothing, so many seconds of the
    /// slowest rank.
    static constexpr std::int64_t kStepsPerWindow = 20;
    static constexpr double kSecondsPerWindow = 5;
    static constexpr int kWindows = 3;

private:
    std::vector<Finding> closeWindow();

    double m_factor;
    std::int64_t m_steps = 0;
    std::vector<double> m_sums;
    std::vector<int> m_slowWindows;
    std::vector<bool> m_said;
    std::optional<double> m_slowest;
};

/// "Rank 3 on n2 takes 1.8 times as long …", for a person.
std::string toText(const Stragglers::Finding& finding, const std::string& node);

}  // namespace dailies::trainer
