#include "trainer/pretrained/published_model.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "trainer/data/array_cache.h"
#include "trainer/pretrained/adapter.h"
#include "trainer/pretrained/fp8_scales.h"
#include "trainer/pretrained/own_tensors.h"
#include "trainer/pretrained/stored_values.h"
#include "trainer/serialization/binary_file.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer::pretrained {

namespace {

constexpr const char* kInspect = "dailies-train inspect says what it holds.";

}  // namespace

std::vector<std::string> PublishedModel::problems() const {
    auto problems = weights.problems;
    for (const auto& file : weights.files)
        if (!file.problem.empty()) problems.push_back(file.problem);
    if (!found.missing.empty()) problems.push_back(problemText("is missing", "are missing", found.missing));
    if (!found.misshapen.empty())
        problems.push_back(problemText("has another shape", "have another shape", found.misshapen));
    if (!found.unknown.empty())
        problems.push_back(problemText("is left over", "are left over", found.unknown));
    std::vector<std::string> unreadable;
    for (const auto& [name, stored] : found.stored) {
        if (found.family.constants.contains(name)) continue;
        for (const auto& tensor : weights.tensors) {
            if (tensor.name != stored) continue;
            const auto* scale = scaleOf(tensor);
            const bool readable = tensor.type == "F64" || tensor.type == "F32" || tensor.type == "BF16" ||
                                  tensor.type == "F16" ||
                                  (scale && numbersPerScale(scale->shape, tensor.shape) > 0);
            if (!readable)
                unreadable.push_back(stored + " of type " + tensor.type +
                                     (isFp8(tensor.type)
                                          ? scale ? " with a scale of another shape" : " without a scale"
                                          : ""));
        }
    }
    if (!unreadable.empty()) problems.push_back(problemText("cannot be read", "cannot be read", unreadable));
    return problems;
}

const StoredTensor* PublishedModel::inFile(const std::string& stored) const {
    const auto tensor = std::ranges::find(weights.tensors, stored, &StoredTensor::name);
    return tensor == weights.tensors.end() ? nullptr : &*tensor;
}

const StoredTensor* PublishedModel::scaleOf(const StoredTensor& tensor) const {
    const auto scale = scales.scaleOf.find(tensor.name);
    return scale == scales.scaleOf.end() ? nullptr : inFile(scale->second);
}

at::Tensor PublishedModel::read(const std::string& name) const {
    return readAsStored(name).to(at::kFloat);
}

void PublishedModel::readInto(Params& target, const NamedShapes& tensors) const {
    for (const auto& [name, shape] : tensors) target.add(name, read(name));
}

at::Tensor PublishedModel::readAsStored(const std::string& name) const {
    const auto& tensor = *inFile(found.stored.at(name));
    const auto* scale = scaleOf(tensor);
    auto values = scale ? readStored(weights, tensor, scale).to(at::kBFloat16)
                        : pretrained::readAsStored(weights, tensor);
    if (const auto problem = notFiniteText(values); !problem.empty())
        throw InputError(
            weights.files[tensor.file].path.string() + " is damaged: " + tensor.name + " " + problem + ".",
            "Fetch the file again.");
    return values;
}

std::string PublishedModel::readBytes(const StoredTensor& tensor, std::uint64_t most) const {
    std::string bytes(std::min(most, tensor.end - tensor.begin), '\0');
    BinaryFile::openForRead(weights.files[tensor.file].path).readAt(tensor.begin, bytes.data(), bytes.size());
    return bytes;
}

std::string PublishedModel::identity() const {
    constexpr std::uint64_t kHead = 256;  // bytes of each tensor
    std::string key;
    for (const auto& [name, stored] : found.stored) {
        const auto& tensor = *inFile(stored);
        key = contentKey({key, name, tensor.type, shapeText(tensor.shape), readBytes(tensor, kHead)});
        if (const auto* scale = scaleOf(tensor)) key = contentKey({key, readBytes(*scale, kHead)});
    }
    return key;
}

PublishedModel openPublished(const std::string& key, const std::filesystem::path& path,
                             const std::set<std::string>& families, const std::string& called) {
    const auto refuse = [&](const std::string& what, const std::string& remedy) {
        throw InputError(key + ": " + path.string() + " " + what, remedy);
    };
    std::vector<PublishedModel> candidates;
    std::vector<std::string> names, others;
    const auto all = findWeights(key, path);
    for (const auto& weights : all) {
        for (const auto& file : weights.files)
            if (weights.tensors.empty() && !file.problem.empty()) others.push_back(file.problem);
        if (adapterIn(weights)) {
            others.emplace_back("an adapter");
            continue;
        }
        const auto scales = fp8ScalesOf(weights);
        for (const auto& [name, tensors] : modelsIn(weights)) {
            auto found = recognise(weights, tensors, scales.helpers, hintsOf(path, weights), ownTensors);
            if (families.contains(found.family.name)) {
                candidates.push_back({weights, std::move(found), scales});
                names.push_back(weights.name);
            } else {
                others.push_back(found.family.name.empty() ? "weights of no family that is known here"
                                                           : found.family.name);
            }
        }
    }
    if (candidates.empty()) refuse("holds no " + called + ": " + namesText(others) + ".", kInspect);
    if (candidates.size() > 1)
        refuse("holds several: " + join(names, ", ") + ".", "Name the folder or file of one of them.");
    if (const auto problems = candidates.front().problems(); !problems.empty())
        refuse("holds a " + called + " that is not whole: " + join(problems, "; ") + ".", kInspect);
    return candidates.front();
}

}  // namespace dailies::trainer::pretrained
