#pragma once

#include "trainer/pretrained/recognition.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

namespace dailies::trainer::pretrained {

/// A published model whose every name is known, found on disk and whole. Nothing but headers has been read.
struct PublishedModel {
    StoredWeights weights;
    Recognition found;

    /// A tensor by the family's name: float32, on the CPU. Throws `InputError` where it is not finite.
    at::Tensor read(const std::string& name) const;
};

/// The one model of a family at a path, also among the parts of a pipeline's folder. `key`: of the
/// configuration, which errors begin with; `called`: the family for people. Throws `InputError` where there
/// is none, or more than one; where names are missing, left over or of another shape; and for float8, which
/// needs scales that no published model of such a family has.
PublishedModel openPublished(const std::string& key, const std::filesystem::path& path,
                             const std::string& family, const std::string& called);

}  // namespace dailies::trainer::pretrained
