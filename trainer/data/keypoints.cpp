#include "trainer/data/keypoints.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

constexpr double kLeastConfidence = 0.3;  // DWPose draws no point that is less sure
constexpr std::size_t kBody25Points = 25;
/// OpenPose's BODY_25 has the middle of the hips as its ninth point, and feet behind the others.
constexpr std::size_t kMiddleOfHips = 8;

using Point = BodyPoint;

class FrameReader {
public:
    explicit FrameReader(fs::path file) : m_file(std::move(file)) {}

    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(m_file.string() + ": " + what + ".",
                    "Key points are read as OpenPose writes them: {\"people\": [{\"pose_keypoints_2d\": [x, "
                    "y, confidence, …]}]}, a file or an entry of a list for each frame.");
    }

    std::vector<Person> people(const Json& frame) const {
        if (!frame.is_object() || !frame.contains("people") || !frame.at("people").is_array())
            refuse("has a frame without a list of people");
        std::vector<Person> people;
        for (const auto& found : frame.at("people")) {
            if (!found.is_object()) refuse("lists a person that is no object");
            Person person;
            person.body = body(points(found, "pose_keypoints_2d"));
            person.hands[0] = hand(points(found, "hand_left_keypoints_2d"));
            person.hands[1] = hand(points(found, "hand_right_keypoints_2d"));
            person.face = points(found, "face_keypoints_2d");
            people.push_back(std::move(person));
        }
        return people;
    }

private:
    std::vector<Point> points(const Json& person, const char* key) const {
        const auto found = person.find(key);
        if (found == person.end() || found->is_null()) return {};
        const bool isRight = found->is_array() && found->size() % 3 == 0 &&
                             std::ranges::all_of(*found, [](const Json& value) { return value.is_number(); });
        if (!isRight) refuse(std::string("its ") + key + " are not three numbers a point");
        std::vector<Point> points;
        for (std::size_t i = 0; i + 2 < found->size(); i += 3) {
            const auto confidence = (*found)[i + 2].get<double>();
            points.push_back({(*found)[i].get<double>(), (*found)[i + 1].get<double>(),
                              confidence >= kLeastConfidence, std::min(confidence, 1.0)});
        }
        return points;
    }

    Body body(std::vector<Point> points) const {
        Body body;
        if (points.empty()) return body;
        if (points.size() == kBody25Points)
            points.erase(points.begin() + kMiddleOfHips);
        else if (points.size() != kBodyPoints)
            refuse("a body has " + std::to_string(points.size()) + " points, expected 18 or 25");
        std::copy_n(points.begin(), kBodyPoints, body.begin());
        return body;
    }

    Hand hand(const std::vector<Point>& points) const {
        Hand hand;
        if (points.empty()) return hand;
        if (points.size() != kHandPoints)
            refuse("a hand has " + std::to_string(points.size()) + " points, expected 21");
        std::ranges::copy(points, hand.begin());
        return hand;
    }

    fs::path m_file;
};

template <class Person, class Visit>
void forEachPoint(Person& person, Visit visit) {
    for (auto& point : person.body) visit(point);
    for (auto& hand : person.hands)
        for (auto& point : hand) visit(point);
    for (auto& point : person.face) visit(point);
}

/// Of the box around what is seen of the body.
double areaOf(const Person& person) {
    constexpr double kFar = std::numeric_limits<double>::max();
    double left = kFar, right = -kFar, top = kFar, bottom = -kFar;
    for (const auto& point : person.body) {
        if (!point.seen) continue;
        left = std::min(left, point.x), right = std::max(right, point.x);
        top = std::min(top, point.y), bottom = std::max(bottom, point.y);
    }
    return left > right ? -1 : (right - left) * (bottom - top);
}

std::vector<std::pair<fs::path, Json>> framesOf(const fs::path& path) {
    std::vector<std::pair<fs::path, Json>> frames;
    if (!fs::is_directory(path)) {
        auto json = parseJson(readFile(path), path.string());
        if (!json.is_array()) json = Json::array({std::move(json)});
        for (auto& frame : json) frames.emplace_back(path, std::move(frame));
        return frames;
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    for (const auto& file : files) frames.emplace_back(file, parseJson(readFile(file), file.string()));
    return frames;
}

/// From pixels to shares of the picture's sides, unless they are that.
void toShares(Keypoints& keypoints, const fs::path& path, int width, int height) {
    double furthest = 0;
    for (auto& person : keypoints.frames)
        if (person)
            forEachPoint(*person, [&](const Point& point) {
                if (point.seen) furthest = std::max({furthest, point.x, point.y});
            });
    if (keypoints.width == 0) keypoints.width = width, keypoints.height = height;
    if (furthest <= 1) return;
    if (keypoints.width <= 0 || keypoints.height <= 0)
        throw Error(path.string() + ": its points are pixels, but nothing says of which size.",
                    "Add canvas_width and canvas_height to each frame, or write shares of 0 to 1.");
    for (auto& person : keypoints.frames)
        if (person)
            forEachPoint(*person, [&](Point& point) {
                point.x /= keypoints.width;
                point.y /= keypoints.height;
            });
}

}  // namespace

bool isKeypoints(const fs::path& path) {
    std::error_code unknown;
    if (!fs::is_directory(path, unknown)) return path.extension() == ".json";
    for (const auto& entry : fs::directory_iterator(path, unknown))
        return entry.path().extension() == ".json";
    return false;
}

Keypoints readKeypoints(const fs::path& path, int width, int height) {
    Keypoints keypoints;
    for (const auto& [file, frame] : framesOf(path)) {
        auto people = FrameReader(file).people(frame);
        std::erase_if(people, [](const Person& person) { return areaOf(person) < 0; });
        keypoints.crowded += people.size() > 1;
        const auto largest = std::ranges::max_element(people, {}, areaOf);
        keypoints.frames.push_back(largest == people.end() ? std::nullopt : std::optional(*largest));
        const auto side = [&frame](const char* key) {
            const auto found = frame.find(key);
            return found != frame.end() && found->is_number() ? static_cast<int>(found->get<double>()) : 0;
        };
        if (keypoints.width == 0 || keypoints.height == 0)
            keypoints.width = side("canvas_width"), keypoints.height = side("canvas_height");
    }
    if (std::ranges::none_of(keypoints.frames, [](const auto& person) { return person.has_value(); }))
        throw Error(path.string() + ": there is nobody in any of its " +
                        std::to_string(keypoints.frames.size()) + " frames.",
                    "Find the key points of a video that shows a person.");
    toShares(keypoints, path, width, height);
    return keypoints;
}

}  // namespace dailies::trainer
