#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The XML of S3 stores, of which the elements that count here have no attributes.
namespace dailies::objects {

/// What stands in all elements of that name, as it stands there.
std::vector<std::string> elements(const std::string& xml, const std::string& name);

/// The text of the first element of that name; empty: there is none.
std::string firstElement(const std::string& xml, const std::string& name);

}  // namespace dailies::objects
