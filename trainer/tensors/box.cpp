#include "trainer/tensors/box.h"

#include <algorithm>

namespace dailies::trainer {

namespace {

/// Appends boxes of [begin, end) of the part of `shape` whose leading axes are fixed at `prefix`.
void appendRange(const Extents& shape, const Extents& prefix, std::int64_t begin, std::int64_t end,
                 std::vector<Box>& boxes) {
    if (begin >= end) return;
    const auto axis = prefix.size();
    std::int64_t row = 1;  // elements below one index of this axis
    for (std::size_t i = axis + 1; i < shape.size(); ++i) row *= shape[i];
    const auto addRows = [&](std::int64_t from, std::int64_t to) {
        if (from >= to) return;
        Box box{prefix, Extents(axis, 1)};
        box.first.push_back(from);
        box.size.push_back(to - from);
        for (std::size_t i = axis + 1; i < shape.size(); ++i) {
            box.first.push_back(0);
            box.size.push_back(shape[i]);
        }
        boxes.push_back(std::move(box));
    };
    const auto below = [&](std::int64_t index, std::int64_t from, std::int64_t to) {
        auto longer = prefix;
        longer.push_back(index);
        appendRange(shape, longer, from, to, boxes);
    };
    const auto firstRow = begin / row, lastRow = end / row;
    if (firstRow == lastRow) return below(firstRow, begin % row, end % row);
    if (begin % row != 0) below(firstRow, begin % row, row);
    addRows(begin % row == 0 ? firstRow : firstRow + 1, lastRow);
    if (end % row != 0) below(lastRow, 0, end % row);
}

}  // namespace

std::int64_t Box::elements() const {
    std::int64_t count = 1;
    for (const auto extent : size) count *= extent;
    return count;
}

bool Box::liesIn(const Extents& shape) const {
    if (first.size() != shape.size() || size.size() != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (first[i] < 0 || size[i] < 0 || first[i] > shape[i] || size[i] > shape[i] - first[i]) return false;
    return true;
}

std::optional<Box> intersection(const Box& one, const Box& other) {
    Box both;
    for (std::size_t i = 0; i < one.first.size(); ++i) {
        const auto begin = std::max(one.first[i], other.first[i]);
        const auto end = std::min(one.first[i] + one.size[i], other.first[i] + other.size[i]);
        if (begin >= end) return std::nullopt;
        both.first.push_back(begin);
        both.size.push_back(end - begin);
    }
    return both;
}

Extents Cut::sizeOf(const Extents& whole) const {
    if (intervals.empty()) return whole;
    auto size = whole;
    size[axis] = 0;
    for (const auto& stretch : intervals) size[axis] += stretch.size;
    return size;
}

std::vector<Box> Cut::placesOf(const Box& held) const {
    if (intervals.empty()) return {held};
    std::vector<Box> places;
    const auto begin = held.first[axis], end = begin + held.size[axis];
    std::int64_t before = 0;  // of the intervals so far
    for (const auto& [first, size] : intervals) {
        const auto from = std::max(begin, before), to = std::min(end, before + size);
        if (from < to) {
            places.push_back(held);
            places.back().first[axis] = first + from - before;
            places.back().size[axis] = to - from;
        }
        before += size;
    }
    return places;
}

std::vector<Box> boxesOfRange(const Extents& shape, std::int64_t begin, std::int64_t end) {
    if (begin >= end) return {};
    if (shape.empty()) return {Box{}};
    std::vector<Box> boxes;
    appendRange(shape, {}, begin, end, boxes);
    return boxes;
}

}  // namespace dailies::trainer
