#pragma once

#include "trainer/serialization/binary_file.h"

#include <cstdint>
#include <map>
#include <string>

namespace dailies::trainer {

/// A file within a zip archive: where its bytes lie, which are not compressed.
struct ZipEntry {
    std::uint64_t begin = 0, size = 0;
};

/// What a zip archive holds, by name; also of those larger than 4 GB. Throws `InputError`, as a clause
/// without the file's name, for what is no whole archive or is compressed.
std::map<std::string, ZipEntry> readZipDirectory(const BinaryFile& file);

}  // namespace dailies::trainer
