#pragma once

#include "ui/playback/decode_pool.h"
#include "ui/playback/frame_cache.h"
#include "ui/playback/proxy_maker.h"

#include <QElapsedTimer>
#include <QObject>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace dailies::ui {

/// What all players of the program share: the threads that decode, the pictures that were decoded, under one
/// limit, and what the clips' files turned out to be. GUI thread only.
///
/// A player whose clips are not on screen leaves (`leave`): it wants nothing decoded, and its pictures are
/// the first to go. So the visible one has all threads and the cache to itself.
class FrameService : public QObject {
    Q_OBJECT

public:
    /// The program's own; lives as long as anybody holds it.
    static std::shared_ptr<FrameService> shared();

    FrameCache& cache() { return m_cache; }
    /// How much memory all decoded frames may take. 0: a sixteenth of the machine's, 256 MiB to 2 GiB, which
    /// on a usual one is enough to decode a wall of ten-second clips only once.
    void setLimitMiB(std::int64_t mebibytes);
    std::int64_t limitMiB() const { return m_limitMiB; }

    /// From now on clips whose key frames are far apart get proxies there, and are looked through by them.
    void setProxyFolder(video::ProxyFolder folder);
    /// The file of the clip's proxy; null while there is none. Valid until the event loop runs again.
    const std::string* proxyOf(const std::string& file) const;

    /// What this player shows and wants decoded now, in place of what it did before.
    void play(Requester player, const std::vector<PlaybackState>& shown, std::vector<DecodeJob> wanted);
    void leave(Requester player);

    /// What the file turned out to be; null until it has been opened.
    std::shared_ptr<const ClipFacts> facts(const std::string& file) const;
    /// Whether the file was still being written a moment ago.
    bool isGrowing(const std::string& file) const;
    /// Looks whether these files are still as they were when they were opened; those that have changed are
    /// opened anew (`changed`).
    void checkForChanges(const std::vector<std::string>& files);
    /// Somebody opens these clips: those of which only a beginning is here, or nothing, are asked of the
    /// cluster
    /// (`wanted`), each once until it is said what became of it.
    void open(const std::vector<std::string>& files);
    bool isFetching(const std::string& file) const { return m_fetching.contains(file); }
    /// Why the file did not come when it was last asked for; empty: nothing is known against it.
    QString fetchError(const std::string& file) const;
    void clearFetchError(const std::string& file) { m_fetchErrors.erase(file); }
    /// More of the file has come.
    void handlePartFetched(const std::string& file);
    /// The file is here, or `why` it is not, for a person.
    void settle(const std::string& file, const QString& why);

    /// Tries clips again that could not be decoded: their files may be whole by now.
    void retryErrors();

signals:
    /// These are in the cache now; `factsChanged`: some of their files turned out other than was known.
    void arrived(const std::vector<dailies::ui::DecodedFrame>& frames, bool factsChanged);
    void changed();                        ///< files have changed, or do not any more
    void wanted(const std::string& file);  ///< from the cluster

private:
    FrameService();
    void take(const std::vector<DecodedFrame>& frames);
    void takeProxy(const DecodedFrame& frame);
    void handleProxyMade(const std::string& file, const dailies::ui::FileStamp& stamp,
                         const std::string& proxy);
    void handleFacts(const std::string& file, const ClipFacts& facts);
    void forget(const std::vector<std::string>& files);

    std::int64_t m_limitMiB = 0;
    FrameCache m_cache;
    DecodePool m_pool;
    std::unordered_map<std::string, std::shared_ptr<const ClipFacts>> m_facts;
    std::unordered_map<std::string, std::string> m_proxies;  ///< clip → file of its proxy
    std::unique_ptr<ProxyMaker> m_proxyMaker;
    std::unordered_map<std::string, std::int64_t>
        m_changedMs;  ///< when a file was last found changed, on m_clock
    QElapsedTimer m_clock;
    std::unordered_set<std::string> m_fetching;  ///< asked for, not here yet
    std::unordered_map<std::string, QString> m_fetchErrors;
};

}  // namespace dailies::ui
