#include "ui/bridge/stall_meter.h"

#include "tests/ui/wait_until.h"

#include <QThread>
#include <QTimer>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using namespace std::chrono_literals;

TEST(StallMeter, SeesASlotThatHoldsTheGuiThread) {
    StallMeter meter;
    waitUntil([] { return false; }, 20);
    meter.restart();
    QTimer::singleShot(5, [] { QThread::msleep(60); });
    waitUntil([&] { return meter.longest() > 30ms; }, 1000);
    EXPECT_GE(meter.longest(), 50ms);
    EXPECT_GE(meter.overBudget(), 1);
}

}  // namespace
}  // namespace dailies::ui
