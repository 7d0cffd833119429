#include "ui/link/requirements.h"

namespace dailies::ui {

/// Two desktops on one store would both follow its runs and both decide for its sweeps.
void StoreOpening::requireWritable(const std::filesystem::path& storeFile) const {
    if (!readOnlyReason.empty())
        throw Error("Can't use a cluster while the database is read-only. " + readOnlyReason,
                    "Start this program again once the store can be written.");
    if (!isOpen)
        throw Error("the tracking store " + storeFile.string() + " could not be opened",
                    "See the first message of this session, and start Dailies with another --store.");
}

Error notConnectedError() {
    return Error("there is no connection to a cluster", "Connect on the Cluster page, then try again.");
}

}  // namespace dailies::ui
