#include "remote/ssh/host_key.h"

#include "core/base/files.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "remote/ssh/known_hosts.h"
#include "remote/ssh/session_error.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace dailies::remote::ssh {

namespace {

namespace fs = std::filesystem;

/// libssh's own string, freed.
std::string take(char* text) {
    std::string copy = text ? text : "";
    ssh_string_free_char(text);
    return copy;
}

struct ServerKey {
    std::string type, base64, fingerprint;
};

ServerKey serverKey(ssh_session session) {
    ssh_key raw = nullptr;
    if (ssh_get_server_publickey(session, &raw) != SSH_OK) return {};
    const std::unique_ptr<ssh_key_struct, decltype(&ssh_key_free)> key(raw, &ssh_key_free);
    ServerKey result;
    const auto type = ssh_key_type(raw);
    const bool isEcdsa =
        type == SSH_KEYTYPE_ECDSA_P256 || type == SSH_KEYTYPE_ECDSA_P384 || type == SSH_KEYTYPE_ECDSA_P521;
    if (const char* name = isEcdsa ? ssh_pki_key_ecdsa_name(raw) : ssh_key_type_to_char(type))
        result.type = name;
    char* base64 = nullptr;
    if (ssh_pki_export_pubkey_base64(raw, &base64) == SSH_OK) result.base64 = take(base64);
    if (!result.base64.empty()) result.fingerprint = fingerprintOf(result.base64);
    return result;
}

std::vector<fs::path> knownHostsFiles(const HostConfig& config) {
    auto files = config.userKnownHosts;
    files.insert(files.end(), config.globalKnownHosts.begin(), config.globalKnownHosts.end());
    return files;
}

/// As known_hosts lists the host.
std::string listedName(const HostConfig& config) {
    if (!config.hostKeyAlias.empty()) return config.hostKeyAlias;
    return config.port == 22 ? config.hostName : "[" + config.hostName + "]:" + std::to_string(config.port);
}

HostKeyFinding find(const std::vector<fs::path>& files, const std::string& host, const ServerKey& key) {
    try {
        return findHostKey(files, host, key.type, key.base64);
    } catch (const Error& e) {
        throw SessionError(Failure::HostKey,
                           std::string(e.what()) + " The host cannot be verified without it.", e.remedy());
    }
}

/// RevokedHostKeys may be a list or a KRL, which ssh-keygen knows how to read.
void refuseRevoked(const fs::path& list, const std::string& host, const ServerKey& key) {
    if (list.empty()) return;
    const TemporaryFolder folder("host-key");
    const auto file = folder.path() / "key.pub";
    writeFileAtomically(file, key.type + " " + key.base64 + "\n");
    const auto asked = runProcess({"ssh-keygen", "-Q", "-f", list.string(), file.string()});
    if (asked.ok()) return;
    throw SessionError(Failure::HostKey,
                       "The host key of " + host + " (" + key.fingerprint +
                           ") is revoked, or cannot be looked up, in " + list.string() + ".",
                       "Ask the cluster's administrators: the key may be compromised.");
}

[[noreturn]] void refuseChanged(const std::string& host, const ServerKey& key,
                                const HostKeyFinding& finding) {
    throw SessionError(
        Failure::HostKey,
        "The host key of " + host + " has changed: it shows " + key.type + " " + key.fingerprint + ", but " +
            finding.file.string() + " line " + std::to_string(finding.line) + " expects " + finding.type +
            " " + fingerprintOf(finding.key) + ". This may be a man-in-the-middle attack; nothing was sent.",
        "Ask the cluster's administrators. If they confirm the new fingerprint, remove that line and connect "
        "again.");
}

Prompter::Trust judgeUnknown(const HostConfig& config, const HostKey& key, Prompter& prompter) {
    switch (config.unknownKey) {
        case HostConfig::UnknownKey::Accept:
            return Prompter::Trust::Save;
        case HostConfig::UnknownKey::Refuse:
            throw SessionError(Failure::HostKey,
                               "The host key of " + key.host + " (" + key.fingerprint +
                                   ") is unknown, and StrictHostKeyChecking does not allow asking.",
                               "Add it to known_hosts, or change StrictHostKeyChecking in ~/.ssh/config.");
        case HostConfig::UnknownKey::Ask:
            break;
    }
    if (prompter.canAsk()) return prompter.trustHostKey(key);
    const bool plainPort = config.port == 22;
    const auto name = sanitizedText(config.hostName);
    throw SessionError(
        Failure::HostKey,
        "The host key of " + key.host + " (" + key.type + " " + key.fingerprint +
            ") is unknown, and there is no terminal to confirm it on.",
        "Sign in once with `ssh " + std::string(plainPort ? "" : "-p " + std::to_string(config.port) + " ") +
            name + "`, or, where that fingerprint is what the administrators publish: `ssh-keyscan " +
            (plainPort ? "" : "-p " + std::to_string(config.port) + " ") + name + " >> " +
            (config.userKnownHosts.empty() ? "~/.ssh/known_hosts" : config.userKnownHosts.front().string()) +
            "`.");
}

}  // namespace

std::string hostKeyPreference(const HostConfig& config) {
    std::vector<std::string> algorithms;
    // libssh checks no certificates of hosts: such a host is known by its plain key, or asked about.
    for (const auto& algorithm : split(config.hostKeyAlgorithms, ','))
        if (algorithm.find("-cert-") == std::string::npos) algorithms.push_back(algorithm);
    std::set<std::string> known;
    try {
        known = knownKeyTypes(knownHostsFiles(config), listedName(config));
    } catch (const Error&) {
        return join(algorithms, ",");  // an unreadable file is reported when the key is verified
    }
    std::stable_partition(algorithms.begin(), algorithms.end(), [&](const std::string& algorithm) {
        return known.contains(algorithm.starts_with("rsa-sha2-") ? "ssh-rsa" : algorithm);
    });
    return join(algorithms, ",");
}

void verifyHostKey(ssh_session session, const HostConfig& config, Prompter& prompter) {
    const auto host = listedName(config);
    const auto key = serverKey(session);
    if (key.base64.empty())
        throw SessionError(Failure::HostKey, "The host key of " + host + " cannot be read.");
    refuseRevoked(config.revokedHostKeys, host, key);
    const auto finding = find(knownHostsFiles(config), host, key);
    switch (finding.state) {
        case HostKeyState::Known:
            return;
        case HostKeyState::Revoked:
            throw SessionError(Failure::HostKey,
                               "The host key of " + host + " (" + key.fingerprint +
                                   ") is marked as revoked in " + finding.file.string() + " line " +
                                   std::to_string(finding.line) + ". Nothing was sent to it.",
                               "Ask the cluster's administrators: the key may be compromised.");
        case HostKeyState::Changed:
        case HostKeyState::OtherType:
            refuseChanged(host, key, finding);
        case HostKeyState::Unknown:
            break;
    }
    switch (judgeUnknown(config, {host, key.type, key.fingerprint}, prompter)) {
        case Prompter::Trust::Refuse:
            throw SessionError(Failure::HostKey,
                               "The host key of " + host + " (" + key.fingerprint + ") was not accepted.");
        case Prompter::Trust::Once:
            return;
        case Prompter::Trust::Save:
            if (!config.userKnownHosts.empty())
                saveHostKey(config.userKnownHosts.front(), host, key.type, key.base64, config.hashKnownHosts);
    }
}

}  // namespace dailies::remote::ssh
