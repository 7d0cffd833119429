#include "trainer/pretrained/stored_values.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "trainer/pretrained/fp8_scales.h"
#include "trainer/serialization/binary_file.h"
#include "trainer/serialization/safetensors.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer::pretrained {

at::ScalarType floatTypeOf(const std::string& type) {
    if (type == "F8_E4M3") return at::kFloat8_e4m3fn;
    if (type == "F8_E5M2") return at::kFloat8_e5m2;
    if (type == "F64") return at::kDouble;
    if (type == "F32" || type == "BF16" || type == "F16") return scalarTypeOf(type);
    throw InputError("type " + type);
}

at::Tensor readAsStored(const StoredWeights& weights, const StoredTensor& tensor) {
    auto values = at::empty(tensor.shape, floatTypeOf(tensor.type));
    BinaryFile::openForRead(weights.files[tensor.file].path)
        .readAt(tensor.begin, values.mutable_data_ptr(), tensor.end - tensor.begin);
    return values;
}

at::Tensor readStored(const StoredWeights& weights, const StoredTensor& tensor, const StoredTensor* scale) {
    const auto values = readAsStored(weights, tensor).to(at::kFloat);
    if (!scale) return values;
    return values.view({-1, numbersPerScale(scale->shape, tensor.shape)})
        .mul_(readStored(weights, *scale).view({-1, 1}))
        .view(tensor.shape);
}

std::string notFiniteText(const at::Tensor& values) {
    const auto bad = values.numel() - at::isfinite(values).sum().item<std::int64_t>();
    if (bad == 0) return "";
    return "has " + pluralize(bad, "number that is", "numbers that are") + " not finite";
}

std::string namesText(const std::vector<std::string>& names) {
    constexpr std::size_t kNamesShown = 3;
    const auto shown = std::min(names.size(), kNamesShown);
    return join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ") +
           (names.size() > shown ? ", …" : "");
}

std::string problemText(const char* one, const char* many, const std::vector<std::string>& names) {
    return pluralize(static_cast<long long>(names.size()), one, many) + " (" + namesText(names) + ")";
}

std::vector<std::string> mismatchTexts(const std::vector<std::string>& missing,
                                       const std::vector<std::string>& misshapen,
                                       const std::vector<std::string>& leftOver) {
    std::vector<std::string> texts;
    if (!missing.empty()) texts.push_back(problemText("is missing", "are missing", missing));
    if (!misshapen.empty())
        texts.push_back(problemText("has another shape", "have another shape", misshapen));
    if (!leftOver.empty()) texts.push_back(problemText("is left over", "are left over", leftOver));
    return texts;
}

}  // namespace dailies::trainer::pretrained
