#include "ui/review/decode_pool.h"

#include "core/base/error.h"

#include <algorithm>
#include <utility>

namespace dailies::ui {

namespace {

/// Each open clip holds a file descriptor and a decoder's pictures; a wall of 25 over a few steps stays
/// below.
constexpr std::size_t kOpenClips = 64;
constexpr int kCrispFrom = 3;

}  // namespace

QSize shownSize(QSize clip, QSize box) {
    if (clip.isEmpty() || box.isEmpty()) return {};
    const int factor = std::min(box.width() / clip.width(), box.height() / clip.height());
    if (factor >= kCrispFrom) return clip * factor;
    const QSize fitted = clip.scaled(box, Qt::KeepAspectRatio);
    // swscale handles even widths almost twice as fast as odd ones
    return {std::max(fitted.width() & ~1, 2), std::max(fitted.height(), 1)};
}

DecodePool::DecodePool(int threads, QObject* parent) : QObject(parent) {
    for (int i = 0; i < threads; ++i)
        m_threads.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

DecodePool::~DecodePool() {
    // Before any member goes: the threads use them all.
    for (auto& thread : m_threads) thread.request_stop();
    m_threads.clear();
}

void DecodePool::setJobs(std::vector<DecodeJob> jobs) {
    {
        const std::lock_guard lock(m_mutex);
        m_jobs = std::move(jobs);
        for (const DecodedFrame& frame : m_finished) forget(frame.key);  // on their way to the GUI thread
    }
    m_wake.notify_all();
}

void DecodePool::closeFiles() {
    const std::lock_guard lock(m_mutex);
    m_clips.remove_if([](const OpenClip& clip) { return !clip.busy; });
    for (OpenClip& clip : m_clips) clip.closeWhenIdle = true;
}

void DecodePool::work(const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
        DecodeJob job;
        OpenClip* clip = nullptr;
        if (!m_wake.wait(lock, stop, [&] { return (clip = takeJob(job)) != nullptr; })) return;
        for (std::size_t i = 0; i < job.frames.size() && !stop.stop_requested(); ++i) {
            lock.unlock();
            DecodedFrame frame = decode(*clip, {job.file, job.frames[i], job.box});
            lock.lock();
            deliver(std::move(frame));
        }
        clip->busy = false;
        if (clip->closeWhenIdle) m_clips.remove_if([&](const OpenClip& other) { return &other == clip; });
        m_wake.notify_all();  // a job for this clip may have waited
    }
}

DecodePool::OpenClip* DecodePool::takeJob(DecodeJob& job) {
    std::erase_if(m_jobs, [](const DecodeJob& waiting) { return waiting.frames.empty(); });
    for (auto next = m_jobs.begin(); next != m_jobs.end(); ++next) {
        auto clip = std::find_if(m_clips.begin(), m_clips.end(),
                                 [&](const OpenClip& c) { return c.file == next->file; });
        if (clip != m_clips.end() && clip->busy) continue;
        if (clip == m_clips.end()) {
            m_clips.push_front({.file = next->file});
            clip = m_clips.begin();
        }
        m_clips.splice(m_clips.begin(), m_clips, clip);
        clip->busy = true;
        job = std::move(*next);
        m_jobs.erase(next);
        trimOpenClips();
        return &*clip;
    }
    return nullptr;
}

void DecodePool::trimOpenClips() {
    for (auto clip = m_clips.end(); m_clips.size() > kOpenClips && clip != m_clips.begin();) {
        --clip;
        if (!clip->busy) clip = m_clips.erase(clip);
    }
}

DecodedFrame DecodePool::decode(OpenClip& clip, FrameKey key) {
    DecodedFrame result;
    result.key = std::move(key);
    result.error = clip.openError;
    if (!result.error.isEmpty()) return result;
    try {
        if (!clip.reader) clip.reader = std::make_unique<video::ClipReader>(clip.file);
        const video::ClipInfo& info = clip.reader->info();
        const QSize size = shownSize({info.width, info.height}, result.key.box);
        QImage image(size, QImage::Format_RGB32);
        if (image.isNull()) throw Error("There is not enough memory for a picture of this clip.");
        clip.reader->drawFrame(std::clamp(result.key.frame, 0, info.frames - 1),
                               {image.bits(), image.width(), image.height(), image.bytesPerLine(),
                                video::Canvas::Layout::Rgb32});
        result.image = std::move(image);
    } catch (const std::exception& error) {
        result.error = QString::fromUtf8(error.what());
        if (!clip.reader) clip.openError = result.error;
    }
    return result;
}

void DecodePool::forget(const FrameKey& key) {
    for (DecodeJob& job : m_jobs)
        if (job.file == key.file && job.box == key.box) std::erase(job.frames, key.frame);
}

void DecodePool::deliver(DecodedFrame frame) {
    forget(frame.key);  // asked for again while it was under way
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
