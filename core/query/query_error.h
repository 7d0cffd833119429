#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dailies::query {

/// What was probably meant in place of some bytes of the text that was parsed; one of several where each
/// could be.
struct Proposal {
    std::vector<std::string> texts = {};
    std::size_t position = 0, length = 0;
};

/// A filter or an order that cannot be understood. `what()` names what was found, `remedy()` what would be
/// accepted; `position()` and `length()` are byte offsets into the UTF-8 text that was parsed and never cut a
/// character in two. `length()` is 0 where something is missing, as at the end of the text.
class QueryError : public InputError {
public:
    QueryError(const std::string& what, std::string remedy, std::size_t position, std::size_t length,
               Proposal proposal = {})
        : InputError(what, std::move(remedy)),
          m_position(position),
          m_length(length),
          m_proposal(std::move(proposal)) {}

    std::size_t position() const noexcept { return m_position; }
    std::size_t length() const noexcept { return m_length; }
    /// As the remedy names it; without texts: there is none.
    const Proposal& proposal() const noexcept { return m_proposal; }

private:
    std::size_t m_position;
    std::size_t m_length;
    Proposal m_proposal;
};

/// Two lines for a terminal: the part of `text` around the given bytes, made harmless, and carets beneath
/// them.
///
///     metrics.loss < 'low'
///                    ^^^^^
std::string caretSnippet(std::string_view text, std::size_t position, std::size_t length);

}  // namespace dailies::query
