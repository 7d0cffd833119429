#include "core/base/error.h"
#include "core/video/frame_sink.h"
#include "core/video/picture_encoder.h"

#include <algorithm>
#include <vector>

namespace dailies::video {

namespace {

struct OutputCloser {
    void operator()(AVFormatContext* output) const {
        avio_closep(&output->pb);
        avformat_free_context(output);
    }
};
using OutputPtr = std::unique_ptr<AVFormatContext, OutputCloser>;

/// One H.264 stream in an MP4 file.
class Mp4Sink : public FrameSink {
public:
    Mp4Sink(const std::filesystem::path& file, const AVCodec& codec, int width, int height,
            const ClipEncoding& encoding) {
        AVFormatContext* output = nullptr;
        check(avformat_alloc_output_context2(&output, nullptr, "mp4", file.c_str()));
        m_output.reset(output);
        m_codec.reset(avcodec_alloc_context3(&codec));
        configure(width, height, encoding);
        check(avcodec_open2(m_codec.get(), &codec, nullptr));
        m_stream = avformat_new_stream(output, nullptr);
        m_stream->time_base = m_codec->time_base;
        m_stream->avg_frame_rate = m_codec->framerate;
        check(avcodec_parameters_from_context(m_stream->codecpar, m_codec.get()));
        check(avio_open(&output->pb, ("file:" + file.string()).c_str(), AVIO_FLAG_WRITE));
        AVDictionary* options = nullptr;
        av_dict_set(&options, "movflags", "+faststart", 0);
        const int result = avformat_write_header(output, &options);
        av_dict_free(&options);
        check(result);
        allocatePicture();
    }

    void add(const Frame& frame) override {
        check(av_frame_make_writable(m_picture.get()));
        scaleInto(*m_scaler, frame, m_padded, *m_picture);
        m_picture->pts = m_count++;
        encode(m_picture.get());
    }

    void finish() override {
        encode(nullptr);
        check(av_write_trailer(m_output.get()));
        check(avio_closep(&m_output->pb));
    }

private:
    static void check(int result) {
        if (result < 0) throw Error("the encoder failed (" + libavReason(result) + ")");
    }

    void configure(int width, int height, const ClipEncoding& encoding) {
        m_codec->width = width;
        m_codec->height = height;
        m_codec->framerate = av_d2q(encoding.fps, 100'000);
        m_codec->time_base = av_inv_q(m_codec->framerate);
        m_codec->gop_size = encoding.gopFrames;
        // A B-frame waits for the frames behind it: without them a tenth more bytes, and half of a seek.
        m_codec->max_b_frames = 0;
        m_codec->thread_count = 1;  // clips are small, and bytes must not depend on the number of cores
        m_codec->pix_fmt = AV_PIX_FMT_YUV420P;  // what browsers and players all take
        m_codec->color_range = AVCOL_RANGE_MPEG;
        m_codec->colorspace = AVCOL_SPC_BT709;
        m_codec->color_primaries = AVCOL_PRI_BT709;
        m_codec->color_trc = AVCOL_TRC_BT709;
        if (m_output->oformat->flags & AVFMT_GLOBALHEADER) m_codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        check(av_opt_set_double(m_codec->priv_data, "crf", encoding.crf, 0));
        check(av_opt_set(m_codec->priv_data, "preset", encoding.quick ? "ultrafast" : "veryfast", 0));
        // A wall decodes dozens of clips on a CPU. Without arithmetic coding that takes half the time, for a
        // tenth to a sixth more bytes; the pictures are the same.
        check(av_opt_set(m_codec->priv_data, "coder", "cavlc", 0));
    }

    void allocatePicture() {
        m_picture->format = m_codec->pix_fmt;
        m_picture->width = m_codec->width;
        m_picture->height = m_codec->height;
        check(av_frame_get_buffer(m_picture.get(), 0));
        m_scaler.reset(sws_getContext(m_codec->width, m_codec->height, AV_PIX_FMT_RGB24, m_codec->width,
                                      m_codec->height, m_codec->pix_fmt, SWS_BILINEAR | SWS_ACCURATE_RND,
                                      nullptr, nullptr, nullptr));
        if (!m_scaler) throw Error("frames of this size cannot be converted");
        constexpr int kUnity = 1 << 16;
        sws_setColorspaceDetails(m_scaler.get(), sws_getCoefficients(SWS_CS_DEFAULT), 1,
                                 sws_getCoefficients(SWS_CS_ITU709), 0, 0, kUnity, kUnity);
    }

    void encode(const AVFrame* picture) {
        check(avcodec_send_frame(m_codec.get(), picture));
        for (;;) {
            const int result = avcodec_receive_packet(m_codec.get(), m_packet.get());
            if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
            check(result);
            m_packet->duration = 1;  // else MP4 gives the last frame no time, and it is lost to players
            m_packet->stream_index = m_stream->index;
            av_packet_rescale_ts(m_packet.get(), m_codec->time_base, m_stream->time_base);
            check(av_interleaved_write_frame(m_output.get(), m_packet.get()));
        }
    }

    OutputPtr m_output;
    CodecPtr m_codec;
    AVStream* m_stream = nullptr;
    PacketPtr m_packet{av_packet_alloc()};
    FramePtr m_picture{av_frame_alloc()};
    std::unique_ptr<SwsContext, decltype(&sws_freeContext)> m_scaler{nullptr, &sws_freeContext};
    std::vector<std::uint8_t> m_padded;  ///< scratch: the picture with room behind it
    std::int64_t m_count = 0;
};

}  // namespace

std::unique_ptr<FrameSink> makeMp4Sink(const std::filesystem::path& file, int width, int height,
                                       const ClipEncoding& encoding) {
    silenceLibav();
    const AVCodec* h264 = avcodec_find_encoder_by_name("libx264");
    return h264 ? std::make_unique<Mp4Sink>(file, *h264, width, height, encoding) : nullptr;
}

}  // namespace dailies::video
