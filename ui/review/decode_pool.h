#pragma once

#include "core/video/clip_file.h"
#include "ui/review/frame_cache.h"

#include <QObject>

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace dailies::ui {

/// Some frames of one clip that are wanted, in the order in which to decode them.
struct DecodeJob {
    std::string file;
    QSize box;
    std::vector<int> frames;
};

/// Decodes frames on a few threads and brings them to the GUI thread.
///
/// The queue is not added to but replaced whenever the play head moves: what is no longer wanted is never
/// decoded. A clip is read by one thread at a time, so that going on from frame to frame stays a single
/// decode; readers stay open between jobs. Frames beyond a clip's end show its last one, for clips of
/// different lengths share a play head.
class DecodePool : public QObject {
    Q_OBJECT

public:
    explicit DecodePool(int threads, QObject* parent = nullptr);
    ~DecodePool() override;

    /// What is wanted now, the most urgent first. Frames already under way still arrive.
    void setJobs(std::vector<DecodeJob> jobs);

    /// Closes every clip's file, so that files which have changed are opened anew.
    void closeFiles();

signals:
    void decoded(const std::vector<dailies::ui::DecodedFrame>& frames);  ///< on the GUI thread

private:
    struct OpenClip {
        std::string file;
        std::unique_ptr<video::ClipReader> reader = nullptr;  ///< null until its first job opens it
        QString openError = {};  ///< why it cannot be opened; not tried again until closeFiles()
        bool busy = false;
        bool closeWhenIdle = false;
    };

    void work(const std::stop_token& stop);
    static DecodedFrame decode(OpenClip& clip, FrameKey key);
    OpenClip* takeJob(DecodeJob& job);
    void trimOpenClips();
    void forget(const FrameKey& key);
    void deliver(DecodedFrame frame);
    void drain();

    std::mutex m_mutex;  ///< guards everything below except the threads
    std::condition_variable_any m_wake;
    std::vector<DecodeJob> m_jobs;
    std::list<OpenClip> m_clips;  ///< last used first
    std::vector<DecodedFrame> m_finished;
    std::vector<std::jthread> m_threads;  ///< last: they end before the rest goes
};

/// The size at which a clip is shown in a box, both in device pixels: as large as fits, in the clip's
/// proportions. Small clips (a third of the box or less) are enlarged by a whole factor, so that every pixel
/// of the model's is a crisp square.
QSize shownSize(QSize clip, QSize box);

}  // namespace dailies::ui
