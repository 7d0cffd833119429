#pragma once

#include "core/video/clip_file.h"
#include "core/video/libav.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace dailies::video {

/// Opens a file for demuxing, or a folder of pictures; throws `Error` with its name and what is wrong.
InputPtr openInput(const VideoLocation& location);

/// The number of the stream to show, all others discarded by the demuxer; throws `Error` when there is none.
int selectVideoStream(AVFormatContext& input, const VideoLocation& location);

/// Every whole packet of one video stream in decoding order, and the order in which their frames are shown.
///
/// What the index is for: a container seeks by time stamp and only to somewhere near, and decoders put out
/// frames in another order than they take packets in. With the whole order known, "frame n" has one meaning
/// for every file: the n-th presentation time. Packets carry n through the decoder as their pts.
class PacketIndex {
public:
    static constexpr int kNotShown =
        -1;  ///< the frame of such a packet (before an edit list's start) is decoded and dropped

    struct Packet {
        std::int64_t pts = 0;
        std::int64_t dts = 0;
        int shownAs = kNotShown;  ///< frame number
        bool key = false;
    };

    /// Reads the stream's packets to their end (or to where the file breaks off).
    PacketIndex(AVFormatContext& input, int stream);

    /// Whether every packet says when it is shown. AVI and raw streams do not; then the order must be learnt
    /// by decoding.
    bool hasTimes() const { return m_hasTimes; }
    void setOrder(
        std::vector<int> packetsAsShown);  ///< packet numbers, in the order in which their frames are shown

    int frames() const { return static_cast<int>(m_packetOfFrame.size()); }
    const std::vector<Packet>& packets() const { return m_packets; }  ///< in decoding order

    /// The packet from which decoding must begin to reach frame n: the last key packet before it in decoding
    /// order that is also shown no later, for frames that a key frame's followers show before it (open groups
    /// of pictures) need the group before.
    int decodeStartFor(int frame) const;
    int keyBefore(int packet) const;  ///< 0 when there is none
    int packetOfFrame(int frame) const { return m_packetOfFrame[static_cast<std::size_t>(frame)]; }

    /// When a frame is shown, in the stream's time base; only where `hasTimes`.
    std::int64_t timeOf(int frame) const {
        return m_packets[static_cast<std::size_t>(packetOfFrame(frame))].pts;
    }

    /// Which packet the demuxer has just read; nothing for one that is not in the index.
    std::optional<int> find(const AVPacket& packet) const;

    /// Frames per second by the presentation times; 0 for fewer than two frames.
    double averageRate(AVRational timeBase) const;

private:
    bool m_hasTimes = true;
    std::vector<Packet> m_packets;
    std::vector<int> m_packetOfFrame;
    std::map<std::pair<std::int64_t, std::int64_t>, int> m_byPlace;  ///< (byte position, dts) → packet
};

}  // namespace dailies::video
