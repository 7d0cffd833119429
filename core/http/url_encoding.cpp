#include "core/http/http_connection.h"

#include <cctype>

namespace dailies::http {

namespace {

std::string encoded(std::string_view text, std::string_view kept) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || kept.find(c) != std::string_view::npos)
            result += c;
        else
            (result += '%', result += kHex[byte >> 4], result += kHex[byte & 15]);
    }
    return result;
}

}  // namespace

std::string urlEncoded(std::string_view text) {
    return encoded(text, "-_.~");
}

std::string urlEncodedPath(std::string_view path) {
    return encoded(path, "-_.~/");
}

}  // namespace dailies::http
