#include "trainer/runtime/stop_signal.h"

#include <csignal>

namespace dailies::trainer {

namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void rememberSignal(int signal) {
    received = signal;
}

}  // namespace

void installStopSignals() {
    struct sigaction action = {};
    action.sa_handler = rememberSignal;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGTERM, SIGUSR1, SIGINT}) sigaction(signal, &action, nullptr);
    action.sa_handler = SIG_IGN;
    for (const int signal : {SIGXFSZ, SIGPIPE}) sigaction(signal, &action, nullptr);
}

bool stopRequested() {
    return received != 0;
}

std::string stopSignalName() {
    switch (received) {
        case SIGTERM:
            return "SIGTERM";
        case SIGUSR1:
            return "SIGUSR1";
        case SIGINT:
            return "SIGINT";
        default:
            return "";
    }
}

}  // namespace dailies::trainer
