#include "ui/playback/decode_pool.h"

#include "core/base/thread_priority.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace dailies::ui {

namespace {

/// Each open clip holds a file descriptor; a wall of 25 over a few steps stays below.
constexpr std::size_t kOpenClips = 64;
constexpr std::size_t kOpenBytes = std::size_t{512} << 20;

}  // namespace

DecodePool::DecodePool(int threads, QObject* parent) : QObject(parent) {
    for (int i = 0; i < threads; ++i)
        m_threads.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

DecodePool::~DecodePool() {
    // Before any member goes: the threads use them all.
    for (auto& thread : m_threads) thread.request_stop();
    m_threads.clear();
}

void DecodePool::setProxyFolder(std::shared_ptr<const video::ProxyFolder> folder) {
    const std::lock_guard lock(m_mutex);
    m_proxies = std::move(folder);
}

void DecodePool::setJobs(std::vector<DecodeJob> jobs, Requester requester) {
    {
        const std::lock_guard lock(m_mutex);
        m_queue.replace(std::move(jobs), requester);
        for (const DecodedFrame& frame : m_finished)
            m_queue.drop(frame.key);  // on their way to the GUI thread
    }
    m_wake.notify_all();
}

void DecodePool::checkForChanges(std::vector<std::pair<std::string, FileStamp>> files) {
    {
        const std::lock_guard lock(m_mutex);
        m_filesToCheck.insert(m_filesToCheck.end(), std::make_move_iterator(files.begin()),
                              std::make_move_iterator(files.end()));
    }
    m_wake.notify_one();
}

void DecodePool::closeFiles() {
    const std::lock_guard lock(m_mutex);
    m_clips.remove_if([](const OpenClip& clip) { return !clip.busy; });
    for (OpenClip& clip : m_clips) clip.closeWhenIdle = true;
}

// -- the threads

void DecodePool::work(const std::stop_token& stop) {
    lowerThreadPriority();  // to the GUI thread, which shows what is decoded on time
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
        std::optional<DecodeJob> job;
        const auto findWork = [&] {
            job = m_queue.take([this](const std::string& file) { return isBusy(file); });
            return job || !m_filesToCheck.empty();
        };
        if (!m_wake.wait(lock, stop, findWork)) return;
        if (job)
            runJob(lock, openClip(job->file), *job, stop);
        else
            runChangeCheck(lock);
    }
}

void DecodePool::runJob(std::unique_lock<std::mutex>& lock, OpenClip& clip, const DecodeJob& job,
                        const std::stop_token& stop) {
    clip.busy = true;
    trimOpenClips();
    const auto busy = [this](const std::string& file) { return isBusy(file); };
    for (std::size_t i = 0; i < job.frames.size() && !stop.stop_requested(); ++i) {
        if (i > 0 && !m_queue.shouldContinue(job, job.frames[i], busy)) break;
        const auto isInterrupted = [&] {
            const std::lock_guard guard(m_mutex);
            return stop.stop_requested() || !m_queue.shouldContinue(job, job.frames[i], busy);
        };
        lock.unlock();
        std::optional<DecodedFrame> frame =
            clip.source.decode({job.file, job.frames[i], job.box}, isInterrupted);
        lock.lock();
        if (!frame) break;
        deliver(std::move(*frame));
    }
    clip.busy = false;
    if (clip.closeWhenIdle) m_clips.remove_if([&](const OpenClip& other) { return &other == &clip; });
    m_wake.notify_all();  // a job for this clip may have waited
}

void DecodePool::runChangeCheck(std::unique_lock<std::mutex>& lock) {
    const auto files = std::exchange(m_filesToCheck, {});
    lock.unlock();
    std::vector<std::string> different;
    for (const auto& [file, stamp] : files)
        if (readStamp(file) != stamp) different.push_back(file);
    lock.lock();
    if (different.empty()) return;
    for (const std::string& file : different) close(file);
    QMetaObject::invokeMethod(
        this, [this, different] { emit changed(different); }, Qt::QueuedConnection);
}

bool DecodePool::isBusy(const std::string& file) const {
    return std::any_of(m_clips.begin(), m_clips.end(),
                       [&](const OpenClip& clip) { return clip.busy && clip.source.file() == file; });
}

DecodePool::OpenClip& DecodePool::openClip(const std::string& file) {
    const auto found = std::find_if(m_clips.begin(), m_clips.end(),
                                    [&](const OpenClip& clip) { return clip.source.file() == file; });
    if (found == m_clips.end())
        m_clips.push_front({.source = ClipSource(file, m_proxies)});
    else
        m_clips.splice(m_clips.begin(), m_clips, found);
    return m_clips.front();
}

void DecodePool::close(const std::string& file) {
    m_clips.remove_if([&](const OpenClip& clip) { return !clip.busy && clip.source.file() == file; });
    for (OpenClip& clip : m_clips) clip.closeWhenIdle |= clip.source.file() == file;
}

void DecodePool::trimOpenClips() {
    std::size_t bytes = 0, count = 0;
    for (auto clip = m_clips.begin(); clip != m_clips.end();) {
        // What a busy one holds is written by its thread now; its turn comes when it is idle.
        bytes += clip->busy ? 0 : clip->source.bytesHeld();
        const bool tooMany = ++count > kOpenClips || bytes > kOpenBytes;
        clip = tooMany && !clip->busy ? m_clips.erase(clip) : std::next(clip);
    }
}

void DecodePool::deliver(DecodedFrame frame) {
    m_queue.drop(frame.key);  // asked for again while it was under way
    m_finished.push_back(std::move(frame));
    // One wake-up of the GUI thread takes all that has come by then.
    if (m_finished.size() == 1) QMetaObject::invokeMethod(this, &DecodePool::drain, Qt::QueuedConnection);
}

void DecodePool::drain() {
    std::vector<DecodedFrame> frames;
    {
        const std::lock_guard lock(m_mutex);
        frames.swap(m_finished);
    }
    if (!frames.empty()) emit decoded(frames);
}

}  // namespace dailies::ui
