#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::trainer {

/// Numbers of any shape without LibTorch: latents and text embeddings on their way from files to tensors.
/// Types have the names of safetensors: "F32", "F16", "BF16", …; little-endian, the last dimension varies
/// fastest.
struct Array {
    std::string type = "F32";
    std::vector<std::int64_t> shape;
    std::vector<std::uint8_t> bytes;

    std::int64_t elements() const;
    bool operator==(const Array&) const = default;
};

/// "[16, 4, 8, 8]".
std::string shapeText(const std::vector<std::int64_t>& shape);

Array floatArray(std::vector<std::int64_t> shape, const std::vector<float>& values);

/// The numbers as float32, whatever floating-point type they have; throws `InputError` for other types.
std::vector<float> toFloats(const Array& array);

/// What stands before the numbers of a file.
struct ArrayHeader {
    std::string type;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;  ///< byte of the file at which the numbers begin
    std::uint64_t bytes = 0;
};

/// How much of a file's beginning `parseArrayHeader` needs at the most, for the files that people write.
constexpr std::size_t kMaxArrayHeaderBytes = 16 << 10;

/// Whether a file of this extension ("latent.npy") is one that `parseArrayHeader` reads: NumPy's .npy
/// (versions 1 to 3) and safetensors with one tensor.
bool isArrayExtension(std::string_view extension);

/// Reads the head of a file of `fileBytes` bytes from its first bytes. Nothing in it is trusted. Throws
/// `InputError` with what is wrong, as a clause without the file's name.
ArrayHeader parseArrayHeader(std::string_view extension, std::string_view front, std::uint64_t fileBytes);

/// The whole file; throws like `parseArrayHeader`.
Array parseArray(std::string_view extension, std::string_view bytes);

}  // namespace dailies::trainer
