#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers and strings as SSH's messages and keys hold them (RFC 4251, section 5).
namespace dailies::remote::ssh {

std::string wireNumber(std::uint32_t value);
std::string wireString(std::string_view text);

/// Reads them off the front of a message; nullopt where it is too short.
class WireReader {
public:
    explicit WireReader(std::string_view message) : m_rest(message) {}
    std::optional<std::uint32_t> number();
    std::optional<std::string_view> string();
    std::string_view rest() const { return m_rest; }

private:
    std::string_view m_rest;
};

}  // namespace dailies::remote::ssh
