#include "core/query/lexer.h"

#include <cctype>

namespace dailies::query::detail {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isOperator(char c) {
    return std::string_view("<>=!~").find(c) != kNone;
}

bool isQuote(char c) {
    return c == '\'' || c == '"' || c == '`';
}

/// Where the quotation that opens at `begin` has ended, or kNone. As the SQL parser in MLflow has it: a
/// doubled quote and one behind a backslash belong to the content (and stay as they are), unless no other
/// quote is left to close it.
std::size_t endOfQuotation(std::string_view text, std::size_t begin) {
    const char quote = text[begin];
    std::size_t ifNoneFollows = kNone;
    for (std::size_t at = begin + 1; at < text.size(); ++at) {
        const bool quoteFollows = at + 1 < text.size() && text[at + 1] == quote;
        if (text[at] == quote) {
            if (!quoteFollows) return at + 1;
            ifNoneFollows = at + 1;
            ++at;
        } else if (text[at] == '\\' && quote != '`' && quoteFollows) {
            ifNoneFollows = at + 2;
            ++at;
        }
    }
    return ifNoneFollows;
}

class Lexer {
public:
    explicit Lexer(std::string_view text) : m_text(text) {}

    std::vector<Token> run() {
        std::vector<Token> found;
        do found.push_back(next());
        while (found.back().kind != Token::Kind::End);
        return found;
    }

private:
    char at(std::size_t index) const { return index < m_text.size() ? m_text[index] : '\0'; }

    bool isWordAt(std::size_t index) const {
        if (index >= m_text.size()) return false;
        const auto c = static_cast<unsigned char>(m_text[index]);
        if (c >= 0x80) return blankAt(m_text, index) == 0;
        return c > ' ' && c != 0x7f && !isQuote(m_text[index]) && !isOperator(m_text[index]) &&
               std::string_view("(),;").find(m_text[index]) == kNone;
    }

    bool beginsNumber(std::size_t index) const {
        if (at(index) == '-' || at(index) == '+') ++index;
        return isDigit(at(index)) || (at(index) == '.' && isDigit(at(index + 1)));
    }

    Token next() {
        while (const auto blank = blankAt(m_text, m_at)) m_at += blank;
        m_begin = m_at;
        if (m_at == m_text.size()) return token(Token::Kind::End);
        const char c = m_text[m_at];
        if (c == '(') return single(Token::Kind::Open);
        if (c == ')') return single(Token::Kind::Close);
        if (c == ',') return single(Token::Kind::Comma);
        if (isOperator(c)) {
            while (isOperator(at(m_at))) ++m_at;
            return token(Token::Kind::Operator);
        }
        if (c == '\'') return quotation() ? token(Token::Kind::Text) : unterminated();
        if (beginsNumber(m_at)) return number();
        if (isWordAt(m_at) || isQuote(c)) return word();
        return single(Token::Kind::Stray);
    }

    /// A number with everything that adjoins it, so that "1.0.0" and "3px" are refused whole.
    Token number() {
        ++m_at;
        for (; isWordAt(m_at); ++m_at) {
            const bool sign = at(m_at) == '-' || at(m_at) == '+';
            const bool exponent = at(m_at - 1) == 'e' || at(m_at - 1) == 'E';
            if (sign && !(exponent && isDigit(at(m_at + 1)))) break;
        }
        return token(Token::Kind::Number);
    }

    /// Words and quotations joined by dots: metrics.`train loss`.
    Token word() {
        for (;;) {
            if (isQuote(at(m_at))) {
                if (!quotation()) return unterminated();
                if (at(m_at) == '.') continue;
                break;
            }
            while (isWordAt(m_at)) ++m_at;
            if (m_text[m_at - 1] != '.' || !isQuote(at(m_at))) break;
        }
        return token(Token::Kind::Word);
    }

    bool quotation() {
        const auto end = endOfQuotation(m_text, m_at);
        if (end == kNone) return false;
        m_at = end;
        return true;
    }

    Token unterminated() {
        m_at = m_text.size();
        return token(Token::Kind::Unterminated);
    }

    Token single(Token::Kind kind) {
        ++m_at;
        return token(kind);
    }

    Token token(Token::Kind kind) const {
        return {kind, m_begin, m_at, m_text.substr(m_begin, m_at - m_begin)};
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_begin = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
    return Lexer(text).run();
}

bool isKeyword(const Token& token, std::string_view keyword) {
    if (token.kind != Token::Kind::Word || token.text.size() != keyword.size()) return false;
    for (std::size_t i = 0; i < keyword.size(); ++i)
        if (std::toupper(static_cast<unsigned char>(token.text[i])) != keyword[i]) return false;
    return true;
}

std::size_t blankAt(std::string_view text, std::size_t at) {
    if (at >= text.size()) return 0;
    const auto c = static_cast<unsigned char>(text[at]);
    if (c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f)) return 1;
    if (c < 0x80) return 0;
    const auto begins = [&](std::string_view blank) { return text.substr(at).starts_with(blank); };
    if (begins("\xc2\x85") || begins("\xc2\xa0")) return 2;  // next line, no-break space
    if (begins("\xe1\x9a\x80") || begins("\xe3\x80\x80") || begins("\xe2\x81\x9f")) return 3;
    if (begins("\xe2\x80") && at + 2 < text.size()) {  // U+2000…200A, 2028, 2029, 202F
        const auto last = static_cast<unsigned char>(text[at + 2]);
        if (last <= 0x8a || last == 0xa8 || last == 0xa9 || last == 0xaf) return 3;
    }
    return 0;
}

}  // namespace dailies::query::detail
