#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

// Inside of core/query: how a filter's text falls into words.
namespace dailies::query::detail {

struct Token {
    enum class Kind {
        Word,          ///< a keyword or a field with whatever is quoted in it: AND, params.`a b`; also "text"
        Text,          ///< 'text'
        Number,        ///< begins as a number does; whether it is one the parser says
        Operator,      ///< a run of < > = ! ~
        Open,          ///< (
        Close,         ///< )
        Comma,         ///< ,
        Unterminated,  ///< an opening quote, and all that follows it
        Stray,         ///< a character that means nothing here
        End,
    };
    Kind kind = Kind::End;
    std::size_t begin = 0, end = 0;  ///< bytes of the text
    std::string_view text;
};

/// The tokens and an `End`. Takes any bytes, in linear time.
std::vector<Token> tokenize(std::string_view text);

/// Whether `token` is that keyword, in whatever case. `keyword` is in capitals.
bool isKeyword(const Token& token, std::string_view keyword);

/// The length of the blank at `text[at]`, 0 where there is none. Blanks are what Python takes for them:
/// pasted text has no-break spaces.
std::size_t blankAt(std::string_view text, std::size_t at);

}  // namespace dailies::query::detail
