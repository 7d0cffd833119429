#pragma once

#include "core/video/proxy_folder.h"
#include "ui/playback/clip_source.h"

#include <QObject>

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace dailies::ui {

/// Makes proxies of clips (core/video/clip_proxy.h), one at a time, on a thread that gets what the others do
/// not want. A disk that takes none ends it: clips are watched without, and the log says so once.
class ProxyMaker : public QObject {
    Q_OBJECT

public:
    struct Wanted {
        std::string clip;
        FileStamp stamp;
        std::string proxy;  ///< where it is to lie
        bool operator==(const Wanted&) const = default;
    };

    explicit ProxyMaker(video::ProxyFolder folder, QObject* parent = nullptr);
    ~ProxyMaker() override;  ///< gives up the one under way

    /// The clip asked for last comes first: somebody looks at it now.
    void make(Wanted wanted);

signals:
    void made(const std::string& clip, const dailies::ui::FileStamp& stamp,
              const std::string& proxy);  ///< on the GUI thread

private:
    void work(const std::stop_token& stop);
    bool makeOne(const Wanted& wanted, const std::stop_token& stop) const;

    const video::ProxyFolder m_folder;
    std::mutex m_mutex;  ///< guards the next two
    std::condition_variable_any m_wake;
    std::vector<Wanted> m_wanted;  ///< the next one last
    std::jthread m_thread;         ///< last: it ends before the rest goes
};

}  // namespace dailies::ui
