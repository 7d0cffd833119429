#include "ui/cluster/profile_list.h"

#include "ui/bridge/run_async.h"

#include <algorithm>
#include <mutex>

namespace dailies::ui {

namespace {

/// Changes of the file, one after the other: two quick edits must not overtake each other.
std::mutex& fileMutex() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace

ProfileList::ProfileList(std::filesystem::path file, QObject* parent)
    : QObject(parent), m_file(std::move(file)) {
    load();
}

void ProfileList::load() {
    runAsync(
        this,
        [file = m_file](std::stop_token) {
            return file.empty() ? std::vector<remote::ClusterProfile>{} : remote::ClusterProfiles(file).all();
        },
        [this](std::vector<remote::ClusterProfile> profiles) {
            m_profiles = std::move(profiles);
            m_loaded = true;
            emit changed();
        },
        [this](const Error& error) {
            m_loaded = true;
            emit failed(error);
            emit changed();
        });
}

std::optional<remote::ClusterProfile> ProfileList::find(const std::string& name) const {
    const auto found = std::find_if(m_profiles.begin(), m_profiles.end(),
                                    [&](const auto& profile) { return profile.name == name; });
    return found == m_profiles.end() ? std::nullopt : std::optional(*found);
}

void ProfileList::put(const remote::ClusterProfile& profile) {
    const auto found = std::find_if(m_profiles.begin(), m_profiles.end(),
                                    [&](const auto& known) { return known.name == profile.name; });
    if (found == m_profiles.end()) {
        m_profiles.push_back(profile);
    } else {
        *found = profile;
    }
    emit changed();
    runAsync(
        this,
        [file = m_file, profile](std::stop_token) {
            const std::lock_guard lock(fileMutex());
            remote::ClusterProfiles(file).put(profile);
        },
        [] {}, [this](const Error& error) { emit failed(error); });
}

void ProfileList::remove(const std::string& name) {
    std::erase_if(m_profiles, [&](const auto& profile) { return profile.name == name; });
    emit changed();
    runAsync(
        this,
        [file = m_file, name](std::stop_token) {
            const std::lock_guard lock(fileMutex());
            remote::ClusterProfiles(file).remove(name);
        },
        [] {}, [this](const Error& error) { emit failed(error); });
}

}  // namespace dailies::ui
