#include "tests/core/curation/made_film.h"

#include "core/curation/frame_scores.h"
#include "core/curation/picture_samples.h"
#include "core/video/clip_writer.h"

#include <algorithm>
#include <cmath>

namespace dailies::curation {

namespace {

/// A number from 0 to 1 that looks random, the same for the same arguments.
double hashed(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t h = a * 0x9e3779b1U ^ b * 0x85ebca77U ^ c * 0xc2b2ae3dU;
    for (int i = 0; i < 2; ++i) {
        h ^= h >> 15;
        h *= 0x2c1b3c6dU;
        h ^= h >> 13;
    }
    return h / 4294967296.0;
}

std::uint8_t level(double value) {
    return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
}

/// Random values on a grid of `cell` pixels with straight lines between them.
double softNoise(double x, double y, double cell, std::uint32_t seed) {
    const double gx = x / cell, gy = y / cell;
    const auto ix = static_cast<std::uint32_t>(gx), iy = static_cast<std::uint32_t>(gy);
    const double fx = gx - ix, fy = gy - iy;
    const auto at = [&](std::uint32_t dx, std::uint32_t dy) { return hashed(ix + dx, iy + dy, seed); };
    return (at(0, 0) * (1 - fx) + at(1, 0) * fx) * (1 - fy) + (at(0, 1) * (1 - fx) + at(1, 1) * fx) * fy;
}

}  // namespace

Scene::Scene(int number) : m_number(number), m_world(std::size_t{3} * kWorldWidth * kWorldHeight) {
    const auto seed = static_cast<std::uint32_t>(101 * number + 7);
    double colour[3][2];
    for (std::uint32_t c = 0; c < 3; ++c) {
        colour[c][0] = 20 + 90 * hashed(seed, c, 1);
        colour[c][1] = 110 + 130 * hashed(seed, c, 2);
    }
    for (int y = 0; y < kWorldHeight; ++y)
        for (int x = 0; x < kWorldWidth; ++x) {
            const double soft = 0.7 * softNoise(x, y, 60, seed) + 0.3 * softNoise(x, y, 11, seed + 1);
            const bool block = softNoise(x, y, 34, seed + 2) > 0.62;
            for (std::uint32_t c = 0; c < 3; ++c) {
                const double shade = block ? (c == seed % 3 ? 1.0 : 0.15) : soft;
                m_world[3 * (static_cast<std::size_t>(y) * kWorldWidth + x) + c] =
                    level(colour[c][0] + (colour[c][1] - colour[c][0]) * shade);
            }
        }
}

video::Frame Scene::frame(int t, double speed, int grain) const {
    constexpr int kWay = kWorldWidth - kWidth;
    const int turned = static_cast<int>(std::lround(std::abs(speed) * t)) % (2 * kWay);
    const int left = turned < kWay ? turned : 2 * kWay - turned;
    video::Frame frame{kWidth, kHeight, std::vector<std::uint8_t>(std::size_t{3} * kWidth * kHeight)};
    auto random = static_cast<std::uint32_t>(m_number * 7919 + t + 1);
    for (int y = 0; y < kHeight; ++y) {
        const std::uint8_t* from = &m_world[3 * (static_cast<std::size_t>(y + 30) * kWorldWidth + left)];
        std::uint8_t* to = &frame.rgb[std::size_t{3} * y * kWidth];
        for (int i = 0; i < 3 * kWidth; ++i) {
            random = random * 1664525U + 1013904223U;
            const int noise = grain > 0 ? static_cast<int>((random >> 16) % (2 * grain + 1)) - grain : 0;
            to[i] = static_cast<std::uint8_t>(std::clamp(from[i] + noise, 0, 255));
        }
    }
    return frame;
}

video::Frame mixed(const video::Frame& a, const video::Frame& b, double ofB) {
    video::Frame mix = a;
    for (std::size_t i = 0; i < mix.rgb.size(); ++i)
        mix.rgb[i] = level(a.rgb[i] * (1 - ofB) + b.rgb[i] * ofB + 0.5);
    return mix;
}

video::Frame plainFrame(int value, int width, int height) {
    return {width, height,
            std::vector<std::uint8_t>(std::size_t{3} * width * height, static_cast<std::uint8_t>(value))};
}

video::Frame noisePicture(int number, int width, int height) {
    auto frame = plainFrame(0, width, height);
    for (std::size_t i = 0; i < frame.rgb.size(); ++i)
        frame.rgb[i] =
            level(255 * hashed(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(number), 3));
    return frame;
}

void MadeFilm::shot(const video::Frame& still, int count) {
    for (int i = 0; i < count; ++i) frames.push_back(still);
}

void MadeFilm::shot(const Scene& scene, int count, double speed, int startAt) {
    for (int t = 0; t < count; ++t) frames.push_back(scene.frame(startAt + t, speed));
}

void MadeFilm::dissolve(const Scene& from, const Scene& to, int count, int fromAt) {
    dissolves.push_back({size(), size() + count - 1});
    for (int t = 0; t < count; ++t)
        frames.push_back(mixed(from.frame(fromAt + t), to.frame(t), (t + 1.0) / (count + 1.0)));
}

void MadeFilm::fadeThrough(const Scene& from, const Scene& to, int value, int fade, int hold) {
    const auto plain = plainFrame(value);
    const int first = size();
    for (int t = 0; t < fade; ++t) frames.push_back(mixed(from.frame(t), plain, (t + 1.0) / (fade + 1.0)));
    shot(plain, hold);
    for (int t = 0; t < fade; ++t) frames.push_back(mixed(plain, to.frame(t), (t + 1.0) / (fade + 1.0)));
    fades.push_back({first, size() - 1});
}

void MadeFilm::flash(const Scene& scene, int count, int startAt) {
    const auto white = plainFrame(255);
    for (int t = 0; t < count; ++t) frames.push_back(mixed(scene.frame(startAt + t), white, 0.8));
}

std::filesystem::path MadeFilm::write(const std::filesystem::path& file, double fps) const {
    return video::writeClip(file, frames, {.fps = fps, .crf = 23, .gopFrames = 24});
}

FilmScores MadeFilm::scores(double fps) const {
    FilmScores film;
    film.width = frames.front().width;
    film.height = frames.front().height;
    film.frames = size();
    film.fps = fps;
    FrameScorer scorer(film);
    for (int n = 0; n < size(); ++n) {
        const auto& frame = frames[static_cast<std::size_t>(n)];
        const Picture picture{frame.rgb.data(), frame.width, frame.height};
        scorer.add(picture);
        if (n % 12 == 6) film.samples.push_back(samplePicture(n, picture));
    }
    return film;
}

}  // namespace dailies::curation
