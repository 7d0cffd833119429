#pragma once

#include "trainer/tensors/named_shapes.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::trainer::pretrained {

/// Names and shapes of a model's tensors: what families are recognised by, and sizes are read off.
class TensorTable {
public:
    TensorTable() = default;
    explicit TensorTable(const NamedShapes& tensors);

    bool has(const std::string& name) const { return m_shapes.contains(name); }
    /// The shape of a tensor, or null.
    const Extents* find(const std::string& name) const;
    /// An axis of the first of these tensors that is there and has it.
    std::optional<std::int64_t> axis(const std::vector<std::string>& names, std::size_t axis) const;
    /// One more than the highest number that stands behind `prefix`, as in "blocks.39.…": 40.
    std::int64_t blocks(std::string_view prefix) const;
    /// The lowest such number whose block has `suffix`, as a prefix ("blocks.7."): where files hold only some
    /// of a model's blocks, its sizes are read off one that is there. "" when none has it.
    std::string blockWith(std::string_view prefix, std::string_view suffix) const;

    const std::map<std::string, Extents>& shapes() const { return m_shapes; }

private:
    std::map<std::string, Extents> m_shapes;
};

/// The name with its beginning replaced by that of the first row that it begins with; as it is where none
/// fits.
std::string replacePrefix(const std::string& name,
                          const std::vector<std::pair<std::string_view, std::string_view>>& rows);

/// "blocks.12.rest" with prefix "blocks." → "blocks.12." and "rest"; nullopt for other names.
struct BlockName {
    std::string block;
    std::int64_t number = 0;
    std::string rest;
};
std::optional<BlockName> splitBlock(std::string_view name, std::string_view prefix);

}  // namespace dailies::trainer::pretrained
