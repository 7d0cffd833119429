#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace dailies::trainer {

/// Finds steps whose loss lies far above that of the steps before: against the median of a running window, in
/// robust deviations (1.4826 × the median distance from it), so that earlier spikes do not hide later ones.
/// Says so rarely: after one spike the next `kCooldownSteps` are only counted.
class LossSpikes {
public:
    static constexpr std::size_t kWindow = 128, kMinSamples = 32;
    static constexpr double kDeviations = 6, kFactor = 1.5;
    static constexpr std::int64_t kCooldownSteps = 100;

    struct Spike {
        double factor = 0;            ///< loss / median
        double deviations = 0;        ///< above the median
        std::int64_t suppressed = 0;  ///< spikes since the last one that was told
    };

    /// Takes in the finite loss of a step; a spike that should be told.
    std::optional<Spike> observe(std::int64_t step, double loss);

    /// The window, for a checkpoint: a resumed run goes on with it.
    const std::vector<double>& recent() const { return m_recent; }
    void restore(std::vector<double> recent) { m_recent = std::move(recent); }

private:
    std::vector<double> m_recent;  ///< oldest first
    std::optional<std::int64_t> m_reportedAt;
    std::int64_t m_suppressed = 0;
};

}  // namespace dailies::trainer
