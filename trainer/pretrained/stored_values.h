#pragma once

#include "trainer/pretrained/weights_on_disk.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// Of a float type's name in safetensors. Throws `InputError` "type …" for others.
at::ScalarType floatTypeOf(const std::string& type);

/// What stands in the file, in its type, on the CPU. Throws as `floatTypeOf`, and `Error` when the file
/// cannot be read.
at::Tensor readAsStored(const StoredWeights& weights, const StoredTensor& tensor);

/// The same as float32, float8 times its `scale` (`Fp8Scales`) where it has one.
at::Tensor readStored(const StoredWeights& weights, const StoredTensor& tensor,
                      const StoredTensor* scale = nullptr);

/// "has 2 numbers that are not finite"; "" where all are.
std::string notFiniteText(const at::Tensor& values);

/// "3 weights are missing (a, b, c)": a list of names, the first of them shown.
std::string namesText(const std::vector<std::string>& names);
std::string problemText(const char* one, const char* many, const std::vector<std::string>& names);

/// Of weights that a model needs, a text for each list that has some.
std::vector<std::string> mismatchTexts(const std::vector<std::string>& missing,
                                       const std::vector<std::string>& misshapen,
                                       const std::vector<std::string>& leftOver);

}  // namespace dailies::trainer::pretrained
