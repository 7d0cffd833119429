#include "ui/review/clip_checker.h"

#include "core/base/error.h"
#include "core/base/thread_priority.h"
#include "core/quality/clip_checks.h"
#include "core/tracking/store.h"
#include "ui/bridge/write_store.h"

#include <chrono>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace dailies::ui {

namespace {

/// Written together: every write makes those who follow the store read it again.
constexpr std::size_t kBatch = 64;
constexpr auto kLongestBatch = std::chrono::seconds(2);

tracking::CheckedClip check(const tracking::ClipRecord& clip, const std::stop_token& stop) {
    tracking::CheckedClip checked{clip.runId, clip.path, clip.localPath, quality::kChecksRevision, {}};
    for (const quality::Finding& finding : quality::checkClip(clip.localPath, stop))
        checked.findings.push_back({{},
                                    {},
                                    std::string(toText(finding.check)),
                                    static_cast<int>(finding.severity),
                                    finding.firstFrame,
                                    finding.lastFrame,
                                    finding.text});
    return checked;
}

}  // namespace

ClipChecker::ClipChecker(std::filesystem::path storeFile, QObject* parent)
    : QObject(parent), m_storeFile(std::move(storeFile)) {
    m_thread = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

ClipChecker::~ClipChecker() {
    m_thread.request_stop();
    m_thread.join();
}

bool ClipChecker::isIdle() const {
    const std::lock_guard lock(m_mutex);
    return !m_look && !m_busy;
}

void ClipChecker::checkNow() {
    {
        const std::lock_guard lock(m_mutex);
        if (!m_writer) m_writer = &storeWriter(m_storeFile);
        m_look = true;
    }
    m_wake.notify_all();
}

void ClipChecker::tell(std::function<void()> onGui) {
    QMetaObject::invokeMethod(this, std::move(onGui), Qt::QueuedConnection);
}

void ClipChecker::work(const std::stop_token& stop) {
    lowerThreadPriority();
    std::unique_lock lock(m_mutex);
    while (m_wake.wait(lock, stop, [this] { return m_look; })) {
        m_look = false;
        m_busy = true;
        lock.unlock();
        try {
            while (const int clips = checkSome(stop)) tell([this, clips] { emit checked(clips); });
        } catch (const Cancelled&) {
            // the program ends
        } catch (const std::exception& error) {
            tell([this, message = QString::fromUtf8(error.what())] { emit failed(message); });
        }
        lock.lock();
        m_busy = false;
    }
}

int ClipChecker::checkSome(const std::stop_token& stop) {
    if (!std::filesystem::exists(m_storeFile)) return 0;
    const auto clips = tracking::Store(m_storeFile, tracking::Store::Mode::ReadOnly)
                           .clipsToCheck(quality::kChecksRevision, std::numeric_limits<int>::max());
    const auto until = std::chrono::steady_clock::now() + kLongestBatch;
    std::vector<tracking::CheckedClip> checked;
    for (const tracking::ClipRecord& clip : clips) {
        std::error_code letGo;
        if (!std::filesystem::exists(clip.localPath, letGo)) continue;  // its turn is when it comes again
        checked.push_back(check(clip, stop));
        if (checked.size() == kBatch || std::chrono::steady_clock::now() > until) break;
    }
    if (checked.empty()) return 0;
    const auto count = static_cast<int>(checked.size());
    m_writer->post([checked = std::move(checked)](tracking::Store& store) { store.putFindings(checked); })
        .get();
    return count;
}

}  // namespace dailies::ui
