#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dailies::video {

/// An RGB picture: height × width × 3 bytes, rows without padding.
struct Frame {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;

    bool empty() const { return rgb.empty(); }
};

/// A picture that the caller owns and a reader fills, so that a frame is decoded, scaled and stored without
/// another copy.
struct PixelBuffer {
    enum class Layout {
        Rgb24,  ///< bytes R, G, B: `Frame`, tensors
        Rgb32,  ///< native-endian words 0xffRRGGBB: QImage::Format_RGB32
    };
    std::uint8_t* pixels = nullptr;
    int width = 0;
    int height = 0;
    std::ptrdiff_t rowBytes = 0;
    Layout layout = Layout::Rgb24;
    /// A picture that is made smaller averages what it loses, as training wants it; else it takes samples,
    /// which is several times as fast and shimmers.
    bool averaged = false;
};

struct ClipInfo {
    int width = 0, height = 0;  ///< as shown: a rotation in the file's metadata is already applied
    int frames = 0;             ///< counted, not guessed from duration × rate
    double fps = 0;             ///< average; 0 when the file does not say
    std::string codec;          ///< "h264", …
    bool operator==(const ClipInfo&) const = default;
};

/// Where a video's bytes stand: a file, or a part of one (a member of a tar).
struct VideoLocation {
    std::filesystem::path file;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> bytes = {};  ///< to the file's end where it is not given
    std::string name = {};                    ///< of the part, for messages: "000123.mp4"

    std::string text() const { return name.empty() ? file.string() : file.string() + ": " + name; }
};

/// Random access to the frames of a video file, or of a folder of pictures of one kind (PNG, JPEG, …), which
/// are its frames in the order of their names. Opening reads the packet index (no decoding), so that
/// `frame(n)` is exact for any n also with B-frames, long groups of pictures and variable frame rate. The
/// frames are those that the file held when it was opened: of a file that is cut short or still being
/// written, every frame up to there. Transparency is shown over black. One thread at a time; several readers
/// of one file are independent. Throws `Error` with the file's name and what is wrong: missing, empty, no
/// video stream, truncated.
class ClipReader {
public:
    explicit ClipReader(const std::filesystem::path& file);
    explicit ClipReader(const VideoLocation& location);  ///< reads those bytes in place; nothing is unpacked
    ~ClipReader();
    ClipReader(ClipReader&&) noexcept;
    ClipReader& operator=(ClipReader&&) noexcept;

    const ClipInfo& info() const;

    /// When frame n is shown, in seconds from frame 0; by the average rate where the file gives no times.
    double seconds(int n) const;

    /// The frames at which decoding can begin, ascending: to reach another one, all from there on are
    /// decoded.
    std::vector<int> keyFrames() const;

    /// Frame n (0-based), scaled to `width` × `height` when both are positive (nearest neighbour when
    /// enlarging by a whole factor, so that small clips stay crisp; else bilinear). Going on from n-1 to n
    /// decodes one frame; other moves seek.
    Frame frame(int n, int width = 0, int height = 0);

    /// The same, into a picture of the caller's; its size is the size wanted. Even widths are scaled much
    /// faster than odd ones.
    void drawFrame(int n, const PixelBuffer& buffer);

    /// Asked again and again on the way to a frame whose key frame is far: true ends it with `Cancelled`.
    /// What was decoded by then is not lost to a later frame on the same way.
    void setInterrupt(std::function<bool()> isInterrupted);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

struct ClipEncoding {
    double fps = 8;
    int crf = 18;
    int scale = 1;  ///< whole factor of nearest-neighbour enlargement; 32×32 clips keep their colours only
                    ///< when enlarged
    int gopFrames = 3;   ///< short groups of pictures, so that any frame is near a key frame: an eighth more
                         ///< bytes than 4, and four fifths of a seek
    bool quick = false;  ///< half the time to encode, for a third more bytes
};

/// Writes frames (all of one even size after scaling) as H.264 in MP4 with the index in front, through a
/// temporary file and a rename: the file is whole or absent. Returns the path written: `file`, or the same
/// with ".y4m" where this build or machine has no H.264 encoder (Y4M is uncompressed and read by every
/// FFmpeg). Throws `Error`.
std::filesystem::path writeClip(const std::filesystem::path& file, const std::vector<Frame>& frames,
                                const ClipEncoding& encoding);

}  // namespace dailies::video
