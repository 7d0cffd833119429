#pragma once

#include <libssh/libssh.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dailies::remote::ssh {

using Key = std::unique_ptr<ssh_key_struct, decltype(&ssh_key_free)>;

/// A private key in its file, and what lies beside it: FILE.pub, FILE-cert.pub.
class KeyFile {
public:
    /// Reads what can be read without a passphrase.
    explicit KeyFile(std::filesystem::path file);

    const std::filesystem::path& file() const { return m_file; }
    bool isLocked() const { return m_locked; }   ///< needs a passphrase
    ssh_key key() const { return m_key.get(); }  ///< null while locked, and for what is no private key
    bool unlock(const std::string& passphrase);

    /// Base64; "" when it is not known without the passphrase.
    const std::string& publicKey() const { return m_publicKey; }
    /// The key with each certificate of it among these files and FILE-cert.pub. Once it is unlocked.
    std::vector<Key> withCertificates(const std::vector<std::filesystem::path>& certificates) const;

private:
    std::filesystem::path m_file;
    Key m_key;
    bool m_locked = false;
    std::string m_publicKey;
};

/// The certificate that ssh looks for beside a private key.
std::filesystem::path certificatePath(const std::filesystem::path& keyFile);

/// The base64 word of a public key's or certificate's file; "" when there is none.
std::string readPublicKey(const std::filesystem::path& file);

}  // namespace dailies::remote::ssh
