#pragma once

#include "ui/cluster/profile_list.h"
#include "ui/link/cluster_worker.h"

#include <QObject>

#include <string>

namespace dailies::ui {

/// Remembers in the settings which cluster is connected, until a person disconnects it, and connects to it
/// when the program starts: once, off the GUI thread, and a question is asked only where the sign-in needs an
/// answer. A cluster that was removed, and a database that is only read here, connect to nothing.
class LastCluster : public QObject {
    Q_OBJECT

public:
    LastCluster(ProfileList& profiles, ClusterWorker& worker, QObject* parent = nullptr);

    void reconnect();

private:
    void remember(const std::string& name);
    void connectOnce();

    ProfileList& m_profiles;
    ClusterWorker& m_worker;
    std::string m_wanted;  ///< to be connected to; empty: nothing, or no longer
    bool m_storeOpened = false;
};

}  // namespace dailies::ui
