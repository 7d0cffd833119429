#include "core/video/decoder.h"

#include <algorithm>
#include <limits>

namespace dailies::video {

namespace {

/// A picture of 16K × 8K. A file that tells of a larger one is damaged, and would take gigabytes.
constexpr std::int64_t kMaxPixels = std::int64_t{1} << 27;

/// In packets: so near its key frame, a frame that is wanted alone is decoded with nothing after it.
constexpr int kShortWay = 16;

}  // namespace

Decoder::Decoder(const VideoLocation& location)
    : m_location(location),
      m_input(openInput(location)),
      m_stream(selectVideoStream(*m_input, location)),
      m_index(*m_input, m_stream) {
    requireFrames();
    openCodec();
    // VP8 has packets that are never shown, and only their decoding tells which.
    if (!m_index.hasTimes() || m_codec->codec_id == AV_CODEC_ID_VP8) {
        m_index.setOrder(decodedOrder());
        requireFrames();
    }
}

void Decoder::requireFrames() const {
    if (m_index.frames() == 0)
        throw Error(
            "Cannot read the video " + m_location.text() + ": it is truncated before its first frame.",
            "If it is still being written or copied, try again later.");
}

void Decoder::openCodec() {
    const AVCodecParameters& parameters = *stream().codecpar;
    const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
    if (!codec)
        throw Error("Cannot read the video " + m_location.text() + ": this machine's FFmpeg cannot decode '" +
                        avcodec_get_name(parameters.codec_id) + "'.",
                    "Convert the file to H.264.");
    if (std::int64_t{parameters.width} * parameters.height > kMaxPixels)
        throw Error("Cannot read the video " + m_location.text() + ": its frame size is too large: " +
                    std::to_string(parameters.width) + "x" + std::to_string(parameters.height) + ".");
    m_codec.reset(avcodec_alloc_context3(codec));
    m_codec->max_pixels = kMaxPixels;
    // Many clips are decoded at once, one a thread; threads within a decoder would only add latency and
    // contention.
    m_codec->thread_count = 1;
    int result = avcodec_parameters_to_context(m_codec.get(), &parameters);
    if (result >= 0) result = avcodec_open2(m_codec.get(), codec, nullptr);
    if (result < 0)
        throw Error("Cannot read the video " + m_location.text() + ": its '" + codec->name +
                    "' stream cannot be decoded (" + libavReason(result) + ").");
}

const AVFrame& Decoder::frame(int n) {
    if (n == m_current) return *m_frame;
    const int start = m_index.decodeStartFor(n);
    const bool onTheWay = m_nextPacket >= 0 && n > m_current && start <= m_nextPacket;
    const bool goesOn = m_current >= 0 && n == m_current + 1;
    if (onTheWay && decodeUpTo(n)) return *m_frame;
    seekTo(start);
    if (!goesOn && m_index.packetOfFrame(n) - start <= kShortWay) {
        if (decodeAlone(n)) return *m_frame;
        seekTo(start);
    }
    if (decodeUpTo(n)) return *m_frame;
    // With gradual intra refresh a "key" packet only begins a refresh that completes one group later.
    if (start > 0) {
        seekTo(m_index.keyBefore(start));
        if (decodeUpTo(n)) return *m_frame;
    }
    throw Error("Frame " + std::to_string(n) + " of the video " + m_location.text() +
                    " is damaged and cannot be decoded.",
                "If the file was copied, copy it again.");
}

bool Decoder::decodeUpTo(int n) {
    m_current = -1;
    for (std::size_t damages = 0; damages <= m_index.packets().size();) {
        const int result = avcodec_receive_frame(m_codec.get(), m_frame.get());
        if (result == AVERROR(EAGAIN)) {
            if (m_isInterrupted && m_isInterrupted()) throw Cancelled();
            if (readPacket()) {
                const int shownAs = m_index.packets()[static_cast<std::size_t>(m_nextPacket)].shownAs;
                // On the way to the wanted frame, pictures that no other refers to need not be decoded.
                m_codec->skip_frame = shownAs < n ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
                sendPacket(shownAs);
            } else {
                avcodec_send_packet(m_codec.get(), nullptr);  // drain what the decoder holds back
            }
        } else if (result == AVERROR_EOF || (result >= 0 && m_frame->pts > n)) {
            break;
        } else if (result < 0) {
            ++damages;  // one picture is lost; the wanted one may still come
        } else if (m_frame->pts == n) {
            m_current = n;
            return true;
        }
    }
    m_nextPacket = -1;
    return false;
}

bool Decoder::decodeAlone(int n) {
    m_current = -1;
    const auto came = [&] {
        while (avcodec_receive_frame(m_codec.get(), m_frame.get()) >= 0)
            if (m_frame->pts == n) {
                m_current = n;
                return true;
            }
        return false;
    };
    while (m_nextPacket <= m_index.packetOfFrame(n) && readPacket()) {
        const int shownAs = m_index.packets()[static_cast<std::size_t>(m_nextPacket)].shownAs;
        m_codec->skip_frame = shownAs < n ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
        sendPacket(shownAs);
        if (came()) return true;
    }
    avcodec_send_packet(m_codec.get(), nullptr);
    m_nextPacket = -1;  // a drained decoder begins anew
    return came();
}

std::vector<int> Decoder::decodedOrder() {
    std::vector<int> order;
    seekTo(0);
    const auto packets = static_cast<std::int64_t>(m_index.packets().size());
    const auto take = [&] {
        while (avcodec_receive_frame(m_codec.get(), m_frame.get()) >= 0)
            if (m_frame->pts >= 0 && m_frame->pts < packets)  // a damaged stream may give frames of no packet
                order.push_back(static_cast<int>(m_frame->pts));
    };
    while (readPacket()) {
        sendPacket(m_nextPacket);
        take();
    }
    avcodec_send_packet(m_codec.get(), nullptr);
    take();
    m_nextPacket = -1;
    return order;
}

void Decoder::seekTo(int packet) {
    avcodec_flush_buffers(m_codec.get());
    m_current = m_nextPacket = -1;
    m_pending = false;
    const PacketIndex::Packet& target = m_index.packets()[static_cast<std::size_t>(packet)];
    const std::int64_t time = target.dts != AV_NOPTS_VALUE ? target.dts : target.pts;
    if (avformat_seek_file(m_input.get(), m_stream, std::numeric_limits<std::int64_t>::min(), time, time,
                           0) >= 0)
        skipTo(packet);
    // Where a container cannot seek, or lands too late, the way from the file's beginning is slow and always
    // right.
    if (m_nextPacket < 0) {
        reopen();
        skipTo(packet);
    }
}

void Decoder::reopen() {
    m_input = openInput(m_location);
    m_stream = selectVideoStream(*m_input, m_location);
}

void Decoder::skipTo(int packet) {
    while (av_read_frame(m_input.get(), m_packet.get()) >= 0) {
        const auto number = m_packet->stream_index == m_stream ? m_index.find(*m_packet) : std::nullopt;
        if (number && *number > packet) break;
        if (number == packet) {
            m_nextPacket = packet;
            m_pending = true;
            return;
        }
        av_packet_unref(m_packet.get());
    }
    av_packet_unref(m_packet.get());
}

bool Decoder::readPacket() {
    if (m_nextPacket < 0 || m_nextPacket >= static_cast<int>(m_index.packets().size())) return false;
    while (!m_pending) {
        if (av_read_frame(m_input.get(), m_packet.get()) < 0) return false;
        m_pending = m_packet->stream_index == m_stream && m_index.find(*m_packet) == m_nextPacket;
        if (!m_pending) av_packet_unref(m_packet.get());
    }
    return true;
}

void Decoder::sendPacket(int pts) {
    m_packet->pts = pts;
    m_packet->dts = m_nextPacket;
    // A damaged packet is refused here or by receive_frame; either way its frame never comes, which frame()
    // reports.
    avcodec_send_packet(m_codec.get(), m_packet.get());
    av_packet_unref(m_packet.get());
    m_pending = false;
    ++m_nextPacket;
}

}  // namespace dailies::video
