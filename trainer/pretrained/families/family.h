#pragma once

#include "core/base/json.h"
#include "trainer/pretrained/tensor_table.h"

#include <optional>
#include <set>
#include <string>

namespace dailies::trainer::pretrained {

/// What names and shapes tell of a model.
struct Family {
    std::string name;             ///< "wan", "wan_vae", …
    std::string model;            ///< the published model of these sizes, for people; "" where none is known
    Json sizes = Json::object();  ///< as the family calls them
    /// The tensors that a whole model of these sizes has; empty where no list is known.
    NamedShapes expected = {};
    /// Those of them that are no weights, but follow from the sizes, in whatever type they lie there.
    std::set<std::string> constants = {};
};

/// What may be known beside the tensors.
struct Hints {
    Json config = Json::object();  ///< the config.json beside the weights; an empty object without one
    std::string path;              ///< where they lie, as given: folders of experts have telling names
};

/// Whether it is of models that runs may begin with as others published them, each in one file or folder.
bool isPublishedBase(const std::string& family);

/// Whether a number off a shape may be a model's size: shapes of empty tensors may claim anything.
inline bool inReason(std::int64_t size) {
    return size > 0 && size <= 1'000'000;
}

/// How many blocks a model has: what its names say, or its configuration where files hold only the first
/// ones.
std::int64_t layersOf(const TensorTable& tensors, const std::string& prefix, const Hints& hints);

/// How many numbers stand behind `list`, less `spare`; `otherwise` where that is not 1 … `most`.
std::int64_t countedBlocks(const TensorTable& tensors, const std::string& list, std::int64_t most,
                           std::int64_t spare, std::int64_t otherwise);

/// One of a configuration's whole numbers, the first key that is there and in reason.
std::optional<std::int64_t> configNumber(const Json& config, const std::vector<std::string>& keys);

}  // namespace dailies::trainer::pretrained
