#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace dailies::app {

/// Turns Ctrl-C, SIGTERM and a closed terminal (SIGHUP) into a request to stop, for the life of the object.
/// Make it before any other thread, so that they all inherit the blocked signals; a second one ends the
/// program at once. A signal that the caller ignores, as nohup does, stays ignored.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const { return m_stop.get_token(); }

private:
    sigset_t m_before{};
    std::stop_source m_stop;
    std::jthread m_waiter;
};

}  // namespace dailies::app
