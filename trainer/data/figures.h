#pragma once

#include "trainer/data/canvas.h"
#include "trainer/data/data_source.h"
#include "trainer/data/figures_judge.h"
#include "trainer/data/pose_drawing.h"

#include <string>
#include <vector>

namespace dailies::trainer {

/// A colour that a caption names.
struct NamedColour {
    const char* name;
    Rgb rgb;
};
/// Of the garments, which tell one figure from another.
inline constexpr NamedColour kShirts[] = {{"red", {0.78, 0.10, 0.12}},
                                          {"blue", {0.15, 0.28, 0.90}},
                                          {"teal", {0.05, 0.62, 0.60}},
                                          {"yellow", {0.90, 0.82, 0.12}}};
inline constexpr NamedColour kTrousers[] = {{"navy", {0.08, 0.08, 0.58}},
                                            {"brown", {0.52, 0.26, 0.04}},
                                            {"purple", {0.52, 0.12, 0.70}},
                                            {"green", {0.05, 0.52, 0.14}}};
inline constexpr const char* kFigureMotions[] = {"waves", "walks", "jumps", "dances"};

/// The parts by which a pose is read back: of colours that nothing else in a picture has.
struct FigureMarker {
    BodyPointNumber point;
    Rgb rgb;
    double radius;  ///< of the shorter side
};
inline constexpr FigureMarker kFigureMarkers[] = {{kNose, {0.96, 0.78, 0.62}, 0.075},
                                                  {kRightWrist, {0.95, 0.10, 0.80}, 0.05},
                                                  {kLeftWrist, {1.00, 0.55, 0.05}, 0.05},
                                                  {kRightAnkle, {0.55, 0.95, 0.10}, 0.05},
                                                  {kLeftAnkle, {0.97, 0.97, 0.97}, 0.05}};

/// A clip of one figure, with what a model of characters is told of it, and the truth.
struct FigureClip {
    RgbClip clip;
    CharacterGuide guide;
    std::vector<Body> bodies;  ///< of each frame
};

/// Clips of articulated figures made on the fly, with drawings of their exact poses and a reference picture:
/// the same figure, with the same garments and before the same background, in another pose. Captions name
/// garments and motion ("red shirt, navy trousers, waves"); all else follows from the index. What is sampled
/// can be read back, so that a model of characters is measured.
class Figures : public DataSource {
public:
    /// `guidanceTypes`: how poses are drawn, `model.guidance_types`. `posesReference`: the reference
    /// picture's pose, too.
    Figures(const config::TrainConfig::Data& data, std::int64_t seed,
            std::vector<std::string> guidanceTypes = {}, bool posesReference = false);

    std::int64_t size() const override { return 0; }
    Example example(std::int64_t index) override;
    std::vector<std::string> captions() const override;
    ValueScale valueScale() const override { return {{-0.45}, {0.5}}; }
    const Judge* judge() const override { return &m_judge; }
    std::optional<CharacterGuide> guideOf(const std::string& prompt, std::int64_t seed,
                                          std::int64_t frames) const override;

private:
    int m_frames, m_height, m_width;
    std::int64_t m_seed;
    FigureClip figure(const std::string& caption, std::uint64_t key, int frames) const;

    std::vector<std::string> m_guidanceTypes;
    bool m_posesReference;
    FiguresJudge m_judge;
};

/// The figure of a caption, whose other traits follow from `key`. Throws `InputError` for a text that is no
/// caption of figures.
FigureClip figureClip(const std::string& caption, std::uint64_t key, int frames, int height, int width,
                      const std::vector<std::string>& guidanceTypes = {});

/// The key of the figure that a prompt and seed ask for.
std::uint64_t promptedFigure(const std::string& prompt, std::int64_t seed);

}  // namespace dailies::trainer
