#pragma once

#include "trainer/data/example.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Reads a generated clip back and says what of its caption is right.
class Judge {
public:
    virtual ~Judge() = default;

    /// Aspect ("colour", "shape", …) → whether the clip shows what the caption says; nullopt when the caption
    /// does not name every aspect.
    virtual std::optional<std::map<std::string, bool>> judge(const RgbClip& clip,
                                                             const std::string& caption) const = 0;

    /// How far the clip, sampled of the prompt's own guide (DataSource::guideOf), is from what it should
    /// show: name → a number a frame, 0 being right, NaN where nothing can be said of it. Empty where nobody
    /// can tell.
    virtual std::map<std::string, std::vector<double>> errors(const RgbClip&, const std::string& /*prompt*/,
                                                              std::int64_t /*seed*/) const {
        return {};
    }
};

}  // namespace dailies::trainer
