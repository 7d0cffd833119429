#include "ui/main_window/settings.h"

#include "core/base/files.h"

#include <QByteArray>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dailies::ui {
namespace {

constexpr int kChanges = 25;

/// Each change needs what the one before it wrote.
void changeOften() {
    for (int i = 0; i < kChanges; ++i) changeSettings([](Settings& settings) { ++settings.frameCacheMiB; });
}

TEST(SettingsFile, ChangesOfTwoProcessesAndTwoThreadsAreAllKept) {
    const TemporaryFolder folder;
    const QByteArray kept = qgetenv("XDG_CONFIG_HOME");
    qputenv("XDG_CONFIG_HOME", folder.path().c_str());
    const pid_t other = ::fork();
    if (other == 0) {
        changeOften();
        ::_exit(0);
    }
    std::thread thread(changeOften);
    changeOften();
    thread.join();
    int status = 0;
    ASSERT_EQ(::waitpid(other, &status, 0), other);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(loadSettings().frameCacheMiB, 3 * kChanges);
    kept.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", kept);
}

}  // namespace
}  // namespace dailies::ui
