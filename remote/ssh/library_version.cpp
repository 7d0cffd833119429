#include "remote/ssh/library_version.h"

#include <libssh/libssh.h>

namespace dailies::remote::ssh {

std::string libraryVersion() {
    const std::string version = ssh_version(0);  // "0.10.6/openssl/zlib"
    return version.substr(0, version.find('/'));
}

}  // namespace dailies::remote::ssh
