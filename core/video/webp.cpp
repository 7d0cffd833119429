#include "core/video/webp.h"

#include "core/base/error.h"
#include "core/video/libav.h"

namespace dailies::video {

namespace {

constexpr double kQuality = 80;

void check(int result) {
    if (result < 0) throw Error("The picture could not be encoded as WebP (" + libavReason(result) + ").");
}

}  // namespace

std::optional<std::string> encodeWebp(const Frame& frame) {
    silenceLibav();
    const AVCodec* encoder = avcodec_find_encoder_by_name("libwebp");
    if (!encoder) return std::nullopt;
    const CodecPtr codec(avcodec_alloc_context3(encoder));
    codec->width = frame.width;
    codec->height = frame.height;
    codec->time_base = {1, 1};
    codec->pix_fmt = AV_PIX_FMT_RGB32;  // the encoder makes its own YUV of it
    codec->flags |= AV_CODEC_FLAG_QSCALE;
    codec->global_quality = static_cast<int>(kQuality * FF_QP2LAMBDA);
    check(avcodec_open2(codec.get(), encoder, nullptr));

    const FramePtr picture(av_frame_alloc());
    picture->width = frame.width;
    picture->height = frame.height;
    picture->format = codec->pix_fmt;
    check(av_frame_get_buffer(picture.get(), 0));
    for (int y = 0; y < frame.height; ++y) {
        auto* row =
            reinterpret_cast<std::uint32_t*>(picture->data[0] + std::ptrdiff_t{y} * picture->linesize[0]);
        const std::uint8_t* from = &frame.rgb[std::size_t{3} * frame.width * y];
        for (int x = 0; x < frame.width; ++x, from += 3)
            row[x] = 0xff000000u | std::uint32_t{from[0]} << 16 | std::uint32_t{from[1]} << 8 | from[2];
    }
    const PacketPtr packet(av_packet_alloc());
    check(avcodec_send_frame(codec.get(), picture.get()));
    check(avcodec_send_frame(codec.get(), nullptr));
    check(avcodec_receive_packet(codec.get(), packet.get()));
    return std::string(reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size));
}

}  // namespace dailies::video
