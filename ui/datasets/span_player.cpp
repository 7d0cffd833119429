#include "ui/datasets/span_player.h"

#include <algorithm>

namespace dailies::ui {

namespace {
constexpr int kAhead = 16;  ///< frames that are decoded before they are shown
}

SpanPlayer::SpanPlayer(QObject* parent) : QObject(parent) {
    m_playhead.setReadyCheck([this](int frame) {
        return m_service->cache().find(m_place.file, m_box, m_place.first + frame) != nullptr;
    });
    connect(&m_playhead, &Playhead::frameChanged, this, [this] {
        request();
        emit pictureChanged();
    });
    connect(m_service.get(), &FrameService::arrived, this, [this] {
        if (!m_active) return;
        m_playhead.framesArrived();
        emit pictureChanged();
    });
}

SpanPlayer::~SpanPlayer() {
    m_service->leave(this);
}

void SpanPlayer::show(const ClipPlace& place, QSize box) {
    if (m_active && place == m_place && box == m_box) return;
    if (!m_active || place != m_place) {
        m_playhead.pause();
        m_place = place;
        m_playhead.setTiming(video::ClipTiming::constantRate(place.frames, place.fps));
        m_playhead.seek(0);
    }
    m_box = box;
    m_active = true;
    request();
}

void SpanPlayer::toggle() {
    m_playhead.toggle();
    request();
}

void SpanPlayer::stop() {
    if (!m_active) return;
    m_active = false;
    m_playhead.pause();
    m_service->leave(this);
}

const DecodedFrame* SpanPlayer::current() {
    return m_active ? m_service->cache().find(m_place.file, m_box, m_place.first + m_playhead.frame())
                    : nullptr;
}

void SpanPlayer::request() {
    if (!m_active) return;
    const int now = m_playhead.frame(), count = m_place.frames;
    DecodeJob job{.file = m_place.file, .box = m_box, .frames = {}};
    for (int i = 0; i < std::min(kAhead, count); ++i) {
        const int frame = m_place.first + (now + i) % count;
        if (!m_service->cache().find(m_place.file, m_box, frame)) job.frames.push_back(frame);
    }
    const PlaybackState state{.file = m_place.file,
                              .box = m_box,
                              .frame = m_place.first + now,
                              .first = m_place.first,
                              .last = m_place.first + count - 1,
                              .fps = m_place.fps,
                              .mode = LoopMode::Loop};
    m_service->play(this, {state}, {std::move(job)});
}

}  // namespace dailies::ui
