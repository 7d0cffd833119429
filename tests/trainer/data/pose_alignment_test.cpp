#include "trainer/data/pose_alignment.h"

#include "core/base/error.h"

#include <gmock/gmock.h>

#include <cmath>

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

/// Of a square picture.
struct Joint {
    std::size_t number;
    double x, y;
};
constexpr Joint kStanding[] = {
    {kNose, 0.50, 0.20},       {kNeck, 0.50, 0.30},       {kRightShoulder, 0.42, 0.30},
    {kRightElbow, 0.36, 0.40}, {kRightWrist, 0.32, 0.50}, {kLeftShoulder, 0.58, 0.30},
    {kLeftElbow, 0.64, 0.40},  {kLeftWrist, 0.68, 0.50},  {kRightHip, 0.45, 0.52},
    {kRightKnee, 0.45, 0.68},  {kRightAnkle, 0.45, 0.84}, {kLeftHip, 0.55, 0.52},
    {kLeftKnee, 0.55, 0.68},   {kLeftAnkle, 0.55, 0.84},  {kRightEye, 0.48, 0.18},
    {kLeftEye, 0.52, 0.18},    {kRightEar, 0.46, 0.19},   {kLeftEar, 0.54, 0.19}};

Person standing() {
    Person person;
    for (const auto& joint : kStanding) person.body[joint.number] = {joint.x, joint.y, true};
    for (std::size_t i = 0; i < kHandPoints; ++i) {
        const double along = 0.002 * static_cast<double>(i);
        person.hands[0][i] = {0.68 + along, 0.50 + along, true};
        person.hands[1][i] = {0.32 - along, 0.50 + along, true};
    }
    person.face = {{0.49, 0.17, true}, {0.51, 0.22, true}};
    return person;
}

template <class Change>
Person changed(Person person, Change change) {
    const auto all = [&](auto& points) {
        for (auto& point : points) change(point);
    };
    all(person.body);
    for (auto& hand : person.hands) all(hand);
    all(person.face);
    return person;
}

Person moved(const Person& person, double x, double y, double factor = 1) {
    return changed(person, [&](BodyPoint& point) {
        point.x = x + factor * point.x;
        point.y = y + factor * point.y;
    });
}

Keypoints of(std::vector<std::optional<Person>> frames, int width = 100, int height = 100) {
    return {std::move(frames), width, height};
}

double lengthOf(const Person& person, std::size_t from, std::size_t to) {
    return std::hypot(person.body[to].x - person.body[from].x, person.body[to].y - person.body[from].y);
}

void expectAlike(const Person& a, const Person& b) {
    const auto near = [](const auto& some, const auto& others, const char* what) {
        ASSERT_EQ(some.size(), others.size());
        for (std::size_t i = 0; i < some.size(); ++i) {
            EXPECT_NEAR(some[i].x, others[i].x, 1e-12) << what << ' ' << i;
            EXPECT_NEAR(some[i].y, others[i].y, 1e-12) << what << ' ' << i;
        }
    };
    near(a.body, b.body, "body");
    near(a.hands[0], b.hands[0], "left hand");
    near(a.hands[1], b.hands[1], "right hand");
    near(a.face, b.face, "face");
}

std::string refusal(const Keypoints& moving, const Keypoints& reference) {
    try {
        aligned(moving, reference, 1);
    } catch (const Error& error) {
        return error.full();
    }
    return "not refused";
}

TEST(PoseAlignment, WhoeverIsSmallerAndElsewhereInAWiderPictureBecomesTheReference) {
    const auto whom = standing();
    // of a picture twice as wide as high, in which the person takes half of the height
    const auto small = changed(moved(whom, 0.3, 0.4, 0.5), [](BodyPoint& point) { point.x /= 2; });
    const auto result = aligned(of({small, std::nullopt, moved(small, 0.05, 0.1)}, 200, 100), of({whom}), 1);
    EXPECT_EQ(result.width, 100);
    ASSERT_EQ(result.frames.size(), 3U);
    expectAlike(*result.frames[0], whom);
    EXPECT_FALSE(result.frames[1]);
    // a body of twice the size takes steps of twice the length; both sides are told in the picture's height
    expectAlike(*result.frames[2], moved(whom, 0.2, 0.2));
}

TEST(PoseAlignment, BonesKeepTheirDirectionsAndShortenAsBefore) {
    const auto whom = standing();
    auto longArmed = whom, reaching = whom;
    for (auto* person : {&longArmed, &reaching}) {
        person->body[kRightElbow] = {0.30, 0.50, true};  // twice the upper arm
        person->body[kRightWrist] = {0.26, 0.60, true};
        person->body[kLeftElbow] = {0.70, 0.50, true};
        person->body[kLeftWrist] = {0.74, 0.60, true};
    }
    // the right one half way to the camera, straight up
    reaching.body[kRightElbow] = {0.42, 0.30 - lengthOf(longArmed, kRightShoulder, kRightElbow) / 2, true};
    const auto result = aligned(of({longArmed, reaching}), of({whom}), 1);
    const auto upperArm = lengthOf(whom, kRightShoulder, kRightElbow);
    EXPECT_NEAR(lengthOf(*result.frames[0], kRightShoulder, kRightElbow), upperArm, 1e-12);
    EXPECT_NEAR(lengthOf(*result.frames[0], kLeftElbow, kLeftWrist), lengthOf(whom, kLeftElbow, kLeftWrist),
                1e-12);
    const auto& second = result.frames[1]->body;
    EXPECT_NEAR(lengthOf(*result.frames[1], kRightShoulder, kRightElbow), upperArm / 2, 1e-12);
    EXPECT_NEAR(second[kRightElbow].x, second[kRightShoulder].x, 1e-12);
    EXPECT_LT(second[kRightElbow].y, second[kRightShoulder].y);
    // the hand goes with its wrist
    EXPECT_NEAR(result.frames[1]->hands[1][0].x - second[kRightWrist].x,
                reaching.hands[1][0].x - reaching.body[kRightWrist].x, 1e-12);
}

