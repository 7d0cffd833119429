#include "core/video/jpeg.h"

#include "core/base/error.h"
#include "core/video/libav.h"

extern "C" {
#include <libavutil/base64.h>
}

#include <algorithm>

namespace dailies::video {

namespace {

constexpr int kJpegQuality = 3;  ///< of 1 (best) to 31: some 90 of 100

void checkJpeg(int result) {
    if (result < 0) throw Error("The picture could not be encoded as JPEG (" + libavReason(result) + ").");
}

/// As JPEG's readers expect it: BT.601 in all of the 256 levels.
void fillFullRange(const Frame& frame, AVFrame& picture) {
    using ScalerPtr = std::unique_ptr<SwsContext, decltype(&sws_freeContext)>;
    const ScalerPtr scaler(sws_getContext(frame.width, frame.height, AV_PIX_FMT_RGB24, frame.width,
                                          frame.height, static_cast<AVPixelFormat>(picture.format),
                                          SWS_BILINEAR | SWS_ACCURATE_RND, nullptr, nullptr, nullptr),
                           &sws_freeContext);
    if (!scaler) throw Error("A picture of this size cannot be encoded as JPEG.");
    constexpr int kUnity = 1 << 16;
    const auto* matrix = sws_getCoefficients(SWS_CS_ITU601);
    sws_setColorspaceDetails(scaler.get(), matrix, 1, matrix, 1, 0, kUnity, kUnity);
    // swscale's vector code reads whole groups of pixels, at the end of the last row beyond it
    std::vector<std::uint8_t> source(frame.rgb.size() + AV_INPUT_BUFFER_PADDING_SIZE);
    std::ranges::copy(frame.rgb, source.begin());
    const std::uint8_t* rows[4] = {source.data(), nullptr, nullptr, nullptr};
    const int rowBytes[4] = {3 * frame.width, 0, 0, 0};
    sws_scale(scaler.get(), rows, rowBytes, 0, frame.height, picture.data, picture.linesize);
}

}  // namespace

std::string encodeJpeg(const Frame& frame) {
    silenceLibav();
    const AVCodec* encoder = avcodec_find_encoder(AV_CODEC_ID_MJPEG);
    if (!encoder) throw Error("This machine's FFmpeg makes no JPEG pictures.");
    const CodecPtr codec(avcodec_alloc_context3(encoder));
    codec->width = frame.width;
    codec->height = frame.height;
    codec->time_base = {1, 1};
    codec->pix_fmt = AV_PIX_FMT_YUVJ420P;
    codec->color_range = AVCOL_RANGE_JPEG;
    codec->flags |= AV_CODEC_FLAG_QSCALE;
    codec->global_quality = kJpegQuality * FF_QP2LAMBDA;
    codec->thread_count = 1;
    checkJpeg(avcodec_open2(codec.get(), encoder, nullptr));

    const FramePtr picture(av_frame_alloc());
    picture->width = frame.width;
    picture->height = frame.height;
    picture->format = codec->pix_fmt;
    picture->color_range = AVCOL_RANGE_JPEG;
    picture->quality = codec->global_quality;
    checkJpeg(av_frame_get_buffer(picture.get(), 0));
    fillFullRange(frame, *picture);
    const PacketPtr packet(av_packet_alloc());
    checkJpeg(avcodec_send_frame(codec.get(), picture.get()));
    checkJpeg(avcodec_send_frame(codec.get(), nullptr));
    checkJpeg(avcodec_receive_packet(codec.get(), packet.get()));
    return {reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)};
}

std::string base64(const std::string& bytes) {
    std::string text(static_cast<std::size_t>(AV_BASE64_SIZE(bytes.size())), '\0');
    av_base64_encode(text.data(), static_cast<int>(text.size()),
                     reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
    text.pop_back();  // its terminator
    return text;
}

}  // namespace dailies::video
