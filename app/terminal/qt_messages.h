#pragma once

namespace dailies::app {

/// What Qt says goes to the log, too. Keeps two of its remarks out of it and off standard error that no user
/// can act on: where it looks for a folder of the login session that a cluster's login node or a container
/// lacks, and that there is no display to give size hints to. Everything else is told as before.
void handleQtMessages();

}  // namespace dailies::app