TEST(PoseAlignment, WhatEitherLacksGrowsLikeTheWholeBody) {
    const auto whom = standing();
    auto bust = whom;
    for (const auto point : {kRightKnee, kRightAnkle, kLeftKnee, kLeftAnkle}) bust.body[point].seen = false;
    const auto small = moved(whom, 0, 0, 0.5);
    const auto result = aligned(of({small}), of({bust}), 1);
    EXPECT_NEAR(lengthOf(*result.frames[0], kRightKnee, kRightAnkle), lengthOf(whom, kRightKnee, kRightAnkle),
                1e-12);
    // one side tells the other's length
    auto oneArmed = whom;
    oneArmed.body[kLeftElbow].seen = oneArmed.body[kLeftWrist].seen = false;
    expectAlike(*aligned(of({small}), of({oneArmed}), 1).frames[0], whom);
    // and a shoulder that the neck does not hold stands where it stood
    auto headless = small;
    headless.body[kNeck].seen = false;
    const auto unheld = *aligned(of({small, headless}), of({whom}), 1).frames[1];
    EXPECT_NEAR(unheld.body[kRightShoulder].x, whom.body[kRightShoulder].x, 1e-12);
}

/// A person of a picture twice as wide as high: half as high, a hand's breadth aside, arms up in one frame.
std::vector<std::optional<Person>> waving() {
    const auto small = changed(moved(standing(), 0.3, 0.4, 0.5), [](BodyPoint& point) { point.x /= 2; });
    auto up = small;
    up.body[kLeftWrist] = {0.35, 0.1, true};
    return {small, std::nullopt, up};
}

TEST(PoseAlignment, ByALineTheWholePictureIsScaledAndMovedAndArmsDoNotCount) {
    const auto result = aligned(of(waving(), 200, 100), of({standing()}), 1, PoseFit::line);
    EXPECT_EQ(result.width, 100);
    expectAlike(*result.frames[0], standing());
    EXPECT_FALSE(result.frames[1]);
    EXPECT_NEAR(result.frames[2]->body[kLeftWrist].x, (0.35 * 2 - 0.3) / 0.5, 1e-12);
    EXPECT_NEAR(result.frames[2]->body[kLeftWrist].y, (0.1 - 0.4) / 0.5, 1e-12);
}

TEST(PoseAlignment, ByALineIsTheLeastSquaresFitOfHeightsAndTheMeanOfWidths) {
    auto taller = standing();  // legs grow, which no line can follow
    for (const auto point : {kRightAnkle, kLeftAnkle}) taller.body[point].y += 0.1;
    auto withoutEars = standing();
    withoutEars.body[kRightEar].seen = withoutEars.body[kLeftEar].seen = false;
    const auto result = aligned(of({standing()}), of({taller}), 1, PoseFit::line);
    double sum = 0, moment = 0, widths = 0;
    for (const auto& joint : kStanding) {
        if (joint.number == kLeftElbow || joint.number == kRightElbow || joint.number == kLeftWrist ||
            joint.number == kRightWrist)
            continue;
        const auto& fitted = result.frames[0]->body[joint.number];
        sum += fitted.y - taller.body[joint.number].y;
        moment += (fitted.y - taller.body[joint.number].y) * joint.y;
        widths += fitted.x - taller.body[joint.number].x;
    }
    // the normal equations
    EXPECT_NEAR(sum, 0, 1e-12);
    EXPECT_NEAR(moment, 0, 1e-12);
    EXPECT_NEAR(widths, 0, 1e-12);
    // what the reference lacks counts for nothing
    expectAlike(*aligned(of({standing()}), of({withoutEars}), 1, PoseFit::line).frames[0], standing());
}

TEST(PoseAlignment, ByALineNobodyIsTurnedUpsideDown) {
    const auto handstand = changed(standing(), [](BodyPoint& point) { point.y = 1 - point.y; });
    Person neck;
    neck.body[kNeck] = standing().body[kNeck];
    for (const auto& reference : {handstand, neck})
        EXPECT_THROW(aligned(of({standing()}), of({reference}), 1, PoseFit::line), Error);
}

TEST(PoseAlignment, WhatCannotBeMeasuredIsRefused) {
    const auto whom = standing();
    auto headless = whom;
    headless.body[kNeck].seen = false;
    EXPECT_THAT(refusal(of({whom}), of({headless})),
                HasSubstr("no frame of the reference's pose shows a neck"));
    EXPECT_THAT(refusal(of({headless}), of({whom})), HasSubstr("no frame of the poses shows a neck"));
    Person neck;
    neck.body[kNeck] = whom.body[kNeck];
    EXPECT_THAT(refusal(of({whom}), of({neck})), HasSubstr("no limb in common"));
}

}  // namespace
}  // namespace dailies::trainer
