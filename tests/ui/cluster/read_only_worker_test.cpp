#include "core/base/files.h"
#include "core/tracking/store_lock.h"
#include "core/tracking/store_read_only_error.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/link/cluster_worker.h"

#include <gtest/gtest.h>

#include <string>

namespace dailies::ui {
namespace {

/// A second desktop on a store that another one has open.
class ReadOnlyWorker : public testing::Test {
protected:
    ReadOnlyWorker() {
        QObject::connect(&m_worker, &ClusterWorker::connectionFailed, &m_worker,
                         [this](const Error& error) { m_refusal = error.full(); });
        QObject::connect(&m_worker, &ClusterWorker::launchFailed, &m_worker,
                         [this](const Error& error) { m_refusal = error.full(); });
    }

    TemporaryFolder m_folder;
    test::DemoStore m_demo = test::makeDemoStore(m_folder.path(), {.samples = 1});
    tracking::StoreLock m_first{m_demo.file};
    std::string m_refusal;
    ClusterWorker m_worker{m_demo.file};
};

TEST_F(ReadOnlyWorker, ConnectsToNothingAndSaysWhoHasTheStore) {
    bool tried = false;
    QObject::connect(&m_worker, &ClusterWorker::stateChanged, &m_worker,
                     [&](ConnectionState state) { tried = tried || state != ConnectionState::Offline; });
    remote::ClusterProfile alps;
    alps.name = "alps";
    alps.host = "localhost";
    m_worker.connectTo(alps);
    ASSERT_TRUE(waitUntil([&] { return !m_refusal.empty(); }));
    EXPECT_NE(m_refusal.find("open in another Dailies"), std::string::npos) << m_refusal;
    EXPECT_NE(m_worker.readOnly().find("another Dailies"), std::string::npos) << m_worker.readOnly();
    EXPECT_EQ(m_worker.state(), ConnectionState::Offline);
    EXPECT_FALSE(tried);
}

TEST_F(ReadOnlyWorker, LaunchesNothingAndSaysWhy) {
    m_worker.launch({});
    ASSERT_TRUE(waitUntil([&] { return !m_refusal.empty(); }));
    EXPECT_NE(m_refusal.find("read-only"), std::string::npos) << m_refusal;
    EXPECT_FALSE(m_worker.busy());
}

TEST_F(ReadOnlyWorker, NoticesWhatTheFirstDesktopWrites) {
    bool opened = false, changed = false;
    QObject::connect(&m_worker, &ClusterWorker::storeOpened, &m_worker, [&] { opened = true; });
    QObject::connect(&m_worker, &ClusterWorker::runsChanged, &m_worker, [&] { changed = true; });
    ASSERT_TRUE(waitUntil([&] { return opened; }));
    tracking::Store(m_demo.file).setTags({m_demo.runIds.front()}, "verdict", "good");
    EXPECT_TRUE(waitUntil([&] { return changed; }));
}

TEST(FirstWorker, KeepsOtherDesktopsFromWritingUntilItEnds) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "dailies.db";
    {
        ClusterWorker worker(file);
        bool opened = false;
        QObject::connect(&worker, &ClusterWorker::storeOpened, &worker, [&] { opened = true; });
        ASSERT_TRUE(waitUntil([&] { return opened; }));
        EXPECT_EQ(worker.readOnly(), "");
        EXPECT_THROW(const tracking::StoreLock second(file), tracking::StoreReadOnlyError);
    }
    EXPECT_NO_THROW(const tracking::StoreLock second(file));
}

}  // namespace
}  // namespace dailies::ui
