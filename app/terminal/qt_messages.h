#pragma once

namespace dailies::app {

/// Keeps two remarks of Qt off standard error that no user can act on: where it looks for a folder of the
/// login session that a cluster's login node or a container lacks, and that there is no display to give size
/// hints to. Everything else is told as before.
void suppressQtWarnings();

}  // namespace dailies::app
