#include "core/video/jpeg.h"

#include "core/video/picture_encoder.h"

extern "C" {
#include <libavutil/base64.h>
}

namespace dailies::video {

namespace {

constexpr int kJpegQuality = 3;  ///< of 1 (best) to 31: some 90 of 100

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
    std::vector<std::uint8_t> padded;
    scaleInto(*scaler, frame, padded, picture);
}

}  // namespace

std::string encodeJpeg(const Frame& frame) {
    silenceLibav();
    const AVCodec* encoder = avcodec_find_encoder(AV_CODEC_ID_MJPEG);
    if (!encoder) throw Error("This machine's FFmpeg makes no JPEG pictures.");
    const auto codec = pictureCodec(*encoder, frame, AV_PIX_FMT_YUVJ420P);
    codec->color_range = AVCOL_RANGE_JPEG;
    codec->global_quality = kJpegQuality * FF_QP2LAMBDA;
    codec->thread_count = 1;
    return encodePicture(*codec, "JPEG", [&frame](AVFrame& picture) {
        picture.color_range = AVCOL_RANGE_JPEG;
        picture.quality = kJpegQuality * FF_QP2LAMBDA;  // which this encoder reads
        fillFullRange(frame, picture);
    });
}

std::string base64(const std::string& bytes) {
    std::string text(static_cast<std::size_t>(AV_BASE64_SIZE(bytes.size())), '\0');
    av_base64_encode(text.data(), static_cast<int>(text.size()),
                     reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
    text.pop_back();  // its terminator
    return text;
}

}  // namespace dailies::video
