#pragma once

#include "trainer/models/model_family.h"

#include <ostream>
#include <string>
#include <vector>

namespace dailies::trainer {

/// A model as the conformance suite runs it.
struct Variant {
    std::string name;
    ModelShape shape;
};

/// For messages of a test that fails.
inline void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variant.name;
}

/// Every family, and each of its options at least once, in shapes of a few thousand weights.
const std::vector<Variant>& variants();

/// A tokenizer with the shape's factors, for those who count by a configuration.
config::TrainConfig::Tokenizer tokenizerOf(const ModelShape& shape);

/// Weights of which none is zero, so that every part takes part.
Params liveWeights(const Model& model);

/// A batch for the variant: two clips of 4 × 16 × 24 in each group, more of other sizes where `groups` asks,
/// with captions as the shape reads them. Conditioned models are given the first frames of each clip.
ModelInput batchFor(const ModelShape& shape, std::size_t groups = 1);

/// All that a batch of one group has of each clip: tensors with a row a clip, those that are defined.
std::vector<at::Tensor*> rowsOfClips(ModelInput& input);

/// The clips from `first` on of such a batch.
ModelInput someClips(ModelInput input, std::int64_t first, std::int64_t count);

}  // namespace dailies::trainer
