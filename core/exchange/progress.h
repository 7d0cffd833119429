#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dailies::exchange {

/// How far a long piece of work has come.
struct Progress {
    std::string currentItem;     ///< what is being read or sent: a run's name, a file
    std::int64_t runs = 0;       ///< done with
    std::int64_t totalRuns = 0;  ///< 0 while it is not known
    std::int64_t points = 0;     ///< metric points read, written or sent
};

/// Called from a thread of the work, some times a second at most and never by two threads at once.
using ProgressHandler = std::function<void(const Progress&)>;

/// Something that did not travel, as a sentence for a person: "12 images: only numbers and texts come in".
struct SkippedItem {
    std::string what;
    std::string why;
    std::int64_t count = 1;
};

/// Adds to the entry of the same words, so that a thousand images are one line.
void addSkipped(std::vector<SkippedItem>& list, std::string what, std::string why, std::int64_t count = 1);

}  // namespace dailies::exchange
