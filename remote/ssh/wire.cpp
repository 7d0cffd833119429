#include "remote/ssh/wire.h"

#include <arpa/inet.h>
#include <cstring>

namespace dailies::remote::ssh {

std::string wireNumber(std::uint32_t value) {
    const std::uint32_t bytes = htonl(value);
    return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}

std::string wireString(std::string_view text) {
    return wireNumber(static_cast<std::uint32_t>(text.size())).append(text);
}

std::optional<std::uint32_t> WireReader::number() {
    std::uint32_t value = 0;
    if (m_rest.size() < sizeof value) return std::nullopt;
    std::memcpy(&value, m_rest.data(), sizeof value);
    m_rest.remove_prefix(sizeof value);
    return ntohl(value);
}

std::optional<std::string_view> WireReader::string() {
    const auto size = number();
    if (!size || *size > m_rest.size()) return std::nullopt;
    const auto text = m_rest.substr(0, *size);
    m_rest.remove_prefix(*size);
    return text;
}

}  // namespace dailies::remote::ssh
