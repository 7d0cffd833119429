#include "trainer/data/figures.h"

#include "core/base/error.h"
#include "core/config/guidance_types.h"
#include "trainer/tensors/random.h"

#include <cmath>
#include <numbers>

namespace dailies::trainer {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// Lengths in shares of the shorter side.
constexpr double kTorso = 0.20, kShoulder = 0.075, kHip = 0.045, kNeckLength = 0.095;
constexpr double kUpperArm = 0.115, kForearm = 0.115, kThigh = 0.14, kShin = 0.14;
constexpr double kTorsoRadius = 0.062, kArmRadius = 0.026, kLegRadius = 0.034;

constexpr int kFramesOfCycle = 8;

/// Angles from hanging straight down, counterclockwise for those who look at the picture; of elbows and knees
/// from the limb before them.
struct Joints {
    double lean = 0;
    double rightShoulder = 0, rightElbow = 0, leftShoulder = 0, leftElbow = 0;
    double rightHip = 0, rightKnee = 0, leftHip = 0, leftKnee = 0;
    double x = 0.5, y = 0.55;  ///< of the hips' middle, shares of the sides
};

/// What varies from clip to clip within one motion.
struct MotionTraits {
    double phase, speed, size, x, y, walk;

    explicit MotionTraits(Random& random)
        : phase(random.uniform(0, kTurn)),
          speed(random.uniform(0.7, 1.2)),
          size(random.uniform(0.8, 1.15)),
          x(random.uniform(0.42, 0.58)),
          y(random.uniform(0.53, 0.58)),
          walk(random.uniform(-0.16, 0.16)) {}
};

Joints jointsAt(std::size_t motion, const MotionTraits& traits, double frame) {
    const double angle = traits.phase + kTurn * traits.speed * frame / kFramesOfCycle;
    const double swing = std::sin(angle) * traits.size, other = std::cos(angle) * traits.size;
    Joints joints;
    joints.x = traits.x;
    joints.y = traits.y;
    joints.rightShoulder = -0.35;
    joints.leftShoulder = 0.35;
    joints.rightHip = -0.16;
    joints.leftHip = 0.16;
    switch (motion) {
        case 0:  // waves
            joints.leftShoulder = 2.2 + 0.25 * swing;
            joints.leftElbow = 0.3 + 0.8 * swing;
            joints.lean = 0.05 * swing;
            break;
        case 1:  // walks
            joints.x += traits.walk * std::sin(angle / 2);
            joints.rightShoulder = 0.7 * swing - 0.1;
            joints.leftShoulder = -0.7 * swing + 0.1;
            joints.rightElbow = joints.leftElbow = 0.35;
            joints.rightHip = -0.6 * swing;
            joints.leftHip = 0.6 * swing;
            joints.rightKnee = -0.5 * std::max(0.0, other);
            joints.leftKnee = -0.5 * std::max(0.0, -other);
            break;
        case 2:  // jumps
            joints.y -= 0.09 * std::abs(swing);
            joints.rightShoulder = -1.2 - 1.3 * std::abs(swing);
            joints.leftShoulder = 1.2 + 1.3 * std::abs(swing);
            joints.rightHip = -0.2 - 0.4 * std::abs(swing);
            joints.leftHip = 0.2 + 0.4 * std::abs(swing);
            break;
        default:  // dances
            joints.lean = 0.22 * swing;
            joints.rightShoulder = -1.3 + 1.1 * other;
            joints.rightElbow = -0.8 + 0.6 * swing;
            joints.leftShoulder = 1.3 + 1.1 * swing;
            joints.leftElbow = 0.8 + 0.6 * other;
            joints.rightHip = -0.35 - 0.25 * swing;
            joints.rightKnee = 0.3 * other;
            joints.leftHip = 0.35 - 0.25 * swing;
            joints.leftKnee = -0.3 * other;
    }
    return joints;
}

Body bodyOf(const Joints& joints, int height, int width) {
    const double side = std::min(height, width);
    Body body;
    const auto put = [&](std::size_t point, double x, double y) {
        body[point] = {x / width, y / height, true};
    };
    const auto px = [&](std::size_t point) { return body[point].x * width; };
    const auto py = [&](std::size_t point) { return body[point].y * height; };
    const auto hang = [&](std::size_t from, std::size_t to, double angle, double length) {
        put(to, px(from) + std::sin(angle) * length * side, py(from) + std::cos(angle) * length * side);
    };
    const double hipX = joints.x * width, hipY = joints.y * height;
    const double upX = std::sin(joints.lean), upY = -std::cos(joints.lean);
    const double neckX = hipX + upX * kTorso * side, neckY = hipY + upY * kTorso * side;
    put(kNeck, neckX, neckY);
    put(kNose, neckX + upX * kNeckLength * side, neckY + upY * kNeckLength * side);
    // right of the figure is left in the picture
    put(kRightShoulder, neckX + upY * kShoulder * side, neckY - upX * kShoulder * side);
    put(kLeftShoulder, neckX - upY * kShoulder * side, neckY + upX * kShoulder * side);
    put(kRightHip, hipX - kHip * side, hipY);
    put(kLeftHip, hipX + kHip * side, hipY);
    hang(kRightShoulder, kRightElbow, joints.rightShoulder, kUpperArm);
    hang(kRightElbow, kRightWrist, joints.rightShoulder + joints.rightElbow, kForearm);
    hang(kLeftShoulder, kLeftElbow, joints.leftShoulder, kUpperArm);
    hang(kLeftElbow, kLeftWrist, joints.leftShoulder + joints.leftElbow, kForearm);
    hang(kRightHip, kRightKnee, joints.rightHip, kThigh);
    hang(kRightKnee, kRightAnkle, joints.rightHip + joints.rightKnee, kShin);
    hang(kLeftHip, kLeftKnee, joints.leftHip, kThigh);
    hang(kLeftKnee, kLeftAnkle, joints.leftHip + joints.leftKnee, kShin);
    return body;
}

struct Look {
    Rgb shirt, trousers;
    Rgb above, below;  ///< background, from the top to the bottom
};

Rgb darker(const Rgb& colour, double by) {
    return {colour.r * by, colour.g * by, colour.b * by};
}

void paintBackground(RgbClip& clip, int frame, const Look& look) {
    auto* pixel = clip.frame(frame);
    for (int y = 0; y < clip.height; ++y) {
        const double way = (y + 0.5) / clip.height;
        const double parts[] = {std::lerp(look.above.r, look.below.r, way),
                                std::lerp(look.above.g, look.below.g, way),
                                std::lerp(look.above.b, look.below.b, way)};
        for (int x = 0; x < clip.width; ++x)
            for (const double part : parts) *pixel++ = static_cast<std::uint8_t>(std::lround(255 * part));
    }
}

/// A limb, or what else a body is made of: a capsule, lengths in pixels.
struct BodyPart {
    double x0, y0, x1, y1, radius;
    Rgb garment;
    std::size_t part;  ///< in `kPartColours`
};

/// Of Champ's semantic maps: parts of the body in colours far from one another.
enum PartNumber : std::size_t { kRightLeg, kLeftLeg, kTrunk, kRightArm, kLeftArm, kHead, kHandsAndFeet };
constexpr Rgb kPartColours[] = {{0.1, 0.2, 0.9}, {0.1, 0.8, 0.9}, {0.9, 0.2, 0.1},   {0.9, 0.8, 0.1},
                                {0.2, 0.8, 0.2}, {0.9, 0.3, 0.8}, {0.95, 0.95, 0.95}};

/// From the back to the front.
std::vector<BodyPart> partsOf(const Body& body, const Look& look, int height, int width) {
    const double side = std::min(height, width);
    std::vector<BodyPart> parts;
    const auto limb = [&](std::size_t from, std::size_t to, double radius, const Rgb& garment,
                          std::size_t part) {
        parts.push_back({body[from].x * width, body[from].y * height, body[to].x * width, body[to].y * height,
                         radius * side, garment, part});
    };
    limb(kRightHip, kRightKnee, kLegRadius, look.trousers, kRightLeg);
    limb(kRightKnee, kRightAnkle, kLegRadius, look.trousers, kRightLeg);
    limb(kLeftHip, kLeftKnee, kLegRadius, look.trousers, kLeftLeg);
    limb(kLeftKnee, kLeftAnkle, kLegRadius, look.trousers, kLeftLeg);
    limb(kRightHip, kLeftHip, kLegRadius, look.trousers, kTrunk);
    limb(kRightShoulder, kRightHip, kTorsoRadius * 0.6, look.shirt, kTrunk);
    limb(kLeftShoulder, kLeftHip, kTorsoRadius * 0.6, look.shirt, kTrunk);
    limb(kRightShoulder, kLeftShoulder, kTorsoRadius * 0.6, look.shirt, kTrunk);
    parts.push_back({body[kNeck].x * width, body[kNeck].y * height,
                     (body[kRightHip].x + body[kLeftHip].x) / 2 * width,
                     (body[kRightHip].y + body[kLeftHip].y) / 2 * height - kLegRadius * side,
                     kTorsoRadius * side, look.shirt, kTrunk});
    const auto sleeve = darker(look.shirt, 0.85);
    limb(kRightShoulder, kRightElbow, kArmRadius, sleeve, kRightArm);
    limb(kRightElbow, kRightWrist, kArmRadius, sleeve, kRightArm);
    limb(kLeftShoulder, kLeftElbow, kArmRadius, sleeve, kLeftArm);
    limb(kLeftElbow, kLeftWrist, kArmRadius, sleeve, kLeftArm);
    for (const auto& [point, rgb, radius] : kFigureMarkers)
        limb(point, point, radius, rgb, point == kNose ? kHead : kHandsAndFeet);
    return parts;
}

void paintFigure(RgbClip& clip, int frame, const Look& look, const Body& body) {
    paintBackground(clip, frame, look);
    Canvas canvas(clip, frame);
    for (const auto& part : partsOf(body, look, clip.height, clip.width))
        canvas.capsule(part.x0, part.y0, part.x1, part.y1, part.radius, part.garment);
}

/// A drawing of the body as config::kGuidanceTypes names it, before black: brighter is nearer, and a
/// surface's direction is its red to the right, green downwards and blue towards the eye, from 0 to 1.
void drawFigure(RgbClip& clip, int frame, const Look& look, const Body& body, const std::string& type) {
    if (type == "dwpose") {
        drawBody(clip, frame, body);
        return;
    }
    Canvas canvas(clip, frame);
    const double thickest = kFigureMarkers[0].radius * std::min(clip.height, clip.width);
    for (const auto& part : partsOf(body, look, clip.height, clip.width)) {
        const auto shade = [&](double right, double down) {
            if (type == "semantic_map") return kPartColours[part.part];
            // places on the edge are beyond it by a part of a pixel
            const double x = std::clamp(right / part.radius, -1.0, 1.0),
                         y = std::clamp(down / part.radius, -1.0, 1.0),
                         z = std::sqrt(std::max(0.0, 1 - x * x - y * y));
            if (type == "normal") return Rgb{(1 + x) / 2, (1 + y) / 2, (1 + z) / 2};
            const double near = 0.3 + 0.7 * z * part.radius / thickest;
            return Rgb{near, near, near};
        };
        canvas.roundCapsule(part.x0, part.y0, part.x1, part.y1, part.radius, shade);
    }
}

RgbClip emptyClip(int frames, int height, int width) {
    RgbClip clip{frames, height, width, {}};
    clip.rgb.resize(clip.frameBytes() * static_cast<std::size_t>(frames));
    return clip;
}

std::string captionOf(std::size_t shirt, std::size_t trousers, std::size_t motion) {
    return std::string(kShirts[shirt].name) + " shirt, " + kTrousers[trousers].name + " trousers, " +
           kFigureMotions[motion];
}

struct CaptionWords {
    std::size_t shirt = 0, trousers = 0, motion = 0;
};

CaptionWords wordsOf(const std::string& caption) {
    for (std::size_t shirt = 0; shirt < std::size(kShirts); ++shirt)
        for (std::size_t trousers = 0; trousers < std::size(kTrousers); ++trousers)
            for (std::size_t motion = 0; motion < std::size(kFigureMotions); ++motion)
                if (caption == captionOf(shirt, trousers, motion)) return {shirt, trousers, motion};
    throw InputError(
        "\"" + caption + "\" names no figure.",
        "Write it like \"" + captionOf(0, 0, 0) + "\", or name files of the character and its poses.");
}

}  // namespace

