#pragma once

#include <sys/resource.h>

namespace dailies {

/// Lets the calling thread give way to the program's other threads when all want the cores: for threads whose
/// work may be late, beside one on which a person waits. On Linux niceness is a thread's own (setpriority(2),
/// "C library/kernel differences"); threads and processes begun by this one inherit it. For good: taking it
/// back needs rights that a person's program does not have.
inline void lowerThreadPriority() {
    constexpr int kNicer = 5;  // a third of the share of a thread that does not give way
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kNicer);
}

/// The same for work that nobody waits for: the thread gets what no other one wants.
inline void minimizeThreadPriority() {
    constexpr int kNicest = 19;
    setpriority(PRIO_PROCESS, 0, kNicest);
}

}  // namespace dailies
