#include "ui/cluster/alert_watcher.h"

#include "core/alerts/alert_records.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/json.h"
#include "tests/ui/wait_until.h"
#include "ui/cluster/alerts_panel.h"
#include "ui/cluster/snapshot_table.h"
#include "ui/link/cluster_worker.h"

#include <QPushButton>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <atomic>
#include <mutex>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace dailies::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Takes POSTs on a port of this machine and answers with a status.
class Hook {
public:
    explicit Hook(int status) : m_status(status), m_socket(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        ::bind(m_socket, reinterpret_cast<sockaddr*>(&address), size);
        ::listen(m_socket, 4);
        ::getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &size);
        m_port = ntohs(address.sin_port);
        m_thread = std::thread([this] { serve(); });
    }
    ~Hook() {
        ::shutdown(m_socket, SHUT_RDWR);
        m_thread.join();
        ::close(m_socket);
    }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(m_port) + "/hook"; }
    std::string received() {
        const std::lock_guard lock(m_mutex);
        return m_received;
    }

private:
    void serve() {
        for (;;) {
            const int peer = ::accept(m_socket, nullptr, nullptr);
            if (peer < 0) return;
            std::string request;
            char buffer[4096];
            while (request.find('}') == std::string::npos) {
                const auto count = ::recv(peer, buffer, sizeof buffer, 0);
                if (count <= 0) break;
                request.append(buffer, static_cast<std::size_t>(count));
            }
            const std::string answer = "HTTP/1.1 " + std::to_string(m_status) +
                                       " x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            ::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL);
            ::close(peer);
            const std::lock_guard lock(m_mutex);
            m_received += request;
        }
    }
    int m_status, m_socket, m_port = 0;
    std::mutex m_mutex;
    std::string m_received;
    std::thread m_thread;
};

class AlertWatcherTest : public testing::Test {
protected:
    /// Another program, such as the command line, saw a run fail just now.
    std::string failARun(const std::string& name) {
        tracking::Store store(file());
        tracking::Run run;
        run.id = newId();
        run.name = name;
        run.experimentId = store.ensureExperiment("e");
        run.startMs = unixMillis() - 60'000;
        run.tags[tracking::tag::kReason] = "Its memory ran out.";
        store.createRun(run);
        store.setStatus(run.id, tracking::RunStatus::Failed, unixMillis() + 2000);
        return run.id;
    }
    std::filesystem::path file() const { return m_folder.path() / "dailies.db"; }
    TemporaryFolder m_folder;
};

TEST_F(AlertWatcherTest, TellsOfAFailedRunOnceAndSendsItToTheWebhookWithoutCredentials) {
    ::setenv("MLFLOW_TRACKING_TOKEN", "canary-token", 1);
    Hook hook(200);
    ClusterWorker worker(file());
    AlertWatcher watcher(file(), worker);
    watcher.setWebhook(hook.url());
    std::vector<alerts::Alert> told;
    QObject::connect(&watcher, &AlertWatcher::raised, &watcher,
                     [&](const alerts::Alert& alert) { told.push_back(alert); });
    bool opened = false;
    QObject::connect(&worker, &ClusterWorker::storeOpened, &worker, [&] { opened = true; });
    ASSERT_TRUE(waitUntil([&] { return opened; }));
    const std::string run = failARun("lr=0.1 \"x\"");
    watcher.checkNow();
    ASSERT_TRUE(waitUntil([&] { return told.size() == 1 && !hook.received().empty(); }));
    EXPECT_EQ(told[0].runId, run);
    const std::string request = hook.received();
    EXPECT_THAT(request, HasSubstr("POST /hook"));
    EXPECT_THAT(request, Not(HasSubstr("canary-token")));
    const Json body = Json::parse(request.substr(request.find("\r\n\r\n") + 4));
    EXPECT_EQ(body.at("kind"), "failed");
    EXPECT_EQ(body.at("run_id"), run);
    EXPECT_EQ(body.at("text"), "lr=0.1 \"x\" failed: Its memory ran out.");
    watcher.checkNow();
    EXPECT_FALSE(waitUntil([&] { return told.size() > 1; }, 500));
    ::unsetenv("MLFLOW_TRACKING_TOKEN");
}

TEST_F(AlertWatcherTest, AWebhookThatRefusesIsSaidWithWhereToChangeIt) {
    Hook hook(404);
    ClusterWorker worker(file());
    AlertWatcher watcher(file(), worker);
    watcher.setWebhook(hook.url());
    std::string why;
    QObject::connect(&watcher, &AlertWatcher::failed, &watcher,
                     [&](const Error& error) { why = error.full(); });
    bool opened = false;
    QObject::connect(&worker, &ClusterWorker::storeOpened, &worker, [&] { opened = true; });
    ASSERT_TRUE(waitUntil([&] { return opened; }));
    failARun("one");
    watcher.checkNow();
    ASSERT_TRUE(waitUntil([&] { return !why.empty(); }));
    EXPECT_THAT(why, HasSubstr("404"));
}

TEST_F(AlertWatcherTest, TheListIsAcknowledgedAndOpensTheRun) {
    { const tracking::Store store(file()); }
    const std::string run = failARun("lr=0.1");
    {
        tracking::Store store(file());
        alerts::collectNewAlerts(store, {}, unixMillis());
    }
    AlertsPanel panel(file());
    int open = -1;
    std::string chosen;
    QObject::connect(&panel, &AlertsPanel::countChanged, &panel, [&](int count) { open = count; });
    QObject::connect(&panel, &AlertsPanel::openRunRequested, &panel,
                     [&](const std::string& id) { chosen = id; });
    panel.reload();
    ASSERT_TRUE(waitUntil([&] { return open == 1; }));
    auto* table = panel.findChild<SnapshotTable*>();
    const QString key = table->facts().rowAt(0).key;
    table->choose(key);
    emit table->activatedKey(key);
    EXPECT_EQ(chosen, run);
    for (auto* button : panel.findChildren<QPushButton*>()) {
        if (button->text() == "Acknowledge") {
            button->click();
        }
    }
    EXPECT_TRUE(waitUntil([&] { return open == 0; }));
}

}  // namespace
}  // namespace dailies::ui