FigureClip figureClip(const std::string& caption, std::uint64_t key, int frames, int height, int width,
                      const std::vector<std::string>& guidanceTypes) {
    const auto words = wordsOf(caption);
    Random random(key);
    // before the motion, so that clips of any length look alike
    const auto shade = [&] {
        const double grey = random.uniform(0.17, 0.36);
        const auto tint = [&] { return grey + random.uniform(-0.05, 0.05); };
        const double red = tint(), green = tint(), blue = tint();
        return Rgb{red, green, blue};
    };
    const Look look{kShirts[words.shirt].rgb, kTrousers[words.trousers].rgb, shade(), shade()};
    const MotionTraits traits(random);
    const auto otherMotion = static_cast<std::size_t>(random.below(std::size(kFigureMotions)));
    const MotionTraits otherTraits(random);

    FigureClip made{emptyClip(frames, height, width), {emptyClip(1, height, width), {}}, {}};
    const auto drawings = config::drawingsOf(guidanceTypes);
    made.guide.poses.assign(drawings.size(), emptyClip(frames, height, width));
    for (int t = 0; t < frames; ++t) {
        made.bodies.push_back(bodyOf(jointsAt(words.motion, traits, t), height, width));
        paintFigure(made.clip, t, look, made.bodies.back());
        for (std::size_t i = 0; i < drawings.size(); ++i)
            drawFigure(made.guide.poses[i], t, look, made.bodies.back(), drawings[i]);
    }
    const auto other = bodyOf(jointsAt(otherMotion, otherTraits, 0), height, width);
    paintFigure(made.guide.reference, 0, look, other);
    made.guide.referencePose = emptyClip(1, height, width);
    drawBody(made.guide.referencePose, 0, other);
    return made;
}

