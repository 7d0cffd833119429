#pragma once

#include "trainer/models/model_input.h"

#include <string>
#include <vector>

namespace dailies::trainer {

/// All that one forward and backward pass of training reads, on the device. Clips are counted through the
/// groups, in order.
struct MicroBatch {
    /// Clips of one size; see BatchGroup.
    struct Group {
        at::Tensor clips, noise;
        at::Tensor levels;             ///< [n]: where each clip lies on the objective's path
        at::Tensor conditioning = {};  ///< ClipGroup::conditioning
        double fps = 24;
        Character character = {};
        at::Tensor imageTokens = {};  ///< ClipGroup::imageTokens
    };

    std::vector<Group> groups;
    TextInput text = {};
    std::int64_t globalClips = 0;  ///< of all ranks: the loss is a sum over clips divided by this
    std::vector<std::uint64_t> dropoutKeys = {};  ///< ModelInput::dropoutKeys

    /// Its tensors in a fixed order, undefined ones too.
    std::vector<at::Tensor> tensors() const;
    /// The same with copies of its tensors.
    MicroBatch clone() const;
    /// Takes over the numbers of an input of the same shape.
    void copyFrom(const MicroBatch& other) const;
    /// Equal for inputs that differ in the numbers of their tensors only.
    std::string shapeKey() const;
};

}  // namespace dailies::trainer
