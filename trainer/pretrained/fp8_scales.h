#pragma once

#include "trainer/pretrained/weights_on_disk.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

bool isFp8(const std::string& type);

/// How a file's 8-bit floating-point weights are scaled: value = stored number × scale. Programs spell the
/// scale's name in three ways, and a reader that overlooks it computes with numbers a hundred times too large
/// or too small.
struct Fp8Scales {
    /// "": no weight is of 8 bits. "none": they have no scales. "comfyui": `X.scale_weight`, one number.
    /// "torchao": `X.weight_scale`, one number or one a row. "musubi": `X.scale_weight`, one number a row or
    /// block of a row.
    std::string kind;
    std::map<std::string, std::string> scaleOf;  ///< weight → tensor of its scale
    std::set<std::string> helpers;               ///< names that are no weights: scales, hints, markers
    std::vector<std::string> without;            ///< 8-bit matrices that lack a scale
};

Fp8Scales fp8ScalesOf(const StoredWeights& weights);

/// How many numbers of a row of a weight each number of its scale multiplies; 0 where the scale's shape does
/// not fit the weight's.
std::int64_t numbersPerScale(const Extents& scale, const Extents& weight);

}  // namespace dailies::trainer::pretrained
