#include "core/base/error.h"
#include "core/video/color_matrix.h"
#include "core/video/frame_sink.h"

#include <cmath>
#include <fstream>
#include <string>

namespace dailies::video {

namespace {

/// Limited-range Y'CbCr from full-range R'G'B' (ITU-R BT.601-7 §2.5.1, BT.709-6 §3.2), rounded.
struct YuvMatrix {
    double kr, kb;

    void convert(const std::uint8_t* rgb, char& y, char& cb, char& cr) const {
        const double r = rgb[0] / 255.0, g = rgb[1] / 255.0, b = rgb[2] / 255.0;
        const double luma = kr * r + (1 - kr - kb) * g + kb * b;
        y = static_cast<char>(std::lround(16 + 219 * luma));
        cb = static_cast<char>(std::lround(128 + 112 * (b - luma) / (1 - kb)));
        cr = static_cast<char>(std::lround(128 + 112 * (r - luma) / (1 - kr)));
    }
};

std::string planes(const Frame& frame) {
    const YuvMatrix matrix =
        usesBt709(frame.width, frame.height) ? YuvMatrix{0.2126, 0.0722} : YuvMatrix{0.299, 0.114};
    const std::size_t plane = static_cast<std::size_t>(frame.width) * frame.height;
    std::string bytes(3 * plane, '\0');
    char* out = bytes.data();
    for (std::size_t i = 0; i < plane; ++i)
        matrix.convert(&frame.rgb[3 * i], out[i], out[plane + i], out[2 * plane + i]);
    return bytes;
}

class Y4mSink : public FrameSink {
public:
    Y4mSink(const std::filesystem::path& file, int width, int height, const ClipEncoding& encoding)
        : m_file(file, std::ios::binary) {
        constexpr int kRateDenominator = 1000;
        m_file << "YUV4MPEG2 W" << width << " H" << height << " F"
               << std::lround(encoding.fps * kRateDenominator) << ":" << kRateDenominator
               << " Ip A1:1 C444\n";
    }

    void add(const Frame& frame) override { m_file << "FRAME\n" << planes(frame); }

    void finish() override {
        m_file.close();
        if (!m_file) throw Error("the temporary folder has no room");
    }

private:
    std::ofstream m_file;
};

}  // namespace

std::unique_ptr<FrameSink> makeY4mSink(const std::filesystem::path& file, int width, int height,
                                       const ClipEncoding& encoding) {
    return std::make_unique<Y4mSink>(file, width, height, encoding);
}

}  // namespace dailies::video
