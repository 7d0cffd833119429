#pragma once

#include "core/base/error.h"
#include "remote/cluster/profile.h"

#include <QObject>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dailies::ui {

/// The cluster profiles as the GUI knows them; reading and writing their file happens on a worker thread.
class ProfileList : public QObject {
    Q_OBJECT

public:
    explicit ProfileList(std::filesystem::path file, QObject* parent = nullptr);

    const std::vector<remote::ClusterProfile>& all() const { return m_profiles; }
    std::optional<remote::ClusterProfile> find(const std::string& name) const;
    bool loaded() const { return m_loaded; }

    /// Adds or replaces the profile of that name; `changed` follows at once, the file a moment later.
    void put(const remote::ClusterProfile& profile);
    void remove(const std::string& name);

signals:
    void changed();
    void failed(const dailies::Error& error);

private:
    void load();

    std::filesystem::path m_file;
    std::vector<remote::ClusterProfile> m_profiles;
    bool m_loaded = false;
};

}  // namespace dailies::ui
