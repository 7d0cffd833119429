#include "core/exchange/mlflow_limits.h"

#include <array>
#include <clocale>
#include <cwctype>
#include <filesystem>

namespace dailies::exchange {

namespace {

/// The length of the character that begins here, by its first byte.
std::size_t characterLength(unsigned char first) {
    return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

wint_t decode(std::string_view character) {
    static constexpr std::array<unsigned char, 5> kMask = {0, 0x7F, 0x1F, 0x0F, 0x07};
    auto code = static_cast<wint_t>(static_cast<unsigned char>(character[0]) & kMask[character.size()]);
    for (const char c : character.substr(1)) code = (code << 6) | (static_cast<unsigned char>(c) & 0x3F);
    return code;
}

/// Letters and digits of any script, as Python's \w has them.
bool isWordCharacter(wint_t code) {
    static const locale_t unicode = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return unicode && ::iswalnum_l(code, unicode);
}

bool isAccepted(std::string_view character) {
    const auto c = static_cast<unsigned char>(character[0]);
    if (character.size() > 1) return isWordCharacter(decode(character));
    return std::isalnum(c) || std::string_view("_-. :/").find(character[0]) != std::string_view::npos;
}

}  // namespace

std::string truncateUtf8(std::string_view text, std::size_t most) {
    std::size_t at = 0;
    for (std::size_t count = 0; at < text.size() && count < most; ++count)
        at += characterLength(static_cast<unsigned char>(text[at]));
    return std::string(text.substr(0, at));
}

std::string sanitizeMlflowName(std::string_view name) {
    std::string accepted;
    for (std::size_t at = 0; at < name.size();) {
        const auto character = name.substr(at, characterLength(static_cast<unsigned char>(name[at])));
        if (isAccepted(character))
            accepted += character;
        else
            accepted += '_';
        at += character.size();
    }
    accepted = truncateUtf8(accepted, kMaxKeyLength);
    const std::filesystem::path path(accepted);
    const auto plain = path.lexically_normal().generic_string();
    const bool meansAnother = plain != accepted || accepted == "." || accepted.starts_with("..") ||
                              accepted.starts_with('/') || accepted.ends_with('/') || accepted.empty();
    if (meansAnother)
        for (char& c : accepted)
            if (c == '/') c = '_';
    if (accepted.empty() || accepted == "." || accepted.starts_with("..")) accepted = "_" + accepted;
    return truncateUtf8(accepted, kMaxKeyLength);
}

}  // namespace dailies::exchange
