#pragma once

#include <string>

namespace dailies::trainer {

/// Loads what a signal handler may not load later, and takes SIGUSR2 for this. Once a process.
void prepareStacks();

/// Where every other thread of this process stands now, innermost call first; the first of them is the main
/// thread. Each is interrupted for a moment; one that does not answer (it waits for a disk, say) is named
/// with what the kernel says of it. One caller at a time.
std::string stacksOfOtherThreads();

}  // namespace dailies::trainer
