#include "core/config/bucket.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/base/text.h"

#include <algorithm>

namespace dailies::config {

namespace {

constexpr std::int64_t kLongestSide = 16384;
constexpr double kFastest = 240;

/// The whole text as a number; 0, which no size is, where it is none.
template <class Number>
Number numberIn(const std::string& text) {
    return parseAs<Number>(text).value_or(Number{});
}

Bucket parseBucket(const std::string& text, double usualFps) {
    const auto refuse = [&] {
        return InputError("data.buckets: found \"" + sanitizedText(text) +
                          "\", expected frames x height x width, optionally followed by @ frames per second: "
                          "\"8x32x32\" or "
                          "\"33x480x832@16\".");
    };
    const auto at = text.find('@');
    const auto sides = split(text.substr(0, at), 'x');
    if (sides.size() != 3) throw refuse();
    Bucket bucket{numberIn<std::int64_t>(sides[0]), numberIn<std::int64_t>(sides[1]),
                  numberIn<std::int64_t>(sides[2]),
                  at == std::string::npos ? usualFps : numberIn<double>(text.substr(at + 1))};
    for (const auto side : {bucket.frames, bucket.height, bucket.width})
        if (side < 1 || side > kLongestSide) throw refuse();
    if (at != std::string::npos && !(bucket.fps > 0 && bucket.fps <= kFastest)) throw refuse();
    return bucket;
}

}  // namespace

std::string Bucket::text() const {
    return std::to_string(frames) + "x" + std::to_string(height) + "x" + std::to_string(width) +
           (fps > 0 ? "@" + shortNumber(fps) : "");
}

std::vector<Bucket> bucketsOf(const TrainConfig::Data& data) {
    if (data.buckets.empty()) return {{data.frames, data.height, data.width, data.target_fps}};
    std::vector<Bucket> buckets;
    for (const auto& text : data.buckets) {
        const auto bucket = parseBucket(text, data.target_fps);
        if (std::ranges::find(buckets, bucket) != buckets.end())
            throw InputError("data.buckets: \"" + bucket.text() + "\" is listed twice.");
        buckets.push_back(bucket);
    }
    return buckets;
}

}  // namespace dailies::config
