#include "app/terminal/interrupt.h"

#include <ctime>
#include <pthread.h>
#include <unistd.h>

namespace dailies::app {

namespace {

bool isIgnored(int signal) {
    struct sigaction action = {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interrupt::Interrupt() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        if (!isIgnored(signal)) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &m_before);
    m_waiter = std::jthread([this, signals](std::stop_token ended) {
        const timespec tick{0, 100'000'000};
        while (!ended.stop_requested()) {
            const int signal = sigtimedwait(&signals, nullptr, &tick);
            if (signal <= 0) continue;
            if (m_stop.request_stop()) continue;
            // The second: all other threads have it blocked, so it ends the program here.
            pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
            ::kill(::getpid(), signal);
        }
    });
}

Interrupt::~Interrupt() {
    m_waiter.request_stop();
    m_waiter.join();
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

}  // namespace dailies::app
