#include "core/video/clip_writer.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/video/frame_sink.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace dailies::video {

namespace {

std::string sizeText(int width, int height) {
    return std::to_string(width) + "x" + std::to_string(height);
}

/// The picture enlarged by a whole factor, each pixel becoming factor × factor equal ones.
Frame enlarge(const Frame& frame, int factor) {
    Frame large{frame.width * factor, frame.height * factor, {}};
    const std::size_t rowBytes = std::size_t{3} * large.width;
    large.rgb.resize(rowBytes * large.height);
    for (int y = 0; y < frame.height; ++y) {
        std::uint8_t* row = &large.rgb[rowBytes * y * factor];
        const std::uint8_t* source = &frame.rgb[std::size_t{3} * frame.width * y];
        for (int x = 0; x < large.width; ++x) std::copy_n(source + 3 * (x / factor), 3, row + 3 * x);
        for (int copy = 1; copy < factor; ++copy) std::copy_n(row, rowBytes, row + rowBytes * copy);
    }
    return large;
}

}  // namespace

struct ClipWriter::Impl {
    std::filesystem::path file;
    ClipEncoding encoding;
    // A muxer that moves the index to the front writes the file twice, so it works in a folder of its own;
    // the result then arrives in one step.
    TemporaryFolder folder{"dailies-clip"};
    std::unique_ptr<FrameSink> sink;
    int width = 0, height = 0;
    int frames = 0;

    std::filesystem::path whole() const { return folder.path() / "clip"; }

    [[noreturn]] void refuse(const std::string& why, const std::string& remedy = {}) const {
        throw Error("Cannot write the clip " + file.string() + ": " + why, remedy);
    }

    void check(const Frame& frame) const {
        if (frames == 0 && (frame.width < 1 || frame.height < 1 || (frame.width * encoding.scale) % 2 != 0 ||
                            (frame.height * encoding.scale) % 2 != 0))
            refuse("H.264 needs an even width and height, these frames are " +
                       sizeText(frame.width, frame.height) + " at scale " + std::to_string(encoding.scale) +
                       ".",
                   "Use an even size or an even scale.");
        if (frames > 0 && (frame.width != width || frame.height != height))
            refuse("frame " + std::to_string(frames) + " is " + sizeText(frame.width, frame.height) +
                   ", frame 0 is " + sizeText(width, height) + ".");
        const std::size_t bytes = std::size_t{3} * frame.width * frame.height;
        if (frame.rgb.size() != bytes)
            refuse("frame " + std::to_string(frames) + " holds " + std::to_string(frame.rgb.size()) +
                   " bytes where " + sizeText(frame.width, frame.height) + " RGB needs " +
                   std::to_string(bytes) + ".");
    }

    void open(const Frame& first) {
        width = first.width;
        height = first.height;
        const int w = width * encoding.scale, h = height * encoding.scale;
        if (file.extension() != ".y4m") sink = makeMp4Sink(whole(), w, h, encoding);
        if (sink) return;
        file.replace_extension(".y4m");
        sink = makeY4mSink(whole(), w, h, encoding);
    }
};

ClipWriter::ClipWriter(std::filesystem::path file, const ClipEncoding& encoding)
    : m_impl(std::make_unique<Impl>()) {
    m_impl->file = std::move(file);
    m_impl->encoding = encoding;
    if (!(encoding.fps > 0) || !std::isfinite(encoding.fps))
        m_impl->refuse("its rate is " + std::to_string(encoding.fps) + " frames per second.",
                       "Give a positive number.");
    if (encoding.scale < 1)
        m_impl->refuse("its scale is " + std::to_string(encoding.scale) + ".", "Give 1 or more.");
}

ClipWriter::~ClipWriter() = default;

void ClipWriter::add(const Frame& frame) {
    m_impl->check(frame);
    try {
        if (m_impl->frames == 0) m_impl->open(frame);
        m_impl->sink->add(m_impl->encoding.scale == 1 ? frame : enlarge(frame, m_impl->encoding.scale));
    } catch (const Error& error) {
        m_impl->refuse(std::string(error.what()) + ".");
    }
    ++m_impl->frames;
}

std::filesystem::path ClipWriter::finish() {
    if (m_impl->frames == 0) m_impl->refuse("it has no frames.");
    try {
        m_impl->sink->finish();
    } catch (const Error& error) {
        m_impl->refuse(std::string(error.what()) + ".");
    }
    m_impl->sink.reset();
    writeFileAtomically(m_impl->file, readFile(m_impl->whole()));
    return m_impl->file;
}

std::filesystem::path writeClip(const std::filesystem::path& file, const std::vector<Frame>& frames,
                                const ClipEncoding& encoding) {
    ClipWriter writer(file, encoding);
    for (const Frame& frame : frames) writer.add(frame);
    return writer.finish();
}

}  // namespace dailies::video
