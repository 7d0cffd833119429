#pragma once

#include "core/video/clip_file.h"
#include "core/video/clip_timing.h"
#include "core/video/proxy_folder.h"
#include "ui/playback/frame_cache.h"

#include <QSize>
#include <QString>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dailies::ui {

/// Which state of a file was read: another one means that the file has changed.
struct FileStamp {
    std::int64_t bytes = -1;  ///< -1: there is no such file
    std::int64_t modifiedNs = 0;
    std::uint64_t inode = 0;
    bool operator==(const FileStamp&) const = default;
};

/// Of what there is of a clip: its file, or the beginning of it that lies beside its place. Touches the disk.
FileStamp readStamp(const std::string& file);

/// What a clip's file turned out to be when it was opened.
struct ClipFacts {
    FileStamp stamp;
    video::ClipTiming timing;
    QSize size;                  ///< as shown
    std::vector<int> keyFrames;  ///< where decoding can begin
    std::uint64_t fullSize =
        0;  ///< bytes of the whole clip, of which only the beginning is here; 0: it is whole
    /// Where a proxy for looking for places in it belongs (core/video/clip_proxy.h); empty: it needs none.
    std::string proxy;
    bool hasProxy = false;  ///< it was there already
    QString error;          ///< why it cannot be opened, for a person; the rest is empty then

    bool isWhole() const { return stamp.bytes >= 0 && fullSize == 0; }
};

/// One clip's file, opened when its first frame is wanted, and read as it was at that moment; where it is
/// still on the cluster, as much of it as is here (core/video/clip_part.h). One thread at a time.
class ClipSource {
public:
    /// `proxies`: where those of clips lie; null: they are not asked for.
    explicit ClipSource(std::string file, std::shared_ptr<const video::ProxyFolder> proxies = nullptr)
        : m_file(std::move(file)), m_proxies(std::move(proxies)) {}

    const std::string& file() const { return m_file; }

    /// The frame made to fit its box, or why there is none; it carries the file's facts. Frames beyond the
    /// clip's end show its last one. A proxy fills its box, which is the size of the clip's own picture.
    /// Nothing where it was interrupted: a frame that is far from its key frame takes many times as long as
    /// others, and may not be wanted any more.
    std::optional<DecodedFrame> decode(FrameKey key, const std::function<bool()>& isInterrupted = {});

    /// What the open file holds in memory, roughly: a decoder keeps the pictures that later ones refer to.
    std::size_t bytesHeld() const;

private:
    void open();

    void findProxy(ClipFacts& facts) const;

    std::string m_file;
    std::shared_ptr<const video::ProxyFolder> m_proxies;
    std::unique_ptr<video::ClipReader> m_reader;
    std::shared_ptr<const ClipFacts> m_facts;  ///< null until it was tried to open the file
};

/// The size at which a clip is shown in a box, both in device pixels: as large as fits, in the clip's
/// proportions. Small clips (a third of the box or less) are enlarged by a whole factor, so that every pixel
/// of the model's is a crisp square.
QSize displaySize(QSize clip, QSize box);

}  // namespace dailies::ui
