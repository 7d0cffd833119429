#pragma once

#include "core/video/clip_file.h"
#include "core/video/libav.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace dailies::video {

/// A codec for one picture of this size, to be set up and given to `encodePicture`.
inline CodecPtr pictureCodec(const AVCodec& encoder, const Frame& frame, AVPixelFormat format) {
    CodecPtr codec(avcodec_alloc_context3(&encoder));
    codec->width = frame.width;
    codec->height = frame.height;
    codec->time_base = {1, 1};
    codec->pix_fmt = format;
    codec->flags |= AV_CODEC_FLAG_QSCALE;
    return codec;
}

/// The bytes of the file. `fill` draws into the picture that the codec reads. Throws `Error` that names the
/// format.
template <class Fill>
std::string encodePicture(AVCodecContext& codec, const char* format, const Fill& fill) {
    const auto check = [format](int result) {
        if (result < 0)
            throw Error(std::string("The picture could not be encoded as ") + format + " (" +
                        libavReason(result) + ").");
    };
    check(avcodec_open2(&codec, codec.codec, nullptr));
    const FramePtr picture(av_frame_alloc());
    picture->width = codec.width;
    picture->height = codec.height;
    picture->format = codec.pix_fmt;
    check(av_frame_get_buffer(picture.get(), 0));
    fill(*picture);
    const PacketPtr packet(av_packet_alloc());
    check(avcodec_send_frame(&codec, picture.get()));
    check(avcodec_send_frame(&codec, nullptr));
    check(avcodec_receive_packet(&codec, packet.get()));
    return {reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)};
}

/// The frame by the scaler into the picture. `padded`: room for a copy, kept from one frame to the next:
/// swscale's vector code reads whole groups of pixels, at the end of the last row beyond it.
inline void scaleInto(SwsContext& scaler, const Frame& frame, std::vector<std::uint8_t>& padded,
                      AVFrame& picture) {
    padded.resize(frame.rgb.size() + AV_INPUT_BUFFER_PADDING_SIZE);
    std::copy(frame.rgb.begin(), frame.rgb.end(), padded.begin());
    const std::uint8_t* rows[4] = {padded.data(), nullptr, nullptr, nullptr};
    const int rowBytes[4] = {3 * frame.width, 0, 0, 0};
    sws_scale(&scaler, rows, rowBytes, 0, frame.height, picture.data, picture.linesize);
}

}  // namespace dailies::video
