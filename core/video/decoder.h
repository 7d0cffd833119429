#pragma once

#include "core/video/clip_file.h"
#include "core/video/libav.h"
#include "core/video/packet_index.h"

#include <functional>
#include <utility>
#include <vector>

namespace dailies::video {

/// Decodes any frame of one video stream by its number. Holds the file open.
class Decoder {
public:
    explicit Decoder(const VideoLocation& location);

    const PacketIndex& index() const { return m_index; }
    const AVStream& stream() const { return *m_input->streams[m_stream]; }
    const AVCodecContext& codec() const { return *m_codec; }

    /// The decoded frame n, valid until the next call; throws `Error` when the file's data for it are
    /// damaged.
    const AVFrame& frame(int n);

    /// See `ClipReader::setInterrupt`.
    void setInterrupt(std::function<bool()> isInterrupted) { m_isInterrupted = std::move(isInterrupted); }

private:
    void requireFrames() const;
    void openCodec();
    std::vector<int> decodedOrder();
    bool decodeUpTo(int n);  ///< frame n is in m_frame; false when it does not come
    /// The same for a frame near the key frame that was sought. Decoders hold pictures back until they know
    /// which is shown first, and would decode two or three that nobody asked for; drained, they give what
    /// they have.
    bool decodeAlone(int n);
    void seekTo(int packet);
    void reopen();
    void skipTo(int packet);
    bool readPacket();  ///< packet m_nextPacket is in m_packet; false at the end of the index
    void sendPacket(int pts);

    VideoLocation m_location;
    InputPtr m_input;
    int m_stream = 0;
    PacketIndex m_index;
    CodecPtr m_codec;
    PacketPtr m_packet{av_packet_alloc()};
    FramePtr m_frame{av_frame_alloc()};
    int m_current = -1;     ///< number of the frame in m_frame; -1: none
    int m_nextPacket = -1;  ///< that the demuxer gives next; -1: unknown, a seek is needed
    std::function<bool()> m_isInterrupted;
    bool m_pending = false;  ///< m_packet holds m_nextPacket already, read while looking for it
};

}  // namespace dailies::video
