#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <string>

namespace dailies::events {

/// What a run of several ranks found before its first step: whether a slice of its model, under its layout,
/// gives the loss and the gradients that one process computes.
struct Certificate {
    bool proven = false;
    double lossError = 0;      ///< relative
    double gradientError = 0;  ///< of the weight that is furthest off: |difference| / |gradient|
    std::string weight;        ///< which that is
    double lossTolerance = 0;
    double gradientTolerance = 0;
    std::int64_t ranks = 1;
    std::string layout;     ///< "dp 2 × cp 2 (Ulysses 2), zero3 over 4 ranks"
    std::string recompute;  ///< model.recompute
    std::string precision;  ///< "fp32", "bf16"
    std::int64_t blocks = 0, clips = 0;
    double seconds = 0;

    bool operator==(const Certificate&) const = default;
};

Json toJson(const Certificate& certificate);
/// Throws like nlohmann's `at`, or `InputError`, for what is none.
Certificate certificateFromJson(const Json& json);

/// One line for a person: "Layout proven: loss 2e-8, gradients 3e-7 of one process, …".
std::string textOf(const Certificate& certificate);
/// The same at length: what was computed and what would have been refused.
std::string detailsOf(const Certificate& certificate);

}  // namespace dailies::events
