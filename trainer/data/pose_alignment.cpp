#include "trainer/data/pose_alignment.h"

#include "core/base/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace dailies::trainer {

namespace {

enum class BoneKind { neck, shoulder, upper_arm, forearm, trunk, thigh, shin, face, hand };

/// From the point that is nearer to the neck.
struct BodyBone {
    std::size_t from, to;
    BoneKind kind;
};

/// In an order in which each begins where an earlier one ended.
constexpr BodyBone kBodyBones[] = {
    {kNeck, kNose, BoneKind::neck},
    {kNose, kRightEye, BoneKind::face},
    {kNose, kLeftEye, BoneKind::face},
    {kRightEye, kRightEar, BoneKind::face},
    {kLeftEye, kLeftEar, BoneKind::face},
    {kNeck, kRightShoulder, BoneKind::shoulder},
    {kRightShoulder, kRightElbow, BoneKind::upper_arm},
    {kRightElbow, kRightWrist, BoneKind::forearm},
    {kNeck, kLeftShoulder, BoneKind::shoulder},
    {kLeftShoulder, kLeftElbow, BoneKind::upper_arm},
    {kLeftElbow, kLeftWrist, BoneKind::forearm},
    {kNeck, kRightHip, BoneKind::trunk},
    {kRightHip, kRightKnee, BoneKind::thigh},
    {kRightKnee, kRightAnkle, BoneKind::shin},
    {kNeck, kLeftHip, BoneKind::trunk},
    {kLeftHip, kLeftKnee, BoneKind::thigh},
    {kLeftKnee, kLeftAnkle, BoneKind::shin},
};

/// Of a hand: from its wrist to where its middle finger begins.
constexpr std::size_t kHandRoot = 0, kMiddleFinger = 9;
constexpr std::array kWrists = {kLeftWrist, kRightWrist};  // of Person::hands

struct BodyPlace {
    double x = 0, y = 0;  ///< in heights of the picture, so that both are alike

    BodyPlace operator+(const BodyPlace& other) const { return {x + other.x, y + other.y}; }
    BodyPlace operator-(const BodyPlace& other) const { return {x - other.x, y - other.y}; }
    BodyPlace operator*(double factor) const { return {x * factor, y * factor}; }
};

double aspectOf(const Keypoints& points, double otherwise) {
    return points.width > 0 && points.height > 0 ? double(points.width) / points.height : otherwise;
}

BodyPlace placeOf(const BodyPoint& point, double aspect) {
    return {point.x * aspect, point.y};
}

/// Mean lengths of the bones of each kind that is seen.
std::map<BoneKind, double> lengthsOf(const Person& person, double aspect) {
    std::map<BoneKind, std::vector<double>> all;
    const auto add = [&](const BodyPoint& from, const BodyPoint& to, BoneKind kind) {
        if (!from.seen || !to.seen) return;
        const auto bone = placeOf(to, aspect) - placeOf(from, aspect);
        if (const auto length = std::hypot(bone.x, bone.y); length > 0) all[kind].push_back(length);
    };
    for (const auto& bone : kBodyBones) add(person.body[bone.from], person.body[bone.to], bone.kind);
    for (const auto& points : person.hands) add(points[kHandRoot], points[kMiddleFinger], BoneKind::hand);
    std::map<BoneKind, double> means;
    for (const auto& [kind, lengths] : all)
        means[kind] =
            std::accumulate(lengths.begin(), lengths.end(), 0.0) / static_cast<double>(lengths.size());
    return means;
}

/// Of each kind from the first frame that shows it.
std::map<BoneKind, double> firstLengths(const Keypoints& moving, double aspect) {
    std::map<BoneKind, double> first;
    for (const auto& person : moving.frames)
        if (person) first.merge(lengthsOf(*person, aspect));
    return first;
}

const Person& firstWithNeck(const Keypoints& points, const char* whose) {
    for (const auto& person : points.frames)
        if (person && person->body[kNeck].seen) return *person;
    throw Error(std::string("no frame of the ") + whose + " shows a neck, from which poses are aligned.",
                "Choose one that shows the upper body, or leave poses as they are (align_poses false).");
}

class BoneFit {
public:
    BoneFit(const Keypoints& moving, const Keypoints& reference, double aspect)
        : m_aspect(aspectOf(moving, aspect)), m_aspectAfter(aspectOf(reference, aspect)) {
        const auto& whom = firstWithNeck(reference, "reference's pose");
        m_neckBefore = placeOf(firstWithNeck(moving, "poses").body[kNeck], m_aspect);
        m_neckAfter = placeOf(whom.body[kNeck], m_aspectAfter);
        const auto before = firstLengths(moving, m_aspect), after = lengthsOf(whom, m_aspectAfter);
        double all = 0, allAfter = 0;
        for (const auto& [kind, length] : before)
            if (const auto found = after.find(kind); found != after.end()) {
                m_factors[kind] = found->second / length;
                all += length, allAfter += found->second;
            }
        if (m_factors.empty())
            throw Error("the poses and the reference's pose show no limb in common.",
                        "Choose a reference that shows more of the body.");
        m_ofBody = allAfter / all;
    }

