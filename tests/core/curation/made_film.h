#pragma once

#include "core/curation/film_scores.h"
#include "core/video/clip_file.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace dailies::curation {

/// A place that a camera films: a picture larger than a frame, of soft and hard edges in colours of its own,
/// and grain that is new in each frame. The same number is the same place.
class Scene {
public:
    static constexpr int kWidth = 256, kHeight = 144;

    explicit Scene(int number);

    /// What a camera sees that moves `speed` pixels a frame to the right, at its frame t. Moving on, it comes
    /// back where the place ends.
    video::Frame frame(int t, double speed = 1, int grain = 6) const;

private:
    static constexpr int kWorldWidth = 768, kWorldHeight = 216;

    int m_number;
    std::vector<std::uint8_t> m_world;
};

/// Frames one behind the other, and where their transitions truly are.
class MadeFilm {
public:
    struct Stretch {
        int first = 0, last = 0;
    };

    void shot(const video::Frame& still, int frames);
    void shot(const Scene& scene, int frames, double speed = 1, int startAt = 0);
    /// A cut is where a shot follows a shot.
    void cut() { cuts.push_back(size()); }
    /// The scenes go on moving beneath. Both ends are mixed frames.
    void dissolve(const Scene& from, const Scene& to, int frames, int fromAt = 0);
    /// To `level` and from it again, holding it for so many frames.
    void fadeThrough(const Scene& from, const Scene& to, int level, int fade, int hold);
    /// The scene for so many frames under a light that is almost white.
    void flash(const Scene& scene, int frames, int startAt);

    int size() const { return static_cast<int>(frames.size()); }
    std::filesystem::path write(const std::filesystem::path& file, double fps = 24) const;
    /// Scores without a codec between.
    FilmScores scores(double fps = 24) const;

    std::vector<video::Frame> frames;
    std::vector<int> cuts;
    std::vector<Stretch> dissolves, fades;
};

video::Frame mixed(const video::Frame& a, const video::Frame& b, double ofB);
video::Frame plainFrame(int level, int width = Scene::kWidth, int height = Scene::kHeight);
video::Frame noisePicture(int number, int width = Scene::kWidth, int height = Scene::kHeight);

}  // namespace dailies::curation
