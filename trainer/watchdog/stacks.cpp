#include "trainer/watchdog/stacks.h"

#include "core/base/text.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace dailies::trainer {

namespace {

constexpr int kFrames = 64;
constexpr int kHandlersOwn = 2;  ///< frames of the handler and of the kernel's call of it
constexpr std::chrono::milliseconds kThreadPatience{500};

// What handler and caller share. The handler only fills it in: names are found later, where one may allocate.
void* frames[kFrames];
int depth = 0;
std::atomic<pid_t> asked{0};
std::atomic<bool> answered{false};

pid_t threadId() {
    return static_cast<pid_t>(::syscall(SYS_gettid));
}

extern "C" void recordStack(int) {
    const int error = errno;
    if (asked.load() == threadId()) {
        depth = ::backtrace(frames, kFrames);
        answered.store(true, std::memory_order_release);
    }
    errno = error;
}

std::string firstLine(const std::filesystem::path& file) {
    std::string line;
    std::ifstream stream(file);
    std::getline(stream, line);
    return line;
}

std::string nameOf(void* address) {
    Dl_info info{};
    if (::dladdr(address, &info) == 0 || !info.dli_sname) {
        const std::string object = info.dli_fname ? info.dli_fname : "?";
        char offset[32];
        std::snprintf(
            offset, sizeof offset, "+%#zx",
            static_cast<std::size_t>(static_cast<char*>(address) - static_cast<char*>(info.dli_fbase)));
        return object.substr(object.rfind('/') + 1) + offset;
    }
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> readable(
        abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), &std::free);
    return status == 0 ? readable.get() : info.dli_sname;
}

std::string stackOf(pid_t process, pid_t thread) {
    answered.store(false);
    asked.store(thread);
    if (::syscall(SYS_tgkill, process, thread, SIGUSR2) != 0) return "    it has just ended\n";
    const auto deadline = std::chrono::steady_clock::now() + kThreadPatience;
    while (!answered.load(std::memory_order_acquire)) {
        if (std::chrono::steady_clock::now() > deadline) {
            asked.store(0);
            return "    it did not answer; the kernel says that it waits in " +
                   sanitizedText(firstLine("/proc/self/task/" + std::to_string(thread) + "/wchan")) + "\n";
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    asked.store(0);
    std::string text;
    for (int i = kHandlersOwn; i < depth; ++i) text += "    " + nameOf(frames[i]) + "\n";
    return text;
}

}  // namespace

void prepareStacks() {
    void* frame[1];
    ::backtrace(frame, 1);
    struct sigaction action = {};
    action.sa_handler = recordStack;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR2, &action, nullptr);
}

std::string stacksOfOtherThreads() {
    const pid_t process = ::getpid(), own = threadId();
    std::vector<pid_t> threads;
    std::error_code ended;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ended))
        if (const pid_t thread = std::atoi(entry.path().filename().c_str()); thread != own)
            threads.push_back(thread);
    std::ranges::sort(threads);  // the main thread has the process's number, the lowest
    std::string text;
    for (const pid_t thread : threads)
        text += "thread " + std::to_string(thread) + " (" +
                sanitizedText(firstLine("/proc/self/task/" + std::to_string(thread) + "/comm")) + ")\n" +
                stackOf(process, thread);
    return text;
}

}  // namespace dailies::trainer
