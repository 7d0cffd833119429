#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::trainer {

/// One tensor of a safetensors file (github.com/huggingface/safetensors).
struct SafetensorsEntry {
    std::string name;
    std::string type;  ///< "F32", "BF16", "U8", …
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;  ///< bytes, counted from SafetensorsHeader::start
};

/// What stands before the tensors. Needs no LibTorch, so that the data side reads such files too.
struct SafetensorsHeader {
    std::vector<SafetensorsEntry> tensors;        ///< in the order of the header
    std::map<std::string, std::string> metadata;  ///< the file's "__metadata__"
    std::uint64_t start = 0;                      ///< byte of the file at which the first tensor begins

    /// The entry of that name, or null.
    const SafetensorsEntry* find(std::string_view name) const;
};

/// Bytes of one element of a type of the format; 0 for what is none.
std::uint64_t safetensorsTypeSize(std::string_view type);

/// Reads the header of a file. It is not trusted: lengths, types, shapes and offsets are checked against each
/// other and the file's size, so that what it says may be allocated and read. Throws `Error` naming the file
/// and what is wrong.
SafetensorsHeader readSafetensorsHeader(const std::filesystem::path& file);

/// Checks and parses the JSON text of a header that is followed by `dataBytes` of tensors; `start` stays 0.
/// Throws `InputError` with what is wrong, as a clause without the file's name.
SafetensorsHeader parseSafetensorsHeader(const std::string& json, std::uint64_t dataBytes);

/// The bytes that a file begins with: length, then JSON padded so that tensors start aligned.
std::string encodeSafetensorsHeader(const SafetensorsHeader& header);

}  // namespace dailies::trainer
