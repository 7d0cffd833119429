#include "core/quality/clip_comparison.h"

#include "core/base/error.h"
#include "core/quality/change.h"
#include "core/quality/similarity.h"
#include "core/video/clip_file.h"
#include "core/video/clip_timing.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace dailies::quality {

namespace {

/// One of the two clips, frame by frame, with what its last frames were.
class Side {
public:
    explicit Side(const ComparedFile& compared)
        : m_reader(compared.file), m_timing(video::timingOf(m_reader)), m_offset(compared.offset) {}

    const video::ClipInfo& info() const { return m_reader.info(); }
    const video::ClipTiming& timing() const { return m_timing; }

    /// Its frame at that time: less than 0 before it begins, nullopt when it has ended.
    std::optional<int> frameAt(double seconds) const {
        const int frame = m_timing.frameAt(seconds) + m_offset;
        const bool ended = seconds > m_timing.duration() - 0.25 / m_timing.fps();
        return ended || frame >= m_timing.frames() ? std::nullopt : std::optional(frame);
    }

    /// Reads the frame; false when it is the one that is here.
    bool moveTo(int frame, int width, int height) {
        if (frame == m_frame) return false;
        m_following = frame == m_frame + 1 && m_frame >= 0 ? m_following + 1 : 0;
        m_frame = frame;
        m_pixels.resize(static_cast<std::size_t>(width) * height);
        m_picture = {m_pixels.data(), width, height, width};
        m_reader.drawFrame(frame, {reinterpret_cast<std::uint8_t*>(m_pixels.data()), width, height,
                                   std::ptrdiff_t{4} * width, video::PixelBuffer::Layout::Rgb32, true});
        Luma luma = lumaOf(m_picture);
        m_motion = m_following > 0 ? quality::motion(m_luma, luma) : FrameComparison::kNone;
        m_luma = std::move(luma);
        LumaBlocks blocks = blocksOf(m_luma);
        m_flickerBefore =
            m_following > 1 ? quality::flicker(m_before, m_blocks, blocks) : FrameComparison::kNone;
        m_before = std::exchange(m_blocks, std::move(blocks));
        return true;
    }

    const PictureView& picture() const { return m_picture; }
    const Luma& luma() const { return m_luma; }
    double motion() const { return m_motion; }
    double flickerBefore() const { return m_flickerBefore; }  ///< of the frame before: it needs its next one

private:
    video::ClipReader m_reader;
    video::ClipTiming m_timing;
    int m_offset;
    int m_frame = -1;
    int m_following = 0;  ///< frames without a gap before this one
    std::vector<std::uint32_t> m_pixels;
    PictureView m_picture;
    Luma m_luma;
    LumaBlocks m_blocks, m_before;
    double m_motion = FrameComparison::kNone;
    double m_flickerBefore = FrameComparison::kNone;
};

}  // namespace

void compareClips(const ComparedFile& reference, const ComparedFile& clip, int batch,
                  const std::function<void(const std::vector<FrameComparison>&)>& take,
                  const std::stop_token& stop) {
    Side a(reference), b(clip);
    const int width = a.info().width, height = a.info().height;
    const video::ClipTiming ticks = video::combinedTiming({a.timing(), b.timing()});
    std::vector<FrameComparison> compared;
    std::size_t sinceA = 0, sinceB = 0;  // the first tick at which each one's frame is shown
    const auto move = [&](Side& side, int frame, std::size_t& since, double FrameComparison::*flicker) {
        if (!side.moveTo(frame, width, height)) return;
        for (; since < compared.size(); ++since) compared[since].*flicker = side.flickerBefore();
    };
    for (int tick = 0; tick < ticks.frames(); ++tick) {
        if (stop.stop_requested()) throw Cancelled();
        const auto frameA = a.frameAt(ticks.secondsOf(tick)), frameB = b.frameAt(ticks.secondsOf(tick));
        if (!frameA || !frameB) break;
        if (*frameA < 0 || *frameB < 0) {
            sinceA = sinceB = compared.size() + 1;
            compared.emplace_back();
            continue;
        }
        move(a, *frameA, sinceA, &FrameComparison::referenceFlicker);
        move(b, *frameB, sinceB, &FrameComparison::flicker);
        compared.push_back({.psnr = psnr(a.picture(), b.picture()),
                            .ssim = ssim(a.luma(), b.luma()),
                            .referenceMotion = a.motion(),
                            .motion = b.motion()});
        if (compared.size() % static_cast<std::size_t>(batch) == 0) take(compared);
    }
    if (compared.empty() || compared.size() % static_cast<std::size_t>(batch) != 0) take(compared);
}

}  // namespace dailies::quality
