#include "app/terminal/progress_line.h"

#include "app/terminal/table.h"

#include <iostream>
#include <unistd.h>

namespace dailies::app {

namespace {

constexpr auto kOverwriteEvery = std::chrono::milliseconds(100);
constexpr auto kLineEvery = std::chrono::seconds(5);

}  // namespace

ProgressLine::ProgressLine()
    : m_isTerminal(::isatty(STDERR_FILENO) == 1), m_last(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() {
    if (m_isTerminal && m_shown) std::cerr << "\r\033[K" << std::flush;
}

void ProgressLine::show(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    if (now - m_last < (m_isTerminal ? std::chrono::milliseconds(kOverwriteEvery) : kLineEvery)) return;
    m_last = now;
    m_shown = true;
    if (m_isTerminal)
        std::cerr << "\r\033[K" << oneLine(text) << std::flush;
    else
        std::cerr << oneLine(text) << '\n';
}

}  // namespace dailies::app
