#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::judging {

/// A place in a picture as parts of its width and height: (0, 0) is the top left corner, (1, 1) the bottom
/// right one, at whatever size the clip is shown.
struct Place {
    double x = 0, y = 0;
    bool operator==(const Place&) const = default;
};

/// A line drawn over a picture.
struct Stroke {
    std::string color = "#ff5a52";  ///< "#rrggbb"
    double width = 0.008;           ///< part of the picture's height
    std::vector<Place> places;
    bool operator==(const Stroke&) const = default;
};

/// What somebody says about some frames of a clip, in words or by drawing.
struct Note {
    std::string id;      ///< 32 hex digits; stays when the note is changed
    int firstFrame = 0;  ///< 0 is the clip's first
    int lastFrame = 0;   ///< included; the first itself for a note on one frame
    std::string text;
    std::vector<Stroke> strokes;

    std::string author;       ///< set when it is read: of its newest version
    std::int64_t timeMs = 0;  ///< likewise

    bool covers(int frame) const { return firstFrame <= frame && frame <= lastFrame; }
    bool operator==(const Note&) const = default;
};

}  // namespace dailies::judging