    Person operator()(const Person& person) const {
        auto moved = person;
        const auto& before = person.body;
        auto& after = moved.body;
        for (auto& point : after) put(point, free(point));
        for (const auto& bone : kBodyBones)
            if (before[bone.from].seen)
                hang(before[bone.to], before[bone.from], after[bone.from], factorOf(bone.kind),
                     after[bone.to]);
        for (std::size_t i = 0; i < moved.hands.size(); ++i)
            hangAll(person.hands[i], before[kWrists[i]], after[kWrists[i]], factorOf(BoneKind::hand),
                    moved.hands[i]);
        hangAll(person.face, before[kNose], after[kNose], factorOf(BoneKind::face), moved.face);
        return moved;
    }

private:
    double factorOf(BoneKind kind) const {
        const auto found = m_factors.find(kind);
        return found == m_factors.end() ? m_ofBody : found->second;
    }

    void put(BodyPoint& point, const BodyPlace& place) const {
        point.x = place.x / m_aspectAfter;
        point.y = place.y;
    }

    /// Where a point comes that nothing is known to hold.
    BodyPlace free(const BodyPoint& before) const {
        return m_neckAfter + (placeOf(before, m_aspect) - m_neckBefore) * m_ofBody;
    }

    void hang(const BodyPoint& before, const BodyPoint& from, const BodyPoint& fromAfter, double factor,
              BodyPoint& after) const {
        put(after, placeOf(fromAfter, m_aspectAfter) +
                       (placeOf(before, m_aspect) - placeOf(from, m_aspect)) * factor);
    }

    template <class Points>
    void hangAll(const Points& before, const BodyPoint& from, const BodyPoint& fromAfter, double factor,
                 Points& after) const {
        for (std::size_t i = 0; i < before.size(); ++i)
            if (from.seen)
                hang(before[i], from, fromAfter, factor, after[i]);
            else
                put(after[i], free(before[i]));
    }

    double m_aspect, m_aspectAfter;
    BodyPlace m_neckBefore, m_neckAfter;
    std::map<BoneKind, double> m_factors;
    double m_ofBody = 1;
};

/// Head, trunk and legs: arms wave.
constexpr std::size_t kFittedPoints[] = {kNose,      kNeck,       kRightShoulder, kLeftShoulder, kRightHip,
                                         kRightKnee, kRightAnkle, kLeftHip,       kLeftKnee,     kLeftAnkle,
                                         kRightEye,  kLeftEye,    kRightEar,      kLeftEar};

class LineFit {
public:
    LineFit(const Keypoints& moving, const Keypoints& reference, double aspect)
        : m_aspect(aspectOf(moving, aspect)), m_aspectAfter(aspectOf(reference, aspect)) {
        const auto whom = std::ranges::find_if(reference.frames, [](const auto& p) { return p.has_value(); });
        double count = 0, yy = 0, yY = 0;
        BodyPlace sum, sumAfter;
        for (const auto& person : moving.frames)
            for (const auto point : kFittedPoints) {
                if (!person || whom == reference.frames.end()) continue;
                const auto &from = person->body[point], &to = (*whom)->body[point];
                if (!from.seen || !to.seen) continue;
                const auto before = placeOf(from, m_aspect), after = placeOf(to, m_aspectAfter);
                sum = sum + before;
                sumAfter = sumAfter + after;
                yy += before.y * before.y;
                yY += before.y * after.y;
                ++count;
            }
        const auto spread = count * yy - sum.y * sum.y;
        m_factor = spread > 0 ? (count * yY - sum.y * sumAfter.y) / spread : 0;
        if (!(m_factor > 0))
            throw Error("the poses and the reference's pose show too little in common to be fitted.",
                        "Choose a reference that stands as they do and shows more of the body, or leave "
                        "poses as they are (align_poses false).");
        m_offset = (sumAfter - sum * m_factor) * (1 / count);
    }

    Person operator()(Person person) const {
        const auto fit = [&](auto& points) {
            for (auto& point : points) {
                const auto place = placeOf(point, m_aspect) * m_factor + m_offset;
                point.x = place.x / m_aspectAfter;
                point.y = place.y;
            }
        };
        fit(person.body);
        for (auto& hand : person.hands) fit(hand);
        fit(person.face);
        return person;
    }

private:
    double m_aspect, m_aspectAfter;
    double m_factor = 1;
    BodyPlace m_offset;
};

template <class Alignment>
Keypoints alignedBy(const Keypoints& moving, const Keypoints& reference, double aspect) {
    const Alignment alignment(moving, reference, aspect);
    auto result = moving;
    result.width = reference.width;
    result.height = reference.height;
    for (auto& person : result.frames)
        if (person) person = alignment(*person);
    return result;
}

}  // namespace

Keypoints aligned(const Keypoints& moving, const Keypoints& reference, double aspect, PoseFit fit) {
    return fit == PoseFit::line ? alignedBy<LineFit>(moving, reference, aspect)
                                : alignedBy<BoneFit>(moving, reference, aspect);
}

}  // namespace dailies::trainer
