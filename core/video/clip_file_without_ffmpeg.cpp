// clip_file.h where FFmpeg's development files were not found at build time.
#include "core/base/error.h"
#include "core/video/clip_file.h"
#include "core/video/clip_head.h"
#include "core/video/frame_sink.h"
#include "core/video/jpeg.h"
#include "core/video/webp.h"

namespace dailies::video {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file) {
    throw Error("Cannot read the video " + file.string() + ": this program was built without FFmpeg.",
                "Install FFmpeg's development files (libavformat, libavcodec, libswscale) and build again.");
}

}  // namespace

struct ClipReader::Impl {
    ClipInfo info;
};

ClipReader::ClipReader(const std::filesystem::path& file) {
    refuse(file);
}
ClipReader::ClipReader(const VideoLocation& location) {
    refuse(location.text());
}
ClipReader::~ClipReader() = default;
ClipReader::ClipReader(ClipReader&&) noexcept = default;
ClipReader& ClipReader::operator=(ClipReader&&) noexcept = default;

// No object of this class exists in this build; the members below only complete it for the linker.
const ClipInfo& ClipReader::info() const {
    return m_impl->info;
}
double ClipReader::seconds(int) const {
    return 0;
}
std::vector<int> ClipReader::keyFrames() const {
    return {};
}
Frame ClipReader::frame(int, int, int) {
    return {};
}
void ClipReader::drawFrame(int, const PixelBuffer&) {}
void ClipReader::setInterrupt(std::function<bool()>) {}

std::optional<std::uint64_t> firstPictureEnd(const std::filesystem::path&) {
    return std::nullopt;
}

std::unique_ptr<FrameSink> makeMp4Sink(const std::filesystem::path&, int, int, const ClipEncoding&) {
    return nullptr;
}

std::string encodeJpeg(const Frame&) {
    throw Error("This program was built without FFmpeg, and makes no JPEG pictures.");
}

std::string base64(const std::string&) {
    return {};
}

std::optional<std::string> encodeWebp(const Frame&) {
    return std::nullopt;
}

}  // namespace dailies::video
