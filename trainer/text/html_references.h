#pragma once

#include <string>
#include <string_view>

namespace dailies::trainer {

/// Numeric references ("&#8217;") and the names of HTML 4's Latin-1 and punctuation ("&amp;", "&eacute"), as
/// Python's html.unescape resolves them; other names stay as they are.
std::string withoutHtmlReferences(std::string_view text);

}  // namespace dailies::trainer
