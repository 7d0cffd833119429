#pragma once

#include "core/curation/content_score.h"
#include "core/curation/film_scores.h"
#include "core/curation/picture.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dailies::curation {

/// Fills the numbers a frame of `FilmScores`, frame by frame; memory holds 33 tiny pictures, however long the
/// film is. One thread at a time.
class FrameScorer {
public:
    explicit FrameScorer(FilmScores& film) : m_film(film) {}

    /// The next frame, of the size of the first. Flash and dissolve of a frame follow when the frames behind
    /// it have come.
    void add(const Picture& picture);
    /// The next frame could not be decoded.
    void addDamaged();

private:
    static constexpr int kThumbColumns = 32, kThumbRows = 18;
    static constexpr int kFlashFrames = 8;
    static constexpr int kRing = 2 * 16 + 1;
    using Thumb = std::array<std::uint8_t, kThumbColumns * kThumbRows>;

    struct Planes {
        std::vector<std::uint8_t> luma;
        std::vector<std::uint16_t> blurred;
        HsvPlanes hsv;
    };

    void scoreAlone(const Picture& picture);
    void appendRow(bool isDamaged);
    Thumb thumbOf(const Picture& picture) const;
    bool hasThumb(int frame) const;
    const Thumb& thumb(int frame) const { return m_thumbs[static_cast<std::size_t>(frame % kRing)]; }
    double flashAt(int frame) const;
    double dissolveAt(int frame, int reach) const;

    FilmScores& m_film;
    Planes m_now, m_before;
    std::vector<std::uint16_t> m_scratch;
    std::array<Thumb, kRing> m_thumbs{};
    std::array<bool, kRing> m_present{};
    int m_count = 0;         ///< frames so far
    bool m_follows = false;  ///< the frame before is in m_before
};

}  // namespace dailies::curation
