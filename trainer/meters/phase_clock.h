#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

namespace dailies::trainer {

/// The parts of a training step, in their order: waiting for clips that are not decoded yet; making a batch
/// of them, which is reading captions, drawing noise and the way to the device; the network's output and
/// loss; the gradients; their sum over ranks; and everything that moves the weights.
enum class Phase : std::size_t { wait, prepare, forward, backward, reduce, update };

constexpr std::array kPhaseNames = {"wait", "prepare", "forward", "backward", "reduce", "update"};

/// Seconds of each phase.
using PhaseSeconds = std::array<double, kPhaseNames.size()>;

/// Times the phases of one step after another. One thread.
class PhaseClock {
public:
    virtual ~PhaseClock() = default;

    /// The phase before ends here.
    virtual void enter(Phase phase) = 0;

    /// Ends the last phase; the seconds since the call before. Where a device works behind the host's back,
    /// waits for it.
    virtual PhaseSeconds finish() = 0;
};

/// For devices that are done when a call returns.
class HostPhaseClock : public PhaseClock {
public:
    void enter(Phase phase) override;
    PhaseSeconds finish() override;

private:
    void leave();

    std::optional<Phase> m_phase;
    std::chrono::steady_clock::time_point m_entered;
    PhaseSeconds m_seconds{};
};

}  // namespace dailies::trainer
