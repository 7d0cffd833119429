#include "core/tracking/writer.h"

#include "core/base/error.h"
#include "core/base/thread_priority.h"

#include <chrono>

namespace dailies::tracking {

namespace {

constexpr auto kBetweenLooks = std::chrono::seconds(2);

thread_local const Writer* servedHere = nullptr;  ///< whose thread this is

}  // namespace

Writer::Writer(std::filesystem::path file) : m_file(std::move(file)), m_thread([this] { loop(); }) {}

Writer::~Writer() {
    stop();
}

void Writer::push(std::function<void()> job) {
    {
        const std::lock_guard lock(m_mutex);
        if (!m_stopping) {
            m_jobs.push_back(std::move(job));
            job = nullptr;
            m_preparing.request_stop();
        }
    }
    if (job) {
        // on the caller's thread: `opened` refuses, and the refusal goes into the future
        job();
        return;
    }
    m_wake.notify_one();
}

void Writer::stop() {
    const std::lock_guard ending(m_ending);
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
        m_preparing.request_stop();
    }
    m_wake.notify_one();
    if (m_thread.joinable()) m_thread.join();
}

Store& Writer::opened() {
    // not by m_thread's id, which `stop` may be changing on another thread
    if (servedHere != this)
        throw Error("The change was not saved, because the program is ending.",
                    "Start it again and repeat it.");
    if (!m_store) m_store.emplace(m_file);
    return *m_store;
}

/// Completes the curves when another program wrote; stops halfway when there is work to do, and begins again
/// after it.
void Writer::maintainCurves(const std::stop_token& stop) {
    if (!m_store && !std::filesystem::exists(m_file)) return;  // looking makes no file
    try {
        Store& store = opened();
        const auto version = store.dataVersion();
        if (version == m_preparedVersion) return;
        store.prepareCurves(stop);
        m_preparedVersion = store.dataVersion();
    } catch (const Cancelled&) {
    } catch (const Error&) {  // whoever asked for something is told; nobody asked for this
    }
}

void Writer::loop() {
    servedHere = this;
    lowerThreadPriority();
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_wake.wait_for(lock, kBetweenLooks, [&] { return m_stopping || !m_jobs.empty(); });
        if (m_jobs.empty()) {
            if (m_stopping) break;
            m_preparing = std::stop_source();
            const auto stop = m_preparing.get_token();
            lock.unlock();
            maintainCurves(stop);
            lock.lock();
            continue;
        }
        const auto job = std::move(m_jobs.front());
        m_jobs.pop_front();
        lock.unlock();
        job();
        lock.lock();
    }
    m_store.reset();
}

}  // namespace dailies::tracking
