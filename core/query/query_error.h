#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace dailies::query {

/// A filter or an order that cannot be understood. `what()` names what was found, `remedy()` what would be
/// accepted; `position()` and `length()` are byte offsets into the UTF-8 text that was parsed and never cut a
/// character in two. `length()` is 0 where something is missing, as at the end of the text.
class QueryError : public InputError {
public:
    QueryError(const std::string& what, std::string remedy, std::size_t position, std::size_t length)
        : InputError(what, std::move(remedy)), m_position(position), m_length(length) {}

    std::size_t position() const noexcept { return m_position; }
    std::size_t length() const noexcept { return m_length; }

private:
    std::size_t m_position;
    std::size_t m_length;
};

/// Two lines for a terminal: the part of `text` around the given bytes, made harmless, and carets beneath
/// them.
///
///     metrics.loss < 'low'
///                    ^^^^^
std::string caretSnippet(std::string_view text, std::size_t position, std::size_t length);

}  // namespace dailies::query
