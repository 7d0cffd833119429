#pragma once

#include "core/query/vocabulary.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::query {

struct Candidate {
    enum class Kind { Entity, Attribute, Metric, Param, Tag, Operator, Value, Keyword };
    std::string text;  ///< what is inserted, quotes included: "metrics.`train loss`"
    Kind kind = Kind::Keyword;
    std::string hint;  ///< a few words for a second column: "metric", "0.1, 0.01, …"; may be empty
    bool operator==(const Candidate&) const = default;
};

/// Candidates for the bytes [replaceFrom, replaceTo) of the text, best first.
struct Completion {
    std::size_t replaceFrom = 0, replaceTo = 0;
    std::vector<Candidate> candidates;
};

/// What may stand at `cursor` (a byte offset; the end where it is larger) of a filter that is being written:
/// fields, the operators fit for the field, the values that its key really has, or AND, OR and the end of the
/// parenthesis. Keys that begin with what was typed come first, then those where a part after a dot or slash
/// does, then those that contain it; without regard to case. Never throws for any text; under a millisecond
/// for 10,000 keys.
Completion complete(std::string_view text, std::size_t cursor, const Vocabulary& vocabulary,
                    std::size_t most = 50);

}  // namespace dailies::query
