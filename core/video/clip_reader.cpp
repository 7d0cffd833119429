#include "core/base/error.h"
#include "core/video/clip_file.h"
#include "core/video/decoder.h"
#include "core/video/frame_converter.h"

#include <algorithm>
#include <utility>

namespace dailies::video {

struct ClipReader::Impl {
    explicit Impl(const VideoLocation& location)
        : name(location.text()),
          decoder(location),
          orientation(orientationOf(decoder.stream())),
          converter(orientation) {
        const AVStream& stream = decoder.stream();
        // Some streams learn their size only from their first picture.
        const bool sizeKnown = stream.codecpar->width > 0 && stream.codecpar->height > 0;
        info.width = sizeKnown ? stream.codecpar->width : decoder.frame(0).width;
        info.height = sizeKnown ? stream.codecpar->height : decoder.frame(0).height;
        if (orientation.isTransposed()) std::swap(info.width, info.height);
        info.frames = decoder.index().frames();
        info.fps = stream.avg_frame_rate.num > 0 && stream.avg_frame_rate.den > 0
                       ? av_q2d(stream.avg_frame_rate)
                       : decoder.index().averageRate(stream.time_base);
        info.codec = avcodec_get_name(stream.codecpar->codec_id);
    }

    std::string name;
    Decoder decoder;
    Orientation orientation;
    FrameConverter converter;
    ClipInfo info;
};

ClipReader::ClipReader(const std::filesystem::path& file) : ClipReader(VideoLocation{file}) {}
ClipReader::ClipReader(const VideoLocation& location) : m_impl(std::make_unique<Impl>(location)) {}
ClipReader::~ClipReader() = default;
ClipReader::ClipReader(ClipReader&&) noexcept = default;
ClipReader& ClipReader::operator=(ClipReader&&) noexcept = default;

const ClipInfo& ClipReader::info() const {
    return m_impl->info;
}

double ClipReader::seconds(int n) const {
    const auto& index = m_impl->decoder.index();
    if (index.hasTimes())
        // damaged files hold times so far apart that integers overflow
        return (static_cast<double>(index.timeOf(n)) - static_cast<double>(index.timeOf(0))) *
               av_q2d(m_impl->decoder.stream().time_base);
    return info().fps > 0 ? n / info().fps : 0;
}

std::vector<int> ClipReader::keyFrames() const {
    const auto& index = m_impl->decoder.index();
    std::vector<int> frames;
    for (const PacketIndex::Packet& packet : index.packets())
        if (packet.key && packet.shownAs != PacketIndex::kNotShown) frames.push_back(packet.shownAs);
    std::sort(frames.begin(), frames.end());
    return frames;
}

Frame ClipReader::frame(int n, int width, int height) {
    const bool ownSize = width <= 0 || height <= 0;
    Frame frame{ownSize ? info().width : width, ownSize ? info().height : height, {}};
    frame.rgb.resize(std::size_t{3} * frame.width * frame.height);
    drawFrame(n, {frame.rgb.data(), frame.width, frame.height, std::ptrdiff_t{3} * frame.width,
                  PixelBuffer::Layout::Rgb24});
    return frame;
}

void ClipReader::drawFrame(int n, const PixelBuffer& buffer) {
    if (n < 0 || n >= info().frames)
        throw Error("The video " + m_impl->name + " has no frame " + std::to_string(n) + ".",
                    "Its frames are 0 to " + std::to_string(info().frames - 1) + ".");
    m_impl->converter.convert(m_impl->decoder.frame(n), buffer);
}

void ClipReader::setInterrupt(std::function<bool()> isInterrupted) {
    m_impl->decoder.setInterrupt(std::move(isInterrupted));
}

}  // namespace dailies::video
