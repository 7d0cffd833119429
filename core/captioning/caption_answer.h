#pragma once

#include "core/curation/captions.h"

#include <cstdint>
#include <string>

namespace dailies::captioning {

/// What a model said of a clip.
struct Answer {
    std::string text;
    bool isCut = false;      ///< at its longest
    bool isBlocked = false;  ///< by a filter of the server's
    std::int64_t tokens = 0;
};

/// The answer as a caption: in one line, without what a model thought before it spoke, and with what is
/// wrong with it. Without the settings it was asked by, and the time.
curation::Caption captionOf(const Answer& answer);

}  // namespace dailies::captioning
