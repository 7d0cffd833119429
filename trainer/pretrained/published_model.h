#pragma once

#include "trainer/pretrained/fp8_scales.h"
#include "trainer/pretrained/recognition.h"
#include "trainer/tensors/named_shapes.h"
#include "trainer/tensors/params.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// A published model whose every name is known, found on disk. Nothing but headers has been read.
struct PublishedModel {
    StoredWeights weights;
    Recognition found;
    Fp8Scales scales;

    /// What keeps it from being read: what is missing, left over, of another shape or in a type that cannot
    /// be.
    std::vector<std::string> problems() const;

    /// A tensor by the family's name: float32, on the CPU. Throws `InputError` where it is not finite.
    at::Tensor read(const std::string& name) const;
    /// Adds tensors to `target` by the family's names, each as `read` gives it.
    void readInto(Params& target, const NamedShapes& tensors) const;
    /// The same as `read` in the type that the tensor has in the file, bfloat16 for float8.
    at::Tensor readAsStored(const std::string& name) const;
    /// Of a float8 tensor; null where it has none.
    const StoredTensor* scaleOf(const StoredTensor& tensor) const;
    /// A tensor by its name in the file, also one that is no weight; null where there is none.
    const StoredTensor* inFile(const std::string& stored) const;
    /// Its bytes, or the first of them.
    std::string readBytes(const StoredTensor& tensor,
                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;

    /// A hash of names, types, shapes and the first numbers of each tensor, for caches of what the model
    /// gives: other weights have another, and of many gigabytes a few kilobytes are read.
    std::string identity() const;
};

/// The one model of these families at a path, also among the parts of a pipeline's folder. `key`: of the
/// configuration, which errors begin with; `called`: the family for people. Throws `InputError` where there
/// is none, or more than one; where names are missing, left over or of another shape; and for float8 without
/// its scales.
PublishedModel openPublished(const std::string& key, const std::filesystem::path& path,
                             const std::set<std::string>& families, const std::string& called);

}  // namespace dailies::trainer::pretrained
