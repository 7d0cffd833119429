#include "ui/playback/clip_source.h"

#include "core/base/error.h"
#include "core/video/clip_part.h"
#include "core/video/clip_proxy.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kCrispFrom = 3;
/// H.264 may keep 16 pictures, encoders' presets ask for 3 to 5; a picture has 1.5 bytes a pixel.
constexpr std::size_t kBytesHeldPerPixel = 8;

}  // namespace

FileStamp readStamp(const std::string& file) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0) {
        const auto part = video::partOf(file);
        if (!part || ::stat(part->file.c_str(), &found) != 0) return {};
    }
    return {static_cast<std::int64_t>(found.st_size),
            static_cast<std::int64_t>(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec,
            static_cast<std::uint64_t>(found.st_ino)};
}

QSize displaySize(QSize clip, QSize box) {
    if (clip.isEmpty() || box.isEmpty()) return {};
    const int factor = std::min(box.width() / clip.width(), box.height() / clip.height());
    if (factor >= kCrispFrom) return clip * factor;
    const QSize fitted = clip.scaled(box, Qt::KeepAspectRatio);
    if (fitted == clip) return clip;  // pixel by pixel
    // swscale handles even widths almost twice as fast as odd ones
    return {std::max(fitted.width() & ~1, 2), std::max(fitted.height(), 1)};
}

void ClipSource::open() {
    auto facts = std::make_shared<ClipFacts>();
    // Before the file is read: what is written to it meanwhile makes another stamp.
    facts->stamp = readStamp(m_file);
    try {
        std::error_code gone;
        const auto part = std::filesystem::exists(m_file, gone) ? std::nullopt : video::partOf(m_file);
        if (part) {
            facts->fullSize = part->wholeBytes;
            m_reader = std::make_unique<video::ClipReader>(
                video::VideoLocation{.file = part->file, .name = std::filesystem::path(m_file).filename()});
        } else {
            m_reader = std::make_unique<video::ClipReader>(m_file);
            video::markWatched(m_file);
        }
        facts->timing = video::timingOf(*m_reader);
        facts->keyFrames = m_reader->keyFrames();
        facts->size = {m_reader->info().width, m_reader->info().height};
        findProxy(*facts);
    } catch (const std::exception& error) {
        m_reader.reset();
        facts->error = QString::fromUtf8(error.what());
    }
    m_facts = std::move(facts);
}

void ClipSource::findProxy(ClipFacts& facts) const {
    const bool isOwn = m_proxies && facts.isWhole() && !video::isProxy(m_file);
    if (!isOwn || !video::needsProxy(facts.keyFrames, facts.timing.frames())) return;
    const auto proxy = m_proxies->placeFor(m_file, facts.stamp.bytes, facts.stamp.modifiedNs);
    std::error_code unknown;
    facts.proxy = proxy.string();
    facts.hasProxy = std::filesystem::exists(proxy, unknown);
}

std::optional<DecodedFrame> ClipSource::decode(FrameKey key, const std::function<bool()>& isInterrupted) {
    if (!m_facts) open();
    DecodedFrame result;
    result.key = std::move(key);
    result.facts = m_facts;
    result.error = m_facts->error;
    if (!m_reader) return result;
    try {
        const QSize size =
            video::isProxy(m_file) ? result.key.box : displaySize(m_facts->size, result.key.box);
        QImage image(size, QImage::Format_RGB32);
        if (image.isNull()) throw Error("There is not enough memory for a picture of this clip.");
        m_reader->setInterrupt(isInterrupted);
        m_reader->drawFrame(std::clamp(result.key.frame, 0, m_facts->timing.frames() - 1),
                            {image.bits(), image.width(), image.height(), image.bytesPerLine(),
                             video::PixelBuffer::Layout::Rgb32});
        result.image = std::move(image);
    } catch (const Cancelled&) {
        return std::nullopt;
    } catch (const std::exception& error) {
        result.error = QString::fromUtf8(error.what());
    }
    return result;
}

std::size_t ClipSource::bytesHeld() const {
    if (!m_reader) return 0;
    return kBytesHeldPerPixel * static_cast<std::size_t>(m_facts->size.width()) *
           static_cast<std::size_t>(m_facts->size.height());
}

}  // namespace dailies::ui
