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

/// What a rank holds of a tensor, as one tensor: intervals of one of its axes, one behind the other. Without
/// intervals it holds all.
struct Cut {
    struct Interval {
        std::int64_t first = 0, size = 0;
        bool operator==(const Interval&) const = default;
    };
    std::size_t axis = 0;
    std::vector<Interval> intervals = {};

    /// Of what is held of a tensor of that size.
    Extents sizeOf(const Extents& whole) const;
    /// Where a box of what is held lies in the whole; in several boxes where intervals meet, in the order of
    /// the axis.
    std::vector<Box> placesOf(const Box& held) const;
    bool operator==(const Cut&) const = default;
};

}  // namespace dailies::trainer
