#include "ui/bridge/stall_meter.h"

#include <algorithm>

namespace dailies::ui {

namespace {
constexpr std::chrono::milliseconds kTick{1};
constexpr std::chrono::milliseconds kBudget{8};
}  // namespace

StallMeter::StallMeter(QObject* parent) : QObject(parent) {
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &StallMeter::tick);
    m_timer.start(kTick);
    restart();
}

void StallMeter::restart() {
    m_sinceTick.start();
    m_longest = {};
    m_overBudget = 0;
}

void StallMeter::ignoreCurrentGap() {
    m_sinceTick.start();
}

void StallMeter::tick() {
    const auto gap = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::nanoseconds(m_sinceTick.nsecsElapsed()) - kTick);
    m_sinceTick.start();
    m_longest = std::max(m_longest, gap);
    m_overBudget += gap > kBudget ? 1 : 0;
}

}  // namespace dailies::ui
