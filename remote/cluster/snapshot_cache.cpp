#include "remote/cluster/snapshot_cache.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/digest/sha256.h"

#include <system_error>

namespace dailies::remote {

namespace {

namespace fs = std::filesystem;

fs::path folderOf(const fs::path& storeFile) {
    return storeFile.string() + ".clusters";
}

/// A profile may be called anything.
fs::path fileOf(const fs::path& storeFile, const std::string& cluster) {
    Sha256 hash;
    hash.add(cluster);
    return folderOf(storeFile) / (hash.hex(kIdDigits) + ".txt");
}

std::optional<ClusterView> read(const fs::path& file) {
    try {
        const std::string text = readFile(file);
        const auto lineEnd = text.find('\n');
        if (lineEnd == std::string::npos) return std::nullopt;
        const Json head = parseJson(text.substr(0, lineEnd), file.string());
        ClusterView view;
        view.cluster = head.at("cluster").get<std::string>();
        view.host = head.at("host").get<std::string>();
        view.workspace = head.at("workspace").get<std::string>();
        view.version = head.at("version").get<std::string>();
        view.accounting = head.at("accounting").get<bool>();
        view.snapshot = slurm::parseSnapshot(std::string_view(text).substr(lineEnd + 1));
        view.jobsOn = slurm::jobsByNode(view.snapshot.jobs);
        return view;
    } catch (const Error&) {
        return std::nullopt;
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

}  // namespace

ClusterView viewOf(const Cluster& cluster) {
    const ClusterProfile& profile = cluster.profile();
    ClusterView view;
    view.cluster = profile.name;
    view.host = profile.user.empty() ? profile.host : profile.user + "@" + profile.host;
    view.workspace = cluster.workspace();
    view.version = cluster.facts().version;
    view.accounting = cluster.facts().accounting;
    return view;
}

void saveSnapshot(const fs::path& storeFile, const ClusterView& view, const std::string& answer) {
    const Json head{{"cluster", view.cluster},
                    {"host", view.host},
                    {"workspace", view.workspace},
                    {"version", view.version},
                    {"accounting", view.accounting}};
    fs::create_directories(folderOf(storeFile));
    writeFileAtomically(fileOf(storeFile, view.cluster),
                        head.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" + answer,
                        fs::perms::owner_read | fs::perms::owner_write);
}

std::optional<ClusterView> loadSnapshot(const fs::path& storeFile, const std::string& cluster) {
    if (!cluster.empty()) return read(fileOf(storeFile, cluster));
    std::optional<ClusterView> newest;
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(folderOf(storeFile), absent)) {
        auto view = read(entry.path());
        if (view && (!newest || view->snapshot.time > newest->snapshot.time)) newest = std::move(view);
    }
    return newest;
}

}  // namespace dailies::remote
