#pragma once

#include <chrono>
#include <string>

namespace dailies::app {

/// Where long work stands, on standard error: one line that is written over on a terminal, elsewhere a line
/// every few seconds, so that logs stay short.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();  ///< clears the line
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const std::string& text);

private:
    bool m_isTerminal;
    bool m_shown = false;
    std::chrono::steady_clock::time_point m_last;
};

}  // namespace dailies::app
