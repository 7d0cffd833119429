#pragma once

#include <optional>

namespace dailies::sources {

namespace tensorboard {
class Tensor;
}

/// The number in a tensor of one element, whatever its type; nothing for other shapes, texts and complex
/// numbers. TensorFlow keeps values either in a typed list or as raw little-endian bytes (TensorProto).
std::optional<double> scalarOf(const tensorboard::Tensor& tensor);

}  // namespace dailies::sources
