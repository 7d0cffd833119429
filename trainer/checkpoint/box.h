#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace dailies::trainer {

using Extents = std::vector<std::int64_t>;

/// A rectangular part of a tensor: where it begins on each axis, and how far it reaches. A tensor without
/// axes has one box, of no axes, that holds its one element.
struct Box {
    Extents first, size;

    static Box whole(const Extents& shape) { return {Extents(shape.size(), 0), shape}; }
    std::int64_t elements() const;
    bool liesIn(const Extents& shape) const;
    bool operator==(const Box&) const = default;
};

/// What both hold; nothing when that is empty.
std::optional<Box> intersection(const Box& one, const Box& other);

/// The elements [begin, end) of a row-major tensor as boxes that do not overlap, in order: how a layout that
/// cuts flattened weights anywhere says what its ranks hold. At most 2·axes - 1 boxes.
std::vector<Box> boxesOfRange(const Extents& shape, std::int64_t begin, std::int64_t end);

}  // namespace dailies::trainer
