#pragma once

#include "ui/playback/clip_source.h"
#include "ui/playback/frame_cache.h"
#include "ui/playback/frame_request_queue.h"

#include <QObject>

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dailies::ui {

/// Decodes frames on a few threads and brings them to the GUI thread.
///
/// A clip is read by one thread at a time, so that going on from frame to frame stays a single decode; files
/// stay open between jobs, the last used ones, as long as their decoders hold less than 512 MiB together.
class DecodePool : public QObject {
    Q_OBJECT

public:
    explicit DecodePool(int threads, QObject* parent = nullptr);
    ~DecodePool() override;

    /// Where the proxies of clips that are opened from now on lie.
    void setProxyFolder(std::shared_ptr<const video::ProxyFolder> folder);

    /// What this requester wants now. Frames already under way that nobody wants any more are given up.
    void setJobs(std::vector<DecodeJob> jobs, Requester requester = nullptr);

    /// Looks, on one of the threads, whether these files are still as they were; `changed` names those that
    /// are not, and they are opened anew when they are wanted next.
    void checkForChanges(std::vector<std::pair<std::string, FileStamp>> files);

    /// Closes every clip's file, so that all are opened anew.
    void closeFiles();

signals:
    void decoded(const std::vector<dailies::ui::DecodedFrame>& frames);  ///< on the GUI thread
    void changed(const std::vector<std::string>& files);                 ///< on the GUI thread

private:
    struct OpenClip {
        ClipSource source;
        bool busy = false;
        bool closeWhenIdle = false;
    };

    void work(const std::stop_token& stop);
    void runJob(std::unique_lock<std::mutex>& lock, OpenClip& clip, const DecodeJob& job,
                const std::stop_token& stop);
    void runChangeCheck(std::unique_lock<std::mutex>& lock);
    bool isBusy(const std::string& file) const;
    OpenClip& openClip(const std::string& file);
    void close(const std::string& file);
    void trimOpenClips();
    void deliver(DecodedFrame frame);
    void drain();

    std::mutex m_mutex;  ///< guards everything below except the threads
    std::condition_variable_any m_wake;
    FrameRequestQueue m_queue;
    std::shared_ptr<const video::ProxyFolder> m_proxies;
    std::vector<std::pair<std::string, FileStamp>> m_filesToCheck;
    std::list<OpenClip> m_clips;  ///< last used first
    std::vector<DecodedFrame> m_finished;
    std::vector<std::jthread> m_threads;  ///< last: they end before the rest goes
};

}  // namespace dailies::ui
