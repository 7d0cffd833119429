#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dailies::quality {

/// What the automatic checks of a clip look for.
enum class Check {
    Unreadable,  ///< the file cannot be opened, or some frame not be decoded
    Noise,       ///< neighbouring pixels have nothing to do with one another: what a diverged model puts out
    Flat,        ///< one colour all over, neither black nor white: NaN turned into a picture
    Black,
    Saturated,  ///< blown out, or colours at the edges of what there is: too much guidance, a diverged
                ///< decoder
    Frozen,     ///< the picture stands still
    Flicker,    ///< it becomes brighter and darker again from frame to frame
    Cut,        ///< another scene
    Seam,       ///< a jump in time where chunks of a long video meet, or a line where tiles of a picture do
};

std::string_view toText(Check check);  ///< "unreadable", "noise", …: what the store and the command line say
std::optional<Check> checkFromText(std::string_view text);

/// How bad it is: a clip with a failure shows nothing worth judging, one with a warning is worth a look.
enum class Severity { Warning = 1, Failure = 2 };

/// Something that a check found, and where.
struct Finding {
    Check check = Check::Unreadable;
    Severity severity = Severity::Warning;
    int firstFrame = 0;  ///< 0-based; where to look
    int lastFrame = 0;   ///< inclusive
    std::string text;    ///< a sentence for a person; counts frames from 1, as players do
    bool operator==(const Finding&) const = default;
};

}  // namespace dailies::quality
