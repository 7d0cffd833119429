#pragma once

#include "core/sources/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dailies::sources {

inline constexpr std::int64_t kReadMs = 1'800'000'000'000;

/// What a file that is read bit by bit adds up to, as the store adds it up.
struct Followed {
    Findings findings;
    Cursor cursor;
    std::int64_t readMs = kReadMs;  ///< of the next reading
    const rules::OutputRule* outputRule = nullptr;

    /// Reads on as far as the file goes now.
    void read(const Source& source, std::string_view file, std::string_view path = {}) {
        const auto size = static_cast<std::int64_t>(file.size());
        const auto from = std::min(cursor.offset, size);
        auto reading = source.read({.path = path,
                                    .bytes = file.substr(static_cast<std::size_t>(from)),
                                    .head = file.substr(0, source.headBytes()),
                                    .fileSize = size,
                                    .readMs = readMs,
                                    .outputRule = outputRule},
                                   cursor);
        // as it comes back from the store
        cursor = reading.next;
        cursor.state = Json::parse(cursor.state.dump());
        add(std::move(reading.findings));
    }

    void add(Findings&& found) {
        if (found.voidFrom) {
            for (auto& [key, points] : findings.metrics)
                std::erase_if(points, [&](const auto& point) { return point.step >= *found.voidFrom; });
            std::erase_if(findings.metrics, [](const auto& entry) { return entry.second.empty(); });
        }
        for (auto& [key, points] : found.metrics) {
            auto& all = findings.metrics[key];
            all.insert(all.end(), points.begin(), points.end());
        }
        for (const auto& [key, value] : found.params) findings.params[key] = value;
        for (const auto& [key, value] : found.tags) findings.tags[key] = value;
        findings.media.insert(findings.media.end(), found.media.begin(), found.media.end());
        findings.problems.insert(findings.problems.end(), found.problems.begin(), found.problems.end());
        if (found.end) findings.end = found.end;
    }

    std::vector<double> values(const std::string& key) const {
        std::vector<double> values;
        if (const auto found = findings.metrics.find(key); found != findings.metrics.end())
            for (const auto& point : found->second) values.push_back(point.value);
        return values;
    }
    std::vector<std::int64_t> steps(const std::string& key) const {
        std::vector<std::int64_t> steps;
        if (const auto found = findings.metrics.find(key); found != findings.metrics.end())
            for (const auto& point : found->second) steps.push_back(point.step);
        return steps;
    }
};

inline Followed readWhole(const Source& source, std::string_view file, std::string_view path = {}) {
    Followed followed;
    followed.read(source, file, path);
    return followed;
}

/// As text, in which NaN equals itself.
inline std::string told(const Followed& followed) {
    std::string text =
        "at " + std::to_string(followed.cursor.offset) + (followed.cursor.stopped ? " stopped\n" : "\n");
    for (const auto& [key, points] : followed.findings.metrics) {
        text += key + ":";
        for (const auto& point : points)
            text += " " + std::to_string(point.step) + "@" + std::to_string(point.timestampMs) + "=" +
                    numberToJson(point.value).dump();
        text += "\n";
    }
    for (const auto& [key, value] : followed.findings.params) text += "param " + key + "=" + value + "\n";
    for (const auto& [key, value] : followed.findings.tags) text += "tag " + key + "=" + value + "\n";
    for (const auto& media : followed.findings.media)
        text += "media " + media.type + " " + media.key + " " + media.path + " " + media.caption + " " +
                std::to_string(media.step) + "\n";
    auto problems = followed.findings.problems;
    std::sort(problems.begin(), problems.end());
    for (const auto& problem : problems) text += "problem " + problem + "\n";
    if (followed.findings.end) text += "end " + std::to_string(followed.findings.end->exitCode) + "\n";
    return text;
}

/// A file that is seen cut at any byte, and then whole, brings what it brings when it is seen whole at once.
inline void expectSameHoweverItIsCut(const Source& source, std::string_view file,
                                     std::string_view path = {}) {
    const auto whole = told(readWhole(source, file, path));
    for (std::size_t cut = 0; cut <= file.size(); ++cut) {
        Followed followed;
        followed.read(source, file.substr(0, cut), path);
        followed.read(source, file, path);
        ASSERT_EQ(told(followed), whole) << source.name() << " cut at byte " << cut;
    }
}

/// Whatever the file holds, nothing is thrown, little is kept, and problems are few.
inline void expectBounded(const Source& source, std::string_view file) {
    Followed followed;
    ASSERT_NO_THROW(followed.read(source, file)) << source.name();
    EXPECT_LE(followed.findings.metrics.size(), 10'000u);
    EXPECT_LE(followed.findings.problems.size(), 40u);
    EXPECT_LE(followed.cursor.state.dump().size(), 200'000u);
    EXPECT_LE(followed.cursor.offset, static_cast<std::int64_t>(file.size()));
}

inline std::string noise(std::size_t bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::string text(bytes, '\0');
    for (auto& c : text) c = static_cast<char>(random() & 0xFF);
    return text;
}

}  // namespace dailies::sources
