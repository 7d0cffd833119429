#include "core/quality/clip_comparison.h"

#include "core/base/error.h"
#include "core/quality/change.h"
#include "core/quality/similarity.h"
#include "core/video/clip_file.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace dailies::quality {

namespace {

/// One of the two clips, frame by frame, with what its last frames were.
class Side {
public:
    Side(const std::filesystem::path& file) : m_reader(file) {}

    const video::ClipInfo& info() const { return m_reader.info(); }

    void read(int frame, int width, int height) {
        m_pixels.resize(static_cast<std::size_t>(width) * height);
        m_picture = {m_pixels.data(), width, height, width};
        m_reader.drawFrame(frame, {reinterpret_cast<std::uint8_t*>(m_pixels.data()), width, height,
                                   std::ptrdiff_t{4} * width, video::Canvas::Layout::Rgb32, true});
        Luma luma = lumaOf(m_picture);
        m_motion = frame > 0 ? quality::motion(m_luma, luma) : FrameComparison::kNone;
        m_luma = std::move(luma);
        LumaBlocks blocks = blocksOf(m_luma);
        m_flickerBefore = frame > 1 ? quality::flicker(m_before, m_blocks, blocks) : FrameComparison::kNone;
        m_before = std::exchange(m_blocks, std::move(blocks));
    }

    const PictureView& picture() const { return m_picture; }
    const Luma& luma() const { return m_luma; }
    double motion() const { return m_motion; }
    double flickerBefore() const { return m_flickerBefore; }  ///< of the frame before: it needs its next one

private:
    video::ClipReader m_reader;
    std::vector<std::uint32_t> m_pixels;
    PictureView m_picture;
    Luma m_luma;
    LumaBlocks m_blocks, m_before;
    double m_motion = FrameComparison::kNone;
    double m_flickerBefore = FrameComparison::kNone;
};

}  // namespace

void compareClips(const std::filesystem::path& reference, const std::filesystem::path& clip, int batch,
                  const std::function<void(const std::vector<FrameComparison>&)>& take,
                  const std::stop_token& stop) {
    Side a(reference), b(clip);
    const int width = a.info().width, height = a.info().height;
    const int frames = std::min(a.info().frames, b.info().frames);
    std::vector<FrameComparison> compared;
    for (int n = 0; n < frames; ++n) {
        if (stop.stop_requested()) throw Cancelled();
        a.read(n, width, height);
        b.read(n, width, height);
        if (n > 1) {
            compared.back().referenceFlicker = a.flickerBefore();
            compared.back().flicker = b.flickerBefore();
        }
        compared.push_back({.psnr = psnr(a.picture(), b.picture()),
                            .ssim = ssim(a.luma(), b.luma()),
                            .referenceMotion = a.motion(),
                            .motion = b.motion()});
        if (compared.size() % static_cast<std::size_t>(batch) == 0 || n + 1 == frames) take(compared);
    }
}

}  // namespace dailies::quality
