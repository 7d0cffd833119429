#include "core/video/frame_converter.h"

#include "core/video/color_matrix.h"

#include <cstring>

namespace dailies::video {

namespace {

int bytesPerPixel(PixelBuffer::Layout layout) {
    return layout == PixelBuffer::Layout::Rgb24 ? 3 : 4;
}

AVPixelFormat pixelFormat(PixelBuffer::Layout layout) {
    return layout == PixelBuffer::Layout::Rgb24 ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_RGB32;
}

/// The length of a row as swscale's vector code likes it.
std::ptrdiff_t paddedRow(std::ptrdiff_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/// A buffer over scratch memory of the wanted size, its rows padded.
PixelBuffer scratch(std::vector<std::uint8_t>& memory, int width, int height, PixelBuffer::Layout layout) {
    const std::ptrdiff_t rowBytes = paddedRow(std::ptrdiff_t{width} * bytesPerPixel(layout));
    memory.resize(static_cast<std::size_t>(rowBytes) * height);
    return {memory.data(), width, height, rowBytes, layout};
}

void enlargeInto(const PixelBuffer& from, const PixelBuffer& to, int factor) {
    const int pixel = bytesPerPixel(from.layout);
    for (int y = 0; y < from.height; ++y) {
        const std::uint8_t* source = from.pixels + from.rowBytes * y;
        std::uint8_t* row = to.pixels + to.rowBytes * y * factor;
        for (int x = 0; x < from.width; ++x)
            for (int copy = 0; copy < factor; ++copy)
                std::memcpy(row + static_cast<std::ptrdiff_t>(pixel) * (x * factor + copy),
                            source + pixel * x, pixel);
        for (int copy = 1; copy < factor; ++copy)
            std::memcpy(row + to.rowBytes * copy, row, static_cast<std::size_t>(pixel) * to.width);
    }
}

void turnInto(const PixelBuffer& from, const PixelBuffer& to, const Orientation& o) {
    const int pixel = bytesPerPixel(from.layout);
    const int shiftX = (o.a < 0 || o.c < 0) ? to.width - 1 : 0;
    const int shiftY = (o.b < 0 || o.d < 0) ? to.height - 1 : 0;
    for (int y = 0; y < from.height; ++y) {
        for (int x = 0; x < from.width; ++x) {
            const int shownX = o.a * x + o.c * y + shiftX, shownY = o.b * x + o.d * y + shiftY;
            std::memcpy(to.pixels + to.rowBytes * shownY + static_cast<std::ptrdiff_t>(pixel) * shownX,
                        from.pixels + from.rowBytes * y + static_cast<std::ptrdiff_t>(pixel) * x, pixel);
        }
    }
}

void blendOverBlack(const std::uint8_t* rgba, const PixelBuffer& to) {
    for (int y = 0; y < to.height; ++y) {
        std::uint8_t* row = to.pixels + to.rowBytes * y;
        for (int x = 0; x < to.width; ++x, rgba += 4) {
            const auto over = [&](int channel) { return (rgba[channel] * rgba[3] + 127) / 255; };
            if (to.layout == PixelBuffer::Layout::Rgb24) {
                for (int channel = 0; channel < 3; ++channel)
                    row[3 * x + channel] = static_cast<std::uint8_t>(over(channel));
            } else {
                const std::uint32_t word = 0xff000000u | over(0) << 16 | over(1) << 8 | over(2);
                std::memcpy(row + std::ptrdiff_t{4} * x, &word, sizeof word);
            }
        }
    }
}

const std::uint8_t* displayMatrix(const AVStream& stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    const AVCodecParameters& parameters = *stream.codecpar;
    const AVPacketSideData* found = av_packet_side_data_get(
        parameters.coded_side_data, parameters.nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return found && found->size >= 9 * sizeof(std::int32_t) ? found->data : nullptr;
#else
    size_t size = 0;
    const std::uint8_t* found = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    return size >= 9 * sizeof(std::int32_t) ? found : nullptr;
#endif
}

}  // namespace

Orientation orientationOf(const AVStream& stream) {
    const std::uint8_t* bytes = displayMatrix(stream);
    if (!bytes) return {};
    // Row-major 3 × 3 in 16.16 fixed point, as QuickTime stores it; its upper left holds the turn.
    std::int32_t matrix[9];
    std::memcpy(matrix, bytes, sizeof matrix);
    const auto sign = [](std::int32_t v) { return v > 0x8000 ? 1 : v < -0x8000 ? -1 : 0; };
    const Orientation o{sign(matrix[0]), sign(matrix[1]), sign(matrix[3]), sign(matrix[4])};
    const bool straight = o.b == 0 && o.c == 0 && o.a != 0 && o.d != 0;
    const bool sideways = o.a == 0 && o.d == 0 && o.b != 0 && o.c != 0;
    return straight || sideways ? o : Orientation{};
}

FrameConverter::FrameConverter(Orientation orientation) : m_orientation(orientation) {}

void FrameConverter::convert(const AVFrame& frame, const PixelBuffer& buffer) {
    if (m_orientation.isUpright()) return scale(frame, buffer);
    const bool swap = m_orientation.isTransposed();
    PixelBuffer upright = scratch(m_upright, swap ? buffer.height : buffer.width,
                                  swap ? buffer.width : buffer.height, buffer.layout);
    upright.averaged = buffer.averaged;
    scale(frame, upright);
    turnInto(upright, buffer, m_orientation);
}

void FrameConverter::scale(const AVFrame& frame, const PixelBuffer& buffer) {
    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    if (!format) throw Error("A video frame has an unknown pixel format.");
    const int factor = buffer.width / frame.width;
    if (factor > 1 && buffer.width == frame.width * factor && buffer.height == frame.height * factor) {
        const PixelBuffer small = scratch(m_small, frame.width, frame.height, buffer.layout);
        scale(frame, small);
        enlargeInto(small, buffer, factor);
    } else if (format->flags & AV_PIX_FMT_FLAG_ALPHA) {
        m_alpha.resize(std::size_t{4} * buffer.width * buffer.height);
        scaleExact(
            frame,
            {m_alpha.data(), buffer.width, buffer.height, std::ptrdiff_t{4} * buffer.width, buffer.layout},
            AV_PIX_FMT_RGBA, SWS_BILINEAR);
        blendOverBlack(m_alpha.data(), buffer);
    } else if (buffer.width == frame.width && buffer.height == frame.height) {
        scaleExact(frame, buffer, pixelFormat(buffer.layout), SWS_BILINEAR);
    } else {
        scaleExact(frame, buffer, pixelFormat(buffer.layout), buffer.averaged ? SWS_AREA : SWS_FAST_BILINEAR);
    }
}

void FrameConverter::scaleExact(const AVFrame& frame, const PixelBuffer& buffer, AVPixelFormat format,
                                int flags) {
    m_scaler.reset(sws_getCachedContext(m_scaler.release(), frame.width, frame.height,
                                        static_cast<AVPixelFormat>(frame.format), buffer.width, buffer.height,
                                        format, flags, nullptr, nullptr, nullptr));
    if (!m_scaler) throw Error("A video frame cannot be converted to RGB.");
    const int guessed = usesBt709(frame.width, frame.height) ? SWS_CS_ITU709 : SWS_CS_ITU601;
    const int matrix =
        frame.colorspace == AVCOL_SPC_UNSPECIFIED ? guessed : static_cast<int>(frame.colorspace);
    const int fullRange = frame.color_range == AVCOL_RANGE_JPEG ? 1 : 0;
    constexpr int kUnity = 1 << 16;
    sws_setColorspaceDetails(m_scaler.get(), sws_getCoefficients(matrix), fullRange,
                             sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, kUnity, kUnity);
    // swscale's vector code writes whole groups of pixels, and at the end of a row beyond it
    constexpr int kGroup = 32;
    const int pixel = format == AV_PIX_FMT_RGB24 ? 3 : 4;
    const bool fits = buffer.width % kGroup == 0;
    const std::ptrdiff_t used = std::ptrdiff_t{pixel} * buffer.width;
    const std::ptrdiff_t padded =
        fits ? buffer.rowBytes : paddedRow(std::ptrdiff_t{pixel} * ((buffer.width / kGroup + 1) * kGroup));
    if (!fits) m_padded.resize(static_cast<std::size_t>(padded) * buffer.height);
    std::uint8_t* rows[4] = {fits ? buffer.pixels : m_padded.data(), nullptr, nullptr, nullptr};
    const int rowBytes[4] = {static_cast<int>(padded), 0, 0, 0};
    sws_scale(m_scaler.get(), frame.data, frame.linesize, 0, frame.height, rows, rowBytes);
    if (fits) return;
    for (int y = 0; y < buffer.height; ++y)
        std::memcpy(buffer.pixels + buffer.rowBytes * y, m_padded.data() + padded * y,
                    static_cast<std::size_t>(used));
}

}  // namespace dailies::video
