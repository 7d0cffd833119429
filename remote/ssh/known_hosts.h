#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

/// OpenSSH's known_hosts files, read by its rules (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"): hashed names,
/// patterns, negation, [host]:port, @revoked. libssh's own reader ignores @revoked and does not say which
/// line is at fault. Certificate authorities are not used here; such lines count as absent.
namespace dailies::remote::ssh {

enum class HostKeyState {
    Known,
    Unknown,
    Changed,    ///< the host is known by another key of this type
    OtherType,  ///< the host is known by keys of other types only; to a person the same as Changed
    Revoked,    ///< a line forbids this very key
};

struct HostKeyFinding {
    HostKeyState state = HostKeyState::Unknown;
    std::filesystem::path file;  ///< of the line that decided; empty when Unknown
    int line = 0;                ///< from 1
    std::string type;            ///< of the key in that line
    std::string key;             ///< base64, in that line
};

/// `host`: "name", or "[name]:port" when the port is not 22. `key`: base64, as the files hold it. Revoked
/// beats Known beats Changed beats OtherType. Absent files are empty; an unreadable one throws `Error`.
HostKeyFinding findHostKey(const std::vector<std::filesystem::path>& files, const std::string& host,
                           const std::string& type, const std::string& key);

/// "SHA256:…" of a base64 key, as ssh-keygen -l prints it.
std::string fingerprintOf(const std::string& key);

/// Of which types the keys are that these files hold for a host: a server is asked for those first.
std::set<std::string> knownKeyTypes(const std::vector<std::filesystem::path>& files, const std::string& host);

/// Appends a line. The file (0600) and its folder (0700) are made when absent; what the file holds stays as
/// it is. `hashHost`: the line does not tell which host it is about (HashKnownHosts).
void saveHostKey(const std::filesystem::path& file, const std::string& host, const std::string& type,
                 const std::string& key, bool hashHost = false);

}  // namespace dailies::remote::ssh
