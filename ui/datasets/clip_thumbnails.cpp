#include "ui/datasets/clip_thumbnails.h"

#include <algorithm>
#include <map>

namespace dailies::ui {

namespace {
constexpr int kLimitKiB = 192 * 1024;
constexpr int kErrorKiB = 1;
}  // namespace

ClipThumbnails::ClipThumbnails(const DatasetModel& model, QObject* parent)
    : QObject(parent), m_model(model), m_thumbnails(kLimitKiB) {
    connect(m_service.get(), &FrameService::arrived, this,
            [this](const std::vector<DecodedFrame>& frames, bool) { take(frames); });
}

ClipThumbnails::~ClipThumbnails() {
    m_service->leave(this);
}

void ClipThumbnails::want(const std::vector<std::uint32_t>& clips, QSize box) {
    if (box != m_box) m_thumbnails.clear();
    m_box = box;
    m_wanted.clear();
    for (const auto clip : clips) {
        if (m_thumbnails.contains(clip)) continue;
        const auto place = m_model.placeOf(clip);
        m_wanted.push_back({clip, place.file, place.first + place.frames / 2});
    }
    ask();
}

void ClipThumbnails::ask() {
    // A film is read by one thread at a time, and forwards: its frames are one job, in their order.
    std::map<std::string, DecodeJob> jobs;
    double due = 0.1;  // behind what is played
    for (const auto& wanted : m_wanted) {
        auto& job = jobs[wanted.file];
        if (job.frames.empty()) job = {.file = wanted.file, .box = m_box, .frames = {}, .due = due += 0.001};
        job.frames.push_back(wanted.frame);
    }
    std::vector<DecodeJob> all;
    for (auto& [file, job] : jobs) {
        std::ranges::sort(job.frames);
        all.push_back(std::move(job));
    }
    m_service->play(this, {}, std::move(all));
}

void ClipThumbnails::pause() {
    m_wanted.clear();
    m_service->leave(this);
}

void ClipThumbnails::forget() {
    m_thumbnails.clear();
    m_service->retryErrors();  // a film that was missing may be back
    pause();
}

void ClipThumbnails::take(const std::vector<DecodedFrame>& frames) {
    bool any = false;
    for (const auto& frame : frames) {
        if (frame.key.box != m_box) continue;
        std::erase_if(m_wanted, [&](const Wanted& wanted) {
            const bool isIt = wanted.frame == frame.key.frame && wanted.file == frame.key.file;
            if (isIt) {
                const auto kib = static_cast<int>(frame.image.sizeInBytes() / 1024) + kErrorKiB;
                m_thumbnails.insert(wanted.clip, new Thumbnail{frame.image, frame.error}, kib);
                any = true;
            }
            return isIt;
        });
    }
    if (any) emit arrived();
}

}  // namespace dailies::ui
