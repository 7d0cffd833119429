#include "core/video/clip_proxy.h"

#include "core/base/error.h"
#include "core/video/clip_file.h"
#include "core/video/frame_sink.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace dailies::video {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kProxyEnding = ".proxy.mp4";
/// Of 512×512: 25 of that size are decoded and shown within the time of a seek, larger ones would not be.
constexpr double kMaxProxyPixels = 1 << 18;
constexpr int kCrf = 23;
constexpr double kFps = 25;  ///< of no meaning

/// The clip's size, or as much of it as a proxy may have; even, as H.264 needs it.
std::pair<int, int> proxySize(const ClipInfo& clip) {
    const double scale =
        std::min(1.0, std::sqrt(kMaxProxyPixels / (static_cast<double>(clip.width) * clip.height)));
    const auto even = [&](int side) {
        return std::max(2 * static_cast<int>(std::lround(side * scale / 2)), 2);
    };
    return {even(clip.width), even(clip.height)};
}

/// The frame of the clip at the proxy's size; false when it cannot be decoded.
bool read(ClipReader& reader, int n, Frame& into) {
    try {
        reader.drawFrame(n, {.pixels = into.rgb.data(),
                             .width = into.width,
                             .height = into.height,
                             .rowBytes = std::ptrdiff_t{3} * into.width,
                             .averaged = true});
    } catch (const Error&) {
        return false;
    }
    return true;
}

std::optional<ClipReader> open(const fs::path& clip) {
    try {
        return ClipReader(clip);
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Removes what was begun, unless it was finished.
class Unfinished {
public:
    explicit Unfinished(fs::path file) : m_file(std::move(file)) {}
    ~Unfinished() {
        std::error_code gone;
        fs::remove(m_file, gone);
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    const fs::path& file() const { return m_file; }

    /// After a power failure too the name stands for the whole file or for none.
    void moveTo(const fs::path& file) const {
        const int opened = ::open(m_file.c_str(), O_RDONLY | O_CLOEXEC);
        const bool isSafe = opened >= 0 && ::fsync(opened) == 0;
        if (opened >= 0) ::close(opened);
        if (!isSafe) throw Error("it could not be written to the disk");
        fs::rename(m_file, file);
    }

private:
    fs::path m_file;
};

/// Encodes all frames; false when one cannot be decoded.
bool encode(ClipReader& reader, const fs::path& file, const std::stop_token& stop) {
    const auto [width, height] = proxySize(reader.info());
    const auto sink = makeMp4Sink(file, width, height, {.fps = kFps, .crf = kCrf, .quick = true});
    if (!sink) throw Error("this machine's FFmpeg has no encoder for H.264");
    Frame frame{width, height, std::vector<std::uint8_t>(std::size_t{3} * width * height)};
    for (int n = 0; n < reader.info().frames; ++n) {
        if (stop.stop_requested()) throw Cancelled();
        if (!read(reader, n, frame)) return false;
        sink->add(frame);
    }
    sink->finish();
    return true;
}

}  // namespace

bool needsProxy(const std::vector<int>& keyFrames, int frames) {
    int before = 0;
    const auto isFar = [&](int keyFrame) {
        return keyFrame - std::exchange(before, keyFrame) > kProxyFromGap;
    };
    return std::ranges::any_of(keyFrames, isFar) || isFar(frames);
}

bool isProxy(const fs::path& file) {
    return std::string_view(file.native()).ends_with(kProxyEnding);
}

bool writeProxy(const fs::path& clip, const fs::path& proxy, const std::stop_token& stop) {
    auto reader = open(clip);
    if (!reader) return false;
    const auto fail = [&](const std::string& why) {
        throw Error("Cannot write the proxy " + proxy.string() + ": " + why + ".");
    };
    try {
        fs::create_directories(proxy.parent_path());
        const Unfinished unfinished(proxy.string() + "." + std::to_string(::getpid()) + ".new");
        if (!encode(*reader, unfinished.file(), stop)) return false;
        unfinished.moveTo(proxy);
    } catch (const fs::filesystem_error& error) {
        fail(error.code().message());
    } catch (const Error& error) {
        fail(error.what());
    }
    return true;
}

}  // namespace dailies::video
