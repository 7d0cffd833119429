#include "trainer/pretrained/tensor_table.h"

#include "core/base/numbers.h"

#include <algorithm>

namespace dailies::trainer::pretrained {

namespace {

constexpr std::int64_t kMostBlocks = 1000;  // a name may hold any number; no model has so many blocks

}  // namespace

TensorTable::TensorTable(const NamedShapes& tensors) {
    for (const auto& [name, shape] : tensors) m_shapes.emplace(name, shape);
}

const Extents* TensorTable::find(const std::string& name) const {
    const auto found = m_shapes.find(name);
    return found == m_shapes.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> TensorTable::axis(const std::vector<std::string>& names, std::size_t axis) const {
    for (const auto& name : names)
        if (const auto* shape = find(name); shape && axis < shape->size()) return (*shape)[axis];
    return std::nullopt;
}

std::int64_t TensorTable::blocks(std::string_view prefix) const {
    std::int64_t count = 0;
    for (auto at = m_shapes.lower_bound(std::string(prefix)); at != m_shapes.end(); ++at) {
        if (!at->first.starts_with(prefix)) break;
        if (const auto block = splitBlock(at->first, prefix)) count = std::max(count, block->number + 1);
    }
    return count;
}

std::string TensorTable::blockWith(std::string_view prefix, std::string_view suffix) const {
    for (std::int64_t i = 0; i < blocks(prefix); ++i) {
        const auto block = std::string(prefix) + std::to_string(i) + ".";
        if (has(block + std::string(suffix))) return block;
    }
    return "";
}

std::string replacePrefix(const std::string& name,
                          const std::vector<std::pair<std::string_view, std::string_view>>& rows) {
    for (const auto& [from, to] : rows)
        if (name.starts_with(from)) return std::string(to) + name.substr(from.size());
    return name;
}

std::optional<BlockName> splitBlock(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return std::nullopt;
    const auto rest = name.substr(prefix.size());
    const auto dot = rest.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto number = parseInteger(rest.substr(0, dot));
    if (!number || *number < 0 || *number >= kMostBlocks) return std::nullopt;
    return BlockName{std::string(name.substr(0, prefix.size() + dot + 1)), *number,
                     std::string(rest.substr(dot + 1))};
}

}  // namespace dailies::trainer::pretrained
