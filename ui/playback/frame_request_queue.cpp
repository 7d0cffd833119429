#include "ui/playback/frame_request_queue.h"

#include <algorithm>
#include <utility>

namespace dailies::ui {

void FrameRequestQueue::replace(std::vector<DecodeJob> jobs, Requester requester) {
    std::erase_if(m_jobs, [&](const DecodeJob& job) { return job.requester == requester; });
    ++m_round;
    if (jobs.empty())
        m_latest.erase(requester);
    else
        m_latest[requester] = m_round;
    for (DecodeJob& job : jobs) {
        job.requester = requester;
        job.round = m_round;
        m_jobs.push_back(std::move(job));
    }
    std::stable_sort(m_jobs.begin(), m_jobs.end(),
                     [](const DecodeJob& a, const DecodeJob& b) { return a.due < b.due; });
}

std::optional<DecodeJob> FrameRequestQueue::take(const IsBusy& isBusy) {
    const auto next = std::find_if(m_jobs.begin(), m_jobs.end(), [&](const DecodeJob& job) {
        return !job.frames.empty() && !isBusy(job.file);
    });
    if (next == m_jobs.end()) return std::nullopt;
    DecodeJob job = std::move(*next);
    m_jobs.erase(next);
    return job;
}

bool FrameRequestQueue::shouldContinue(const DecodeJob& job, int frame, const IsBusy& isBusy) const {
    const auto asksFor = [&](const DecodeJob& other) {
        return other.file == job.file && other.box == job.box &&
               std::find(other.frames.begin(), other.frames.end(), frame) != other.frames.end();
    };
    const auto latest = m_latest.find(job.requester);
    const bool isReplaced = latest == m_latest.end() || latest->second != job.round;
    if (isReplaced && std::none_of(m_jobs.begin(), m_jobs.end(), asksFor)) return false;
    if (job.due <= 0) return true;
    return std::none_of(m_jobs.begin(), m_jobs.end(), [&](const DecodeJob& other) {
        return other.due <= 0 && !other.frames.empty() && (other.file == job.file || !isBusy(other.file));
    });
}

void FrameRequestQueue::drop(const FrameKey& key) {
    for (DecodeJob& job : m_jobs)
        if (job.file == key.file && job.box == key.box) std::erase(job.frames, key.frame);
}

}  // namespace dailies::ui
