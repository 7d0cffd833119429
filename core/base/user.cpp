#include "core/base/user.h"

#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace dailies {

std::string userName() {
    for (const char* variable : {"USER", "LOGNAME"})
        if (const char* name = std::getenv(variable); name && *name) return name;
    const passwd* entry = ::getpwuid(::geteuid());
    return entry ? entry->pw_name : "";
}

}  // namespace dailies
