#include "core/video/webp.h"

#include "core/video/picture_encoder.h"

namespace dailies::video {

namespace {

constexpr double kQuality = 80;

}  // namespace

std::optional<std::string> encodeWebp(const Frame& frame) {
    silenceLibav();
    const AVCodec* encoder = avcodec_find_encoder_by_name("libwebp");
    if (!encoder) return std::nullopt;
    // the encoder makes its own YUV of it
    const auto codec = pictureCodec(*encoder, frame, AV_PIX_FMT_RGB32);
    codec->global_quality = static_cast<int>(kQuality * FF_QP2LAMBDA);
    return encodePicture(*codec, "WebP", [&frame](AVFrame& picture) {
        for (int y = 0; y < frame.height; ++y) {
            auto* row =
                reinterpret_cast<std::uint32_t*>(picture.data[0] + std::ptrdiff_t{y} * picture.linesize[0]);
            const std::uint8_t* from = &frame.rgb[std::size_t{3} * frame.width * y];
            for (int x = 0; x < frame.width; ++x, from += 3)
                row[x] = 0xff000000u | std::uint32_t{from[0]} << 16 | std::uint32_t{from[1]} << 8 | from[2];
        }
    });
}

}  // namespace dailies::video
