#include "core/http/http_connection.h"

namespace dailies::http {

struct Connection::Curl {};

Connection::Connection(Credentials, std::stop_token, std::chrono::seconds) {
    throw Error("This build cannot ask servers: libcurl's headers were not found when it was made.",
                "Install them (Debian: libcurl4-openssl-dev) and build again.");
}

Connection::~Connection() = default;

Response Connection::get(const std::string&) {
    return {};
}

Response Connection::getPart(const std::string&, std::uint64_t, std::uint64_t) {
    return {};
}

Response Connection::post(const std::string&, const std::string&) {
    return {};
}

Response Connection::put(const std::string&, const std::filesystem::path&) {
    return {};
}

Response Connection::send(const char*, const std::string&, std::string_view) {
    return {};
}

}  // namespace dailies::http
