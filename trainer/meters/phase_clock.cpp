#include "trainer/meters/phase_clock.h"

#include <utility>

namespace dailies::trainer {

void HostPhaseClock::enter(Phase phase) {
    leave();
    m_phase = phase;
}

PhaseSeconds HostPhaseClock::finish() {
    leave();
    m_phase.reset();
    return std::exchange(m_seconds, {});
}

void HostPhaseClock::leave() {
    const auto now = std::chrono::steady_clock::now();
    if (m_phase)
        m_seconds[static_cast<std::size_t>(*m_phase)] +=
            std::chrono::duration<double>(now - m_entered).count();
    m_entered = now;
}

}  // namespace dailies::trainer