std::uint64_t promptedFigure(const std::string& prompt, std::int64_t seed) {
    return randomKey(seed, Stream::data_clip, hashText(prompt));
}

Figures::Figures(const config::TrainConfig::Data& data, std::int64_t seed,
                 std::vector<std::string> guidanceTypes, bool posesReference)
    : m_frames(static_cast<int>(data.frames)),
      m_height(static_cast<int>(data.height)),
      m_width(static_cast<int>(data.width)),
      m_seed(seed),
      m_guidanceTypes(std::move(guidanceTypes)),
      m_posesReference(posesReference) {}

FigureClip Figures::figure(const std::string& caption, std::uint64_t key, int frames) const {
    auto made = figureClip(caption, key, frames, m_height, m_width, m_guidanceTypes);
    if (!m_posesReference) made.guide.referencePose = {};
    return made;
}

std::vector<std::string> Figures::captions() const {
    std::vector<std::string> captions;
    for (std::size_t shirt = 0; shirt < std::size(kShirts); ++shirt)
        for (std::size_t trousers = 0; trousers < std::size(kTrousers); ++trousers)
            for (std::size_t motion = 0; motion < std::size(kFigureMotions); ++motion)
                captions.push_back(captionOf(shirt, trousers, motion));
    return captions;
}

Example Figures::example(std::int64_t index) {
    const auto key = randomKey(m_seed, Stream::data_clip, static_cast<std::uint64_t>(index));
    Random random(key);
    const auto caption = captionOf(static_cast<std::size_t>(random.below(std::size(kShirts))),
                                   static_cast<std::size_t>(random.below(std::size(kTrousers))),
                                   static_cast<std::size_t>(random.below(std::size(kFigureMotions))));
    auto made = figure(caption, random.next(), m_frames);
    Example example{std::move(made.clip), caption};
    example.guide = std::move(made.guide);
    return example;
}

std::optional<CharacterGuide> Figures::guideOf(const std::string& prompt, std::int64_t seed,
                                               std::int64_t frames) const {
    return figure(prompt, promptedFigure(prompt, seed), static_cast<int>(frames)).guide;
}

}  // namespace dailies::trainer
