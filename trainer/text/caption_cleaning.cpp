#include "trainer/text/caption_cleaning.h"

#include "trainer/text/html_references.h"

namespace dailies::trainer {

namespace {

/// Bytes of a white space that begins here, 0 for anything else.
std::size_t whiteSpaceAt(std::string_view at) {
    const auto byte = static_cast<unsigned char>(at.front());
    if ((byte >= 0x09 && byte <= 0x0D) || (byte >= 0x1C && byte <= 0x20)) return 1;
    if (at.starts_with("\xC2\x85") || at.starts_with("\xC2\xA0")) return 2;
    if (at.size() < 3) return 0;
    const auto last = static_cast<unsigned char>(at[2]);
    if (at.starts_with("\xE2\x80"))
        return (last >= 0x80 && last <= 0x8A) || last == 0xA8 || last == 0xA9 || last == 0xAF ? 3 : 0;
    const bool single =
        at.starts_with("\xE1\x9A\x80") || at.starts_with("\xE2\x81\x9F") || at.starts_with("\xE3\x80\x80");
    return single ? 3 : 0;
}

}  // namespace

std::string cleanCaption(std::string_view text) {
    const auto resolved = withoutHtmlReferences(withoutHtmlReferences(text));
    std::string clean;
    bool blank = false;
    for (std::string_view rest = resolved; !rest.empty();) {
        if (const auto space = whiteSpaceAt(rest); space > 0) {
            blank = !clean.empty();
            rest.remove_prefix(space);
            continue;
        }
        if (blank) clean += ' ';
        blank = false;
        clean += rest.front();
        rest.remove_prefix(1);
    }
    return clean;
}

}  // namespace dailies::trainer
