#include "remote/ssh/key_file.h"

#include "remote/ssh/base64.h"
#include "remote/ssh/wire.h"

#include <fstream>

namespace dailies::remote::ssh {

namespace {

namespace fs = std::filesystem;

/// libssh's question for a passphrase: only notes that there was one.
int noteLock(const char*, char*, std::size_t, int, int, void* locked) {
    *static_cast<bool*>(locked) = true;
    return -1;
}

Key import(const fs::path& file, const char* passphrase, bool& locked) {
    ssh_key raw = nullptr;
    const int result =
        ssh_pki_import_privkey_file(file.c_str(), passphrase, passphrase ? nullptr : noteLock, &locked, &raw);
    return {result == SSH_OK ? raw : nullptr, &ssh_key_free};
}

std::string publicKeyOf(ssh_key key) {
    char* base64 = nullptr;
    if (!key || ssh_pki_export_pubkey_base64(key, &base64) != SSH_OK) return {};
    std::string result(base64);
    ssh_string_free_char(base64);
    return result;
}

/// A key is its type and its numbers; a certificate of it its type, a nonce, the same numbers, and more
/// (OpenSSH's PROTOCOL.certkeys). Both base64.
bool isCertificateOf(const std::string& certificate, const std::string& key) {
    const auto certificateBytes = decodeBase64(certificate), keyBytes = decodeBase64(key);
    WireReader certificateReader(certificateBytes), keyReader(keyBytes);
    return certificateReader.string() && certificateReader.string() && keyReader.string() &&
           certificateReader.rest().starts_with(keyReader.rest());
}

}  // namespace

fs::path certificatePath(const fs::path& keyFile) {
    return keyFile.string() + "-cert.pub";
}

std::string readPublicKey(const fs::path& file) {
    std::ifstream words(file);
    std::string type, key;
    words >> type >> key;
    return key;
}

KeyFile::KeyFile(fs::path file) : m_file(std::move(file)), m_key(nullptr, &ssh_key_free) {
    m_key = import(m_file, nullptr, m_locked);
    m_publicKey = m_key ? publicKeyOf(m_key.get()) : readPublicKey(m_file.string() + ".pub");
}

bool KeyFile::unlock(const std::string& passphrase) {
    bool asked = false;
    m_key = import(m_file, passphrase.c_str(), asked);
    if (!m_key) return false;
    m_locked = false;
    m_publicKey = publicKeyOf(m_key.get());
    return true;
}

std::vector<Key> KeyFile::withCertificates(const std::vector<fs::path>& certificates) const {
    auto files = certificates;
    files.push_back(certificatePath(m_file));
    std::vector<Key> keys;
    for (const auto& file : files) {
        ssh_key raw = nullptr;
        if (!m_key || !isCertificateOf(readPublicKey(file), m_publicKey) ||
            ssh_pki_import_cert_file(file.c_str(), &raw) != SSH_OK)
            continue;
        const Key certificate(raw, &ssh_key_free);
        Key both(ssh_key_dup(m_key.get()), &ssh_key_free);
        if (both && ssh_pki_copy_cert_to_privkey(certificate.get(), both.get()) == SSH_OK)
            keys.push_back(std::move(both));
    }
    return keys;
}

}  // namespace dailies::remote::ssh
