#pragma once

#include "core/base/json.h"
#include "core/curation/film_scores.h"

namespace dailies::curation {

/// [x, y, width, height]
inline Json toJson(const Box& box) {
    return {box.x, box.y, box.width, box.height};
}

/// Throws `Json::exception` for anything else.
inline Box boxFromJson(const Json& json) {
    return {json.at(0), json.at(1), json.at(2), json.at(3)};
}

}  // namespace dailies::curation
