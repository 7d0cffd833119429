#pragma once

#include "core/base/error.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

namespace dailies::video {

/// A deleter for libav's objects, whose free functions take a pointer to the pointer.
template <auto freeFunction>
struct LibavDeleter {
    template <typename T>
    void operator()(T* object) const {
        freeFunction(&object);
    }
};

using InputPtr = std::unique_ptr<AVFormatContext, LibavDeleter<avformat_close_input>>;
using CodecPtr = std::unique_ptr<AVCodecContext, LibavDeleter<avcodec_free_context>>;
using PacketPtr = std::unique_ptr<AVPacket, LibavDeleter<av_packet_free>>;
using FramePtr = std::unique_ptr<AVFrame, LibavDeleter<av_frame_free>>;

inline std::string libavReason(int code) {
    char text[AV_ERROR_MAX_STRING_SIZE] = {};
    av_strerror(code, text, sizeof text);
    return text;
}

/// libav prints its own complaints on standard error; ours reach the person as `Error`s.
inline void silenceLibav() {
    av_log_set_level(AV_LOG_QUIET);
}

}  // namespace dailies::video
