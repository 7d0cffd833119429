#pragma once

#include <vector>

namespace dailies {

/// Different TCP ports that nothing on this machine listens on, `preferred` first when it is one of those.
/// They lie below the range from which the kernel gives ports to outgoing connections, so that none is taken
/// before a daemon binds it.
std::vector<int> freePorts(int count, int preferred = 0);

/// Whether something on 127.0.0.1 accepts connections there.
bool acceptsConnections(int port);

}  // namespace dailies
