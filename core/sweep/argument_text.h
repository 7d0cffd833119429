#pragma once

#include "core/sweep/sweep.h"

#include <string>

namespace YAML {
class Node;
}

namespace dailies::sweep {

class YamlReader;

/// The listed values of a parameter of the user's own program in one line, as a sweep file has them between
/// the brackets: 1e-4, "07", [1, 2].
std::string argumentText(const Parameter& parameter);

/// Reads such a line into `values` and `spellings`: one value of a fixed parameter. Throws `InputError`.
void readArgumentText(Parameter& parameter, const std::string& text);

/// One value more, with its spelling where Python, or the file that is written from it, would have another.
void addArgument(Parameter& parameter, const YamlReader& yaml, const YAML::Node& node);

}  // namespace dailies::sweep
