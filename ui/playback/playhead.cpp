#include "ui/playback/playhead.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dailies::ui {

namespace {

constexpr double kLateMs = 10;
constexpr double kFastest = 8;
constexpr double kMaxTicks = 60;  ///< a second: screens show no more

int wrapped(int value, int length) {
    return ((value % length) + length) % length;
}

}  // namespace

Playhead::Playhead(QObject* parent) : QObject(parent) {
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &Playhead::tick);
    m_clock.start();
}

void Playhead::setTiming(video::ClipTiming timing) {
    if (timing == m_timing) return;
    const auto moved = [&](int frame) { return timing.frameAt(m_timing.secondsOf(frame)); };
    const int frame = moved(m_frame);
    if (m_in) m_in = moved(*m_in);
    if (m_out) m_out = moved(*m_out);
    m_timing = std::move(timing);
    if (length() == 0) pause();
    emit stateChanged();
    moveTo(frame);
}

// -- speed and loop

void Playhead::setSpeed(double factor) {
    m_speed = std::clamp(factor, 1.0 / kFastest, kFastest);
    emit stateChanged();
}

void Playhead::setLoopMode(LoopMode mode) {
    m_loopMode = mode;
    emit stateChanged();
}

void Playhead::setLoopIn(int frame) {
    if (length() == 0) return;
    m_in = std::clamp(frame, 0, length() - 1);
    if (m_out && *m_out < *m_in) m_out.reset();
    emit stateChanged();
}

void Playhead::setLoopOut(int frame) {
    if (length() == 0) return;
    m_out = std::clamp(frame, 0, length() - 1);
    if (m_in && *m_in > *m_out) m_in.reset();
    emit stateChanged();
}

void Playhead::clearLoopPoints() {
    m_in.reset();
    m_out.reset();
    emit stateChanged();
}

// -- what comes next

int Playhead::stride() const {
    return std::max(static_cast<int>(std::ceil(rate() * m_speed / kMaxTicks - 1e-6)), 1);
}

double Playhead::tickSeconds() const {
    return stride() * (m_timing.secondsOf(m_frame + 1) - m_timing.secondsOf(m_frame)) / m_speed;
}

std::optional<Playhead::Place> Playhead::after(int ticks) const {
    if (length() == 0) return std::nullopt;
    const int first = loopIn(), last = loopOut();
    Place place{m_frame, m_direction};
    if (m_frame < first ||
        m_frame > last) {  // someone looked outside of the loop: playing begins at its start
        place.frame = m_direction > 0 ? first : last;
        --ticks;
    }
    const int frames = ticks * stride(), count = last - first + 1;
    if (m_loopMode == LoopMode::Loop) {
        place.frame = first + wrapped(place.frame - first + place.direction * frames, count);
    } else if (m_loopMode == LoopMode::PingPong) {
        // The way there and back as one circle, on which both ends stand once.
        const int circle = std::max(2 * (count - 1), 1), there = place.frame - first;
        const int at = wrapped((place.direction > 0 ? there : circle - there) + frames, circle);
        const bool onTheWayBack = at > count - 1;
        place.frame = first + (onTheWayBack ? circle - at : at);
        // Who stands at an end has turned already.
        if (frames > 0 && count > 1) place.direction = at >= count - 1 ? -1 : 1;
    } else {
        const int end = place.direction > 0 ? last : first;
        if (frames > 0 && place.frame == end) return std::nullopt;
        place.frame = std::clamp(place.frame + place.direction * frames, first, last);
    }
    return place;
}

int Playhead::frameAfter(int ticks) const {
    const auto place = after(ticks);
    return place ? place->frame : -1;
}

// -- playing

void Playhead::play(int direction) {
    if (length() == 0) return;
    m_direction = direction < 0 ? -1 : 1;
    if (!after(1)) moveTo(m_direction > 0 ? loopIn() : loopOut());
    m_playing = true;
    m_waiting = false;
    m_dueMs = static_cast<double>(m_clock.nsecsElapsed()) / 1e6;
    schedule();
    emit stateChanged();
}

void Playhead::pause() {
    m_timer.stop();
    m_waiting = false;
    if (!std::exchange(m_playing, false)) return;
    emit stateChanged();
}

void Playhead::toggle() {
    m_playing ? pause() : play(1);
}

void Playhead::shuttle(int direction) {
    const bool same = m_playing && m_direction == (direction < 0 ? -1 : 1);
    setSpeed(same ? m_speed * 2 : 1);
    play(direction);
}

void Playhead::step(int frames) {
    pause();
    if (length() == 0) return;
    m_direction = frames < 0 ? -1 : 1;  // more steps that way are likely: what is foreseen lies there
    const int target = m_frame + frames;
    moveTo(m_loopMode == LoopMode::Once ? std::clamp(target, 0, length() - 1) : wrapped(target, length()));
}

void Playhead::stepSeconds(double seconds) {
    const int there = static_cast<int>(std::lround(seconds * rate()));
    if (m_timing.isConstantRate()) return step(there != 0 ? there : seconds < 0 ? -1 : 1);
    pause();
    seek(m_timing.frameAt(this->seconds() + seconds));
}

void Playhead::seek(int frame) {
    if (length() > 0) moveTo(std::clamp(frame, 0, length() - 1));
}

void Playhead::framesArrived() {
    if (m_waiting) tick();
}

void Playhead::tick() {
    const auto next = after(1);
    if (!next) return pause();
    m_waiting = m_isReady && !m_isReady(next->frame);
    if (m_waiting) return;  // framesArrived() comes back here
    const double now = static_cast<double>(m_clock.nsecsElapsed()) / 1e6;
    if (now - m_dueMs > kLateMs) {
        ++m_lateFrames;
        m_dueMs = now;  // the lost time is not made up for by hurrying
    }
    const int before = std::exchange(m_frame, next->frame);
    m_direction = next->direction;
    schedule();
    if (m_frame != before) emit frameChanged(m_frame);
}

void Playhead::schedule() {
    m_dueMs += 1000 * tickSeconds();
    const double now = static_cast<double>(m_clock.nsecsElapsed()) / 1e6;
    m_timer.start(static_cast<int>(std::max(0.0, std::floor(m_dueMs - now))));
}

void Playhead::moveTo(int frame) {
    if (frame == m_frame) return;
    m_frame = frame;
    emit frameChanged(frame);
}

}  // namespace dailies::ui
