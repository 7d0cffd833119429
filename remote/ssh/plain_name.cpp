#include "remote/ssh/plain_name.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace dailies::remote::ssh {

void requirePlainName(const std::string& what, const std::string& name) {
    const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return c > 127 || std::isalnum(c) ||
               std::string_view("._-:%@+\\").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain && !name.starts_with('-')) return;
    throw InputError("'" + sanitizedText(name) + "' cannot be a " + what + ".",
                     name.starts_with('-') ? "A " + what + " that begins with '-' would be read as an option."
                                           : "Use the name as ssh takes it.");
}

}  // namespace dailies::remote::ssh
