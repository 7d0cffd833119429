#pragma once

#include "core/query/field.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Inside of core/query: "params.lr" for "params.optimizer.lr", as tables head their columns.
namespace dailies::query::detail {

/// The keys that runs have of this kind; none of attributes.
const std::vector<std::string>& keysOf(Entity entity, const Vocabulary& known);

/// Whether a run has the key.
bool isKnown(const Field& field, const Vocabulary& known);

/// The keys that end in the name after a dot: "optimizer.lr" for "lr".
std::vector<std::string> keysEndingIn(std::string_view name, const std::vector<std::string>& keys);

/// The param or metric that is meant: itself where a run has it, else the only one that ends in its key, else
/// itself. A problem where several do; its place is the whole word.
std::variant<Field, FieldProblem> withWholeKey(Field field, const Vocabulary& known);

/// The key that `name` most likely meant to be or to be the end of, or "".
std::string nearestKey(std::string_view name, const std::vector<std::string>& keys);

}  // namespace dailies::query::detail
