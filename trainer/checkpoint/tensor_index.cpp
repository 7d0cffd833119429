#include "trainer/checkpoint/tensor_index.h"

#include "core/base/error.h"
#include "trainer/serialization/safetensors_header.h"

#include <limits>

namespace dailies::trainer {

namespace {

/// Elements of a shape, refusing what no memory holds.
std::int64_t elementsOf(const std::string& name, const Extents& shape) {
    std::int64_t elements = 1;
    for (const auto extent : shape) {
        if (extent < 0) throw InputError(name + " has a negative dimension");
        if (extent > 0 && elements > std::numeric_limits<std::int64_t>::max() / 16 / extent)
            throw InputError(name + " is larger than any file");
        elements *= extent;
    }
    return elements;
}

void checkPart(const std::string& name, const TensorIndex::Tensor& tensor, const TensorIndex::Part& part,
               const std::map<std::string, std::uint64_t>& fileSizes) {
    if (!part.box.liesIn(tensor.shape)) throw InputError("a part of " + name + " lies outside of the tensor");
    const auto file = fileSizes.find(part.file);
    if (file == fileSizes.end()) throw InputError(name + " lies in a file that is not listed");
    if (part.begin > part.end || part.end > file->second)
        throw InputError(name + " lies outside of " + part.file);
    if (part.end - part.begin !=
        static_cast<std::uint64_t>(part.box.elements()) * safetensorsTypeSize(tensor.type))
        throw InputError("a part of " + name + " has the wrong size");
}

void checkTensor(const std::string& name, const TensorIndex::Tensor& tensor,
                 const std::map<std::string, std::uint64_t>& fileSizes) {
    if (safetensorsTypeSize(tensor.type) == 0) throw InputError(name + " is of an unknown type");
    const auto elements = elementsOf(name, tensor.shape);
    std::int64_t covered = 0;
    for (std::size_t i = 0; i < tensor.parts.size(); ++i) {
        checkPart(name, tensor, tensor.parts[i], fileSizes);
        covered += tensor.parts[i].box.elements();
        if (elements == 0) continue;
        for (std::size_t other = 0; other < i; ++other)
            if (intersection(tensor.parts[i].box, tensor.parts[other].box))
                throw InputError("two parts of " + name + " overlap");
    }
    if (covered != elements) throw InputError("parts of " + name + " are missing");
}

}  // namespace

const TensorIndex::Group& TensorIndex::group(const std::string& name) const {
    static const Group none;
    const auto found = m_groups.find(name);
    return found == m_groups.end() ? none : found->second;
}

void TensorIndex::join(const TensorIndex& other) {
    for (const auto& [groupName, group] : other.m_groups)
        for (const auto& [name, tensor] : group) {
            const auto [mine, isFirst] = m_groups[groupName].try_emplace(name, tensor);
            if (isFirst) continue;
            auto& known = mine->second;
            if (known.type != tensor.type || known.shape != tensor.shape)
                throw InputError("ranks disagree about the type or the shape of " + name);
            known.parts.insert(known.parts.end(), tensor.parts.begin(), tensor.parts.end());
        }
}

void TensorIndex::check(const std::map<std::string, std::uint64_t>& fileSizes) const {
    for (const auto& [groupName, group] : m_groups)
        for (const auto& [name, tensor] : group) checkTensor(name, tensor, fileSizes);
}

Json TensorIndex::toJson() const {
    Json json = Json::object();
    for (const auto& [groupName, group] : m_groups) {
        Json tensors = Json::object();
        for (const auto& [name, tensor] : group) {
            Json parts = Json::array();
            for (const auto& part : tensor.parts)
                parts.push_back({{"file", part.file},
                                 {"bytes", {part.begin, part.end}},
                                 {"first", part.box.first},
                                 {"size", part.box.size}});
            // names come sorted and once: push_back spares the search for a key that is there already
            tensors.get_ref<Json::object_t&>().push_back(
                {name, {{"type", tensor.type}, {"shape", tensor.shape}, {"parts", std::move(parts)}}});
        }
        json[groupName] = std::move(tensors);
    }
    return json;
}

TensorIndex TensorIndex::fromJson(const Json& json) {
    TensorIndex index;
    try {
        if (!json.is_object()) throw InputError("its index of tensors is not an object");
        for (const auto& [groupName, group] : json.items()) {
            if (!group.is_object()) throw InputError("its group " + groupName + " is not an object");
            for (const auto& [name, value] : group.items()) {
                Tensor tensor{value.at("type").get<std::string>(), value.at("shape").get<Extents>(), {}};
                for (const auto& part : value.at("parts")) {
                    const auto& bytes = part.at("bytes");
                    const auto begin = bytes.at(0).get<std::int64_t>(), end = bytes.at(1).get<std::int64_t>();
                    if (begin < 0 || end < begin) throw InputError(name + " has impossible bytes");
                    tensor.parts.push_back({{part.at("first").get<Extents>(), part.at("size").get<Extents>()},
                                            part.at("file").get<std::string>(),
                                            static_cast<std::uint64_t>(begin),
                                            static_cast<std::uint64_t>(end)});
                }
                index[groupName][name] = std::move(tensor);
            }
        }
    } catch (const Json::exception&) {
        throw InputError("its index of tensors lacks a type, a shape or a place");
    }
    return index;
}

}  // namespace dailies::trainer
