#pragma once

#include "core/video/clip_timing.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>

namespace dailies::ui {

/// What happens at the end of the range that is played.
enum class LoopMode { Once, Loop, PingPong };

/// The one clock of the wall: which frame of its timing is shown, and when the next one is. GUI thread only.
///
/// All tiles move together or not at all. When the next frame is due the play head asks whether the wall has
/// it (`setReadyCheck`); if not, it waits until `framesArrived()` and goes on from there, so that a slow
/// machine plays slower and never out of step. Up to 60 frames a second none is skipped; a faster shuttle
/// shows every second, third, … one.
class Playhead : public QObject {
    Q_OBJECT

public:
    explicit Playhead(QObject* parent = nullptr);

    void setReadyCheck(std::function<bool(int frame)> isReady) { m_isReady = std::move(isReady); }
    void framesArrived();  ///< more pictures are there: a late frame may be due

    /// The frames that it walks over and when each is shown. It keeps its place in time, and so do the loop
    /// points, as far as the new timing reaches.
    void setTiming(video::ClipTiming timing);
    const video::ClipTiming& timing() const { return m_timing; }

    int frame() const { return m_frame; }
    double seconds() const { return m_timing.secondsOf(m_frame); }  ///< when the shown frame begins
    int length() const { return m_timing.frames(); }
    double rate() const { return m_timing.fps(); }
    int direction() const { return m_direction; }
    bool isPlaying() const { return m_playing; }
    int lateFrames() const { return m_lateFrames; }  ///< that came more than 10 ms after they were due

    void setSpeed(double factor);  ///< 1 = the clips' own rate; an eighth to eight times
    double speed() const { return m_speed; }

    void setLoopMode(LoopMode mode);
    LoopMode loopMode() const { return m_loopMode; }

    /// Playing stays between these two frames, both shown. An in point behind the out point (or the other way
    /// round) takes the other one away.
    void setLoopIn(int frame);
    void setLoopOut(int frame);
    void clearLoopPoints();
    bool hasLoopPoints() const { return m_in || m_out; }
    int loopIn() const { return m_in.value_or(0); }
    int loopOut() const { return m_out.value_or(length() - 1); }

    /// The frame that is shown that many ticks later; -1 beyond an end without loop.
    int frameAfter(int ticks) const;
    double tickSeconds() const;  ///< until the next tick, at the speed of the day

    void play(int direction = 1);
    void pause();
    void toggle();
    void shuttle(int direction);  ///< J and L: play that way; again: twice as fast, up to 8 times; the other
                                  ///< way: back to 1
    void step(int frames);        ///< pauses; wraps around unless played once
    void stepSeconds(double seconds);
    void seek(int frame);

signals:
    void frameChanged(int frame);
    void stateChanged();  ///< playing, speed, loop or timing

private:
    struct Place {
        int frame = 0;
        int direction = 1;
    };

    void tick();
    void schedule();
    void moveTo(int frame);
    int stride() const;
    std::optional<Place> after(int ticks) const;

    std::function<bool(int)> m_isReady;
    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_dueMs = 0;  ///< on m_clock
    bool m_waiting = false;
    video::ClipTiming m_timing;
    int m_frame = 0;
    std::optional<int> m_in, m_out;
    double m_speed = 1;
    int m_direction = 1;
    bool m_playing = false;
    LoopMode m_loopMode = LoopMode::Loop;
    int m_lateFrames = 0;
};

}  // namespace dailies::ui
