#pragma once

#include "trainer/pretrained/adapter.h"
#include "trainer/pretrained/fp8_scales.h"
#include "trainer/pretrained/recognition.h"

#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// A program that reads a file as it is, perhaps under a condition that a person should know.
struct Reader {
    std::string program;
    std::string note = {};
};

/// Which programs read a model's files.
std::vector<Reader> readersOf(const Recognition& model, const Fp8Scales& scales,
                              const StoredWeights& weights);

/// Which programs read an adapter's.
std::vector<Reader> readersOf(const Adapter& adapter);

}  // namespace dailies::trainer::pretrained
