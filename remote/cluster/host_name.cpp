#include "remote/cluster/host_name.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/ssh/plain_name.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <string_view>

namespace dailies::remote {

namespace {

constexpr const char* kAccepted =
    "A host name, an address or a Host of ~/.ssh/config is accepted: login.example.org.";

bool isAddress(int family, const std::string& text) {
    in6_addr address;
    return ::inet_pton(family, text.c_str(), &address) == 1;
}

/// Labels between single dots, of what names of hosts and Hosts of ~/.ssh/config are made of; one dot may end
/// them.
bool isName(std::string_view text) {
    constexpr std::size_t kLongest = 253;
    if (text.ends_with('.')) text.remove_suffix(1);
    if (text.empty() || text.size() > kLongest || text.find("..") != std::string_view::npos) return false;
    const auto begins = [](unsigned char c) { return c > 127 || std::isalnum(c) || c == '_'; };
    return begins(static_cast<unsigned char>(text.front())) && text.back() != '.' &&
           std::ranges::all_of(text, [&](char c) {
               return begins(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '+';
           });
}

/// With a zone, too: fe80::1%eth0.
bool isIpv6(const std::string& text) {
    const auto zone = text.find('%');
    return isAddress(AF_INET6, text.substr(0, zone)) &&
           (zone == std::string::npos || isName(std::string_view(text).substr(zone + 1)));
}

/// "10.0.0.256" is no name either.
bool looksLikeIpv4(std::string_view text) {
    return std::ranges::count(text, '.') == 3 &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) || c == '.'; });
}

}  // namespace

void requireHostName(const std::string& host) {
    if (host.empty())
        throw InputError("The cluster has no host.", std::string("Enter the login node. ") + kAccepted);
    ssh::requirePlainName("host name", host.starts_with('-') ? host : "");  // has words of its own for these
    if (isIpv6(host) || (looksLikeIpv4(host) ? isAddress(AF_INET, host) : isName(host))) return;
    const bool holdsUser = host.find('@') != std::string::npos,
               holdsPort = host.find(':') != std::string::npos;
    throw InputError("'" + sanitizedText(host) + "' cannot be a host name.",
                     std::string(kAccepted) +
                         (holdsUser ? " The user has a field of its own (--user)." : "") +
                         (holdsPort ? " The port has a field of its own (--port), 1 to 65535." : ""));
}

}  // namespace dailies::remote
