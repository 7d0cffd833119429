#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// A regular file inside a tar, by where its bytes stand.
struct TarMember {
    std::string name;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    bool operator==(const TarMember&) const = default;
};

/// What a tar holds. A tar that is cut short or damaged gives its whole members up to there.
struct TarListing {
    std::vector<TarMember> members;     ///< in the order of the file
    std::vector<std::string> problems;  ///< what was left out and why, as clauses without the file's name
};

/// Lists a tar without reading its members' bytes: the formats of POSIX (ustar, pax) and GNU, with long names
/// and sizes of any length. Nothing in a header is trusted. Throws `Error` only when the file cannot be read
/// at all.
TarListing listTar(const std::filesystem::path& file);

/// Reads up to `count` bytes at `offset`; fewer at the end only.
using ReadAt = std::function<std::size_t(std::uint64_t offset, char* into, std::size_t count)>;

/// The same of a tar of `bytes` bytes, wherever they come from.
TarListing listTar(const ReadAt& read, std::uint64_t bytes);

}  // namespace dailies::trainer
