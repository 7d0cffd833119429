#include "trainer/checkpoint/tensor_files.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "trainer/serialization/binary_file.h"
#include "trainer/serialization/safetensors.h"

#include <torch/types.h>

#include <cstdio>

namespace dailies::trainer {

namespace {

/// The key of a part in its file: the tensor's own name where the part is the whole of it, else with its
/// place, as in "patch.weight[32:64,0:384]".
std::string keyOf(const TensorPart& part) {
    if (part.box == Box::whole(part.shape)) return part.name;
    std::vector<std::string> ranges;
    for (std::size_t i = 0; i < part.shape.size(); ++i)
        ranges.push_back(std::to_string(part.box.first[i]) + ":" +
                         std::to_string(part.box.first[i] + part.box.size[i]));
    return part.name + "[" + join(ranges, ",") + "]";
}

std::string fileName(const std::string& group, Share share, std::size_t shard, std::size_t shards) {
    char number[64] = "";
    std::string name = group;
    if (share.ranks > 1) {
        std::snprintf(number, sizeof number, "-rank-%05lld", static_cast<long long>(share.rank));
        name += number;
    }
    if (shards > 1) {
        std::snprintf(number, sizeof number, "-%05zu-of-%05zu", shard + 1, shards);
        name += number;
    }
    return name + ".safetensors";
}

/// Splits the parts, in order, into runs of at most `shardBytes`.
std::vector<std::vector<const TensorPart*>> shardsOf(const std::vector<TensorPart>& parts,
                                                     std::uint64_t shardBytes) {
    std::vector<std::vector<const TensorPart*>> shards(1);
    std::uint64_t bytes = 0;
    for (const auto& part : parts) {
        const std::uint64_t size = part.values.nbytes();
        if (!shards.back().empty() && bytes + size > shardBytes) {
            shards.emplace_back();
            bytes = 0;
        }
        shards.back().push_back(&part);
        bytes += size;
    }
    return shards;
}

std::vector<Box> boxesIn(const std::string& name, const TensorRange& range, std::int64_t elements) {
    const auto held = range.cut.sizeOf(range.shape);
    if (range.begin < 0 || range.begin + elements > Box::whole(held).elements())
        throw Error("A rank's part of " + name + " does not lie in it.");
    std::vector<Box> boxes;
    for (const auto& box : boxesOfRange(held, range.begin, range.begin + elements))
        for (auto& place : range.cut.placesOf(box)) boxes.push_back(std::move(place));
    return boxes;
}

/// A part's rows [first, last) of its leading axis, which lie together in the file.
at::Tensor readRows(const BinaryFile& file, const TensorIndex::Part& part, at::ScalarType type,
                    std::int64_t first, std::int64_t last) {
    auto size = part.box.size;
    if (size.empty()) {
        auto scalar = at::empty({}, type);
        file.readAt(part.begin, scalar.mutable_data_ptr(), scalar.nbytes());
        return scalar;
    }
    const auto rows = static_cast<std::uint64_t>(size[0]);
    size[0] = last - first;
    auto tensor = at::empty(size, type);
    const auto rowBytes = rows == 0 ? 0 : (part.end - part.begin) / rows;
    file.readAt(part.begin + static_cast<std::uint64_t>(first) * rowBytes, tensor.mutable_data_ptr(),
                tensor.nbytes());
    return tensor;
}

}  // namespace

std::vector<TensorPart> partsOf(const Params& tensors, const TensorRanges& ranges) {
    std::vector<TensorPart> parts;
    for (const auto& name : tensors.names()) {
        const auto& tensor = tensors[name];
        const auto range = ranges.find(name);
        if (range == ranges.end()) {
            const auto shape = tensor.sizes().vec();
            parts.push_back({name, shape, Box::whole(shape), tensor});
            continue;
        }
        const auto& shape = range->second.shape;
        if (!range->second.written) continue;
        const auto flat = tensor.detach().reshape({-1});
        std::int64_t at = 0;
        for (const auto& box : boxesIn(name, range->second, flat.numel())) {
            parts.push_back({name, shape, box, flat.narrow(0, at, box.elements()).view(box.size)});
            at += box.elements();
        }
    }
    return parts;
}

void writeParts(const std::filesystem::path& folder, const std::string& group,
                const std::vector<TensorPart>& parts, Share share, std::uint64_t shardBytes,
                TensorIndex& index, std::map<std::string, std::uint64_t>& files,
                std::map<std::string, std::string> metadata) {
    metadata["format"] = "pt";
    const auto shards = shardsOf(parts, shardBytes);
    for (std::size_t i = 0; i < shards.size(); ++i) {
        const auto file = fileName(group, share, i, shards.size());
        Params tensors;
        std::map<std::string, const TensorPart*> byKey;
        for (const auto* part : shards[i]) {
            tensors.add(keyOf(*part), part->values);
            byKey[keyOf(*part)] = part;
        }
        const auto header = writeSafetensors(folder / file, tensors, metadata);
        files[file] = header.start + (header.tensors.empty() ? 0 : header.tensors.back().end);
        for (const auto& entry : header.tensors) {
            const auto& part = *byKey.at(entry.name);
            auto& tensor = index[group][part.name];
            tensor.type = entry.type;
            tensor.shape = part.shape;
            tensor.parts.push_back({part.box, file, header.start + entry.begin, header.start + entry.end});
        }
    }
}

at::Tensor readBox(const std::filesystem::path& folder, const TensorIndex::Tensor& tensor, const Box& box) {
    const auto type = scalarTypeOf(tensor.type);
    auto result = at::empty(box.size, type);
    for (const auto& part : tensor.parts) {
        const auto both = intersection(part.box, box);
        if (!both || both->elements() == 0) continue;
        const auto file = BinaryFile::openForRead(folder / part.file);
        const bool hasAxes = !box.size.empty();
        const auto firstRow = hasAxes ? both->first[0] - part.box.first[0] : 0;
        auto from = readRows(file, part, type, firstRow, hasAxes ? firstRow + both->size[0] : 1);
        auto to = result;
        for (std::size_t axis = 0; axis < box.size.size(); ++axis) {
            const auto dim = static_cast<std::int64_t>(axis);
            to = to.narrow(dim, both->first[axis] - box.first[axis], both->size[axis]);
            if (axis > 0) from = from.narrow(dim, both->first[axis] - part.box.first[axis], both->size[axis]);
        }
        to.copy_(from);
    }
    return result;
}

Params readGroup(const std::filesystem::path& folder, const TensorIndex::Group& group) {
    Params tensors;
    for (const auto& [name, tensor] : group)
        tensors.add(name, readBox(folder, tensor, Box::whole(tensor.shape)));
    return tensors;
}

void readInto(const std::filesystem::path& folder, const TensorIndex::Group& group, const Params& tensors,
              const TensorRanges& ranges) {
    const at::NoGradGuard noGradients;
    for (const auto& name : tensors.names()) {
        const auto saved = group.find(name);
        if (saved == group.end()) throw Error("The checkpoint lacks " + name + ".");
        auto tensor = tensors[name].detach();
        const auto range = ranges.find(name);
        const bool whole = range == ranges.end();
        const auto shape = whole ? tensor.sizes().vec() : range->second.shape;
        if (shape != saved->second.shape)
            throw Error("The checkpoint's " + name + " has another size than the model's.");
        if (whole) {
            tensor.copy_(readBox(folder, saved->second, Box::whole(shape)));
            continue;
        }
        const auto flat = tensor.view({-1});
        std::int64_t at = 0;
        for (const auto& box : boxesIn(name, range->second, flat.numel())) {
            flat.narrow(0, at, box.elements()).copy_(readBox(folder, saved->second, box).view({-1}));
            at += box.elements();
        }
    }
}

}  // namespace dailies::trainer
