#include "remote/ssh/known_hosts.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "remote/ssh/base64.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fnmatch.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <sstream>
#include <unistd.h>

namespace dailies::remote::ssh {

namespace {

namespace fs = std::filesystem;

struct Line {
    std::string marker, hosts, type, key;
};

/// An empty key for comments, blank lines and what cannot be read.
Line parse(const std::string& text) {
    std::istringstream words(text);
    Line line;
    if (text.starts_with('@')) words >> line.marker;
    words >> line.hosts;
    if (line.hosts.starts_with('#')) return {};
    words >> line.type >> line.key;
    return line;
}

constexpr std::size_t kSaltSize = 20;  // as ssh-keygen -H makes it

std::string hashOf(const std::string& host, const std::string& salt) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
    unsigned size = 0;
    HMAC(EVP_sha1(), salt.data(), static_cast<int>(salt.size()),
         reinterpret_cast<const unsigned char*>(host.data()), host.size(), hash.data(), &size);
    return {reinterpret_cast<const char*>(hash.data()), size};
}

/// "|1|salt|hash", both base64: hash = HMAC-SHA1(salt, host).
bool matchesHash(const std::string& field, const std::string& host) {
    const auto parts = split(field, '|');
    if (parts.size() != 4 || parts[1] != "1") return false;
    return hashOf(host, decodeBase64(parts[2])) == decodeBase64(parts[3]);
}

std::string hashed(const std::string& host) {
    std::string salt(kSaltSize, '\0');
    if (RAND_bytes(reinterpret_cast<unsigned char*>(salt.data()), static_cast<int>(salt.size())) != 1)
        throw Error("Cannot get random bytes from the system.");
    return "|1|" + encodeBase64(salt) + "|" + encodeBase64(hashOf(host, salt));
}

bool matchesPattern(std::string pattern, const std::string& host) {
    // known_hosts has * and ? only: a bracket is the one around a name with a port.
    for (std::size_t at = 0; (at = pattern.find_first_of("[\\", at)) != std::string::npos; at += 2)
        pattern.insert(at, "\\");
    return ::fnmatch(pattern.c_str(), host.c_str(), 0) == 0;
}

bool matches(const std::string& hosts, const std::string& host) {
    if (hosts.starts_with('|')) return matchesHash(hosts, host);
    bool matched = false;
    for (const auto& pattern : split(lowered(hosts), ',')) {
        if (pattern.starts_with('!')) {
            if (matchesPattern(pattern.substr(1), host)) return false;
        } else if (matchesPattern(pattern, host)) {
            matched = true;
        }
    }
    return matched;
}

HostKeyState judge(const Line& line, const std::string& type, const std::string& key) {
    if (line.marker == "@revoked") return line.key == key ? HostKeyState::Revoked : HostKeyState::Unknown;
    if (!line.marker.empty()) return HostKeyState::Unknown;
    if (line.type != type) return HostKeyState::OtherType;
    return line.key == key ? HostKeyState::Known : HostKeyState::Changed;
}

int weight(HostKeyState state) {
    switch (state) {
        case HostKeyState::Unknown:
            return 0;
        case HostKeyState::OtherType:
            return 1;
        case HostKeyState::Changed:
            return 2;
        case HostKeyState::Known:
            return 3;
        case HostKeyState::Revoked:
            return 4;
    }
    return 0;
}

/// Calls `use(line, file, number)` for every line that is about this host.
template <typename Use>
void forEachLine(const std::vector<fs::path>& files, const std::string& host, const Use& use) {
    for (const auto& file : files) {
        std::error_code failure;
        if (!fs::exists(file, failure) && !failure) continue;
        std::istringstream text(readFile(file));
        int number = 0;
        for (std::string content; std::getline(text, content);) {
            ++number;
            const auto line = parse(content);
            if (!line.key.empty() && matches(line.hosts, lowered(host))) use(line, file, number);
        }
    }
}

}  // namespace

HostKeyFinding findHostKey(const std::vector<fs::path>& files, const std::string& host,
                           const std::string& type, const std::string& key) {
    HostKeyFinding best;
    forEachLine(files, host, [&](const Line& line, const fs::path& file, int number) {
        const auto state = judge(line, type, key);
        if (weight(state) > weight(best.state)) best = {state, file, number, line.type, line.key};
    });
    return best;
}

std::set<std::string> knownKeyTypes(const std::vector<fs::path>& files, const std::string& host) {
    std::set<std::string> types;
    forEachLine(files, host, [&](const Line& line, const fs::path&, int) {
        if (line.marker.empty()) types.insert(line.type);
    });
    return types;
}

std::string fingerprintOf(const std::string& key) {
    const auto bytes = decodeBase64(key);
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
    unsigned size = 0;
    EVP_Digest(bytes.data(), bytes.size(), hash.data(), &size, EVP_sha256(), nullptr);
    std::string text = encodeBase64({reinterpret_cast<const char*>(hash.data()), size});
    text.erase(text.find_last_not_of('=') + 1);
    return "SHA256:" + text;
}

void saveHostKey(const fs::path& file, const std::string& host, const std::string& type,
                 const std::string& key, bool hashHost) {
    if (!file.parent_path().empty() && fs::create_directories(file.parent_path()))
        fs::permissions(file.parent_path(), fs::perms::owner_all);
    std::string line = (hashHost ? hashed(lowered(host)) : host) + " " + type + " " + key + "\n";
    if (fs::is_regular_file(file)) {
        const auto before = readFile(file);
        if (!before.empty() && before.back() != '\n') line.insert(0, "\n");
    }
    // One append, so that other programs' lines written at the same time survive.
    const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    const bool written =
        fd >= 0 && ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    const int problem = errno;
    if (fd >= 0) ::close(fd);
    if (!written)
        throw Error("Cannot save the host key in " + file.string() + ": " + std::strerror(problem) + ".");
}

}  // namespace dailies::remote::ssh
