#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace dailies::remote {

/// A stop token that stops with another one, or when the time is over: for commands on the other side, which
/// a file server that hangs keeps waiting for ever.
class StopTimeout {
public:
    explicit StopTimeout(std::chrono::milliseconds time, const std::stop_token& outer = {})
        : m_outer(outer, Relay{m_source}), m_timer([this, time](const std::stop_token& end) {
              std::mutex mutex;
              std::unique_lock lock(mutex);
              std::condition_variable_any wake;
              if (!wake.wait_for(lock, end, time, [] { return false; }) && !end.stop_requested())
                  m_source.request_stop();
          }) {}
    StopTimeout(const StopTimeout&) = delete;
    StopTimeout& operator=(const StopTimeout&) = delete;

    std::stop_token token() const { return m_source.get_token(); }

private:
    struct Relay {
        std::stop_source source;
        void operator()() { source.request_stop(); }
    };
    std::stop_source m_source;
    std::stop_callback<Relay> m_outer;
    std::jthread m_timer;
};

}  // namespace dailies::remote
