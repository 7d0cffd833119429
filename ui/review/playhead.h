#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>

namespace dailies::ui {

/// Which frame every tile of the wall shows: position, rate, direction and loop. GUI thread only.
///
/// All tiles move together or not at all. When the next frame is due the play head asks whether the wall has
/// it
/// (`setReadyCheck`); if not, it waits until `framesArrived()` and goes on from there, so that a slow machine
/// plays slower and never out of step. Frames are never skipped.
class Playhead : public QObject {
    Q_OBJECT

public:
    explicit Playhead(QObject* parent = nullptr);

    void setReadyCheck(std::function<bool(int frame)> isReady) { m_isReady = std::move(isReady); }
    void framesArrived();  ///< more pictures are there: a late frame may be due

    void setLength(int frames);  ///< the position stays where it can
    void setRate(double framesPerSecond);
    void setSpeed(double factor);  ///< 1 = the clips' own rate
    void setLooping(bool looping);

    int frame() const { return m_frame; }
    int length() const { return m_length; }
    double rate() const { return m_rate; }
    double speed() const { return m_speed; }
    int direction() const { return m_direction; }
    bool isPlaying() const { return m_playing; }
    bool isLooping() const { return m_looping; }
    int lateFrames() const { return m_lateFrames; }  ///< that came more than 10 ms after they were due

    /// The frame that follows at this many frames' distance in the direction of play; -1 beyond an end
    /// without loop.
    int following(int distance) const;

    void play(int direction = 1);
    void pause();
    void toggle();
    void shuttle(int direction);  ///< J and L: play that way; again: twice as fast, up to 8 times; the other
                                  ///< way: back to 1
    void step(int frames);        ///< pauses; wraps around when looping
    void seek(int frame);

signals:
    void frameChanged(int frame);
    void stateChanged();  ///< playing, speed, loop or length

private:
    void tick();
    void schedule();
    void moveTo(int frame);

    std::function<bool(int)> m_isReady;
    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_dueMs = 0;  ///< on m_clock
    bool m_waiting = false;
    int m_frame = 0;
    int m_length = 0;
    double m_rate = 8;
    double m_speed = 1;
    int m_direction = 1;
    bool m_playing = false;
    bool m_looping = true;
    int m_lateFrames = 0;
};

}  // namespace dailies::ui
