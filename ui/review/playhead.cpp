#include "ui/review/playhead.h"

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {
constexpr double kLateMs = 10;
constexpr double kFastest = 8;
}  // namespace

Playhead::Playhead(QObject* parent) : QObject(parent) {
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &Playhead::tick);
    m_clock.start();
}

void Playhead::setLength(int frames) {
    if (frames == m_length) return;
    m_length = std::max(frames, 0);
    if (m_length == 0) pause();
    emit stateChanged();
    moveTo(std::clamp(m_frame, 0, std::max(m_length - 1, 0)));
}

void Playhead::setRate(double framesPerSecond) {
    if (framesPerSecond > 0) m_rate = framesPerSecond;
}

void Playhead::setSpeed(double factor) {
    m_speed = std::clamp(factor, 1.0 / kFastest, kFastest);
    emit stateChanged();
}

void Playhead::setLooping(bool looping) {
    m_looping = looping;
    emit stateChanged();
}

int Playhead::following(int distance) const {
    if (m_length == 0) return -1;
    const int frame = m_frame + m_direction * distance;
    if (m_looping) return ((frame % m_length) + m_length) % m_length;
    return frame >= 0 && frame < m_length ? frame : -1;
}

void Playhead::play(int direction) {
    if (m_length == 0) return;
    m_direction = direction < 0 ? -1 : 1;
    if (!m_looping && following(1) < 0) moveTo(m_direction > 0 ? 0 : m_length - 1);
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
    if (m_length == 0) return;
    const int target = m_frame + frames;
    moveTo(m_looping ? ((target % m_length) + m_length) % m_length : std::clamp(target, 0, m_length - 1));
}

void Playhead::seek(int frame) {
    if (m_length > 0) moveTo(std::clamp(frame, 0, m_length - 1));
}

void Playhead::framesArrived() {
    if (m_waiting) tick();
}

void Playhead::tick() {
    const int next = following(1);
    if (next < 0) return pause();
    m_waiting = m_isReady && !m_isReady(next);
    if (m_waiting) return;  // framesArrived() comes back here
    const double now = static_cast<double>(m_clock.nsecsElapsed()) / 1e6;
    if (now - m_dueMs > kLateMs) {
        ++m_lateFrames;
        m_dueMs = now;  // the lost time is not made up for by hurrying
    }
    schedule();
    moveTo(next);
}

void Playhead::schedule() {
    m_dueMs += 1000 / (m_rate * m_speed);
    const double now = static_cast<double>(m_clock.nsecsElapsed()) / 1e6;
    m_timer.start(static_cast<int>(std::max(0.0, std::floor(m_dueMs - now))));
}

void Playhead::moveTo(int frame) {
    if (frame == m_frame) return;
    m_frame = frame;
    emit frameChanged(frame);
}

}  // namespace dailies::ui
