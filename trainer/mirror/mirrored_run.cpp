#include "trainer/mirror/mirrored_run.h"

#include "core/base/error.h"
#include "core/base/sleep.h"

#include <chrono>
#include <utility>

namespace dailies::trainer {

namespace {

constexpr std::chrono::seconds kMirrorInterval{2}, kPauseAfterFailure{60};

}  // namespace

void MirroredRun::open(const std::string& url, const std::filesystem::path& runFolder) {
    if (url.empty()) return;
    m_mirror = std::make_unique<RunMirror>(runFolder, url, objects::s3Access());
    m_restoredStep = m_mirror->restore();
    m_mirror->copyConfig();
}

void MirroredRun::start(RunLog& log) {
    if (!m_mirror) return;
    if (m_restoredStep)
        log.append(events::Message{"info", "The run's folder had no checkpoint: that of step " +
                                               std::to_string(*m_restoredStep) + " was fetched from " +
                                               m_mirror->url() + "."});
    m_thread = std::jthread([this, &log](const std::stop_token& stop) { watch(log, stop); });
}

void MirroredRun::finish(RunLog& log, events::End end) {
    if (!m_mirror) return log.append(std::move(end));
    m_thread.request_stop();
    if (m_thread.joinable()) m_thread.join();
    copy(log);
    if (m_failure.empty())
        log.append(events::Message{"info", "A copy of the run is in " + m_mirror->url() + "."});
    log.append(std::move(end));
    if (m_failure.empty()) copy(log);
}

void MirroredRun::watch(RunLog& log, const std::stop_token& stop) {
    try {
        while (true) {
            sleepUnlessStopped(m_failure.empty() ? kMirrorInterval : kPauseAfterFailure, stop);
            if (m_mirror->isBehind()) copy(log);
        }
    } catch (const Cancelled&) {  // finished
    }
}

void MirroredRun::copy(RunLog& log) {
    std::string failure;
    try {
        m_mirror->copy();
    } catch (const Error& error) {
        failure = error.full();
    } catch (const std::exception& error) {  // of the file system
        failure = error.what();
    }
    if (!failure.empty() && m_failure.empty())
        log.append(events::Health{"copy_failed",
                                  failure + " The run goes on. Its copy in " + m_mirror->url() +
                                      " is behind; copying is tried again.",
                                  std::nullopt});
    m_failure = failure;
}

}  // namespace dailies::trainer
