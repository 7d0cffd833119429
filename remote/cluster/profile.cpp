#include "remote/cluster/profile.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "remote/cluster/host_name.h"
#include "remote/ssh/plain_name.h"

#include <algorithm>
#include <cctype>

namespace dailies::remote {

namespace {

/// The value under `key`, or `fallback`; a value of another type is refused by name.
template <typename Value>
Value read(const Json& json, const char* key, const Value& fallback) {
    const auto at = json.find(key);
    if (at == json.end()) return fallback;
    try {
        return at->get<Value>();
    } catch (const nlohmann::json::exception&) {
        throw InputError("Cluster profile: '" + std::string(key) + "' is " + at->dump() + ".",
                         "It must be of the same type as " + Json(fallback).dump() + ".");
    }
}

/// What a cluster can be called: a folder, a word of a command line and a tag of runs are made of it.
void requireClusterName(const std::string& name) {
    constexpr std::size_t kLongest = 64;
    const auto isPlain = [](unsigned char c) { return c < 0x80 && std::isalnum(c); };
    const bool sound = !name.empty() && name.size() <= kLongest &&
                       isPlain(static_cast<unsigned char>(name.front())) &&
                       std::ranges::all_of(name, [&](char c) {
                           return isPlain(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
                       });
    if (sound) return;
    throw InputError(
        name.empty() ? "The cluster has no name." : "\"" + sanitizedText(name) + "\" cannot name a cluster.",
        "Letters, digits, '.', '_' and '-' are accepted, " + std::to_string(kLongest) +
            " of them at most, a letter or a digit first: lab, hopper-2.");
}

}  // namespace

Json toJson(const ClusterProfile& profile) {
    return {{"name", profile.name},
            {"host", profile.host},
            {"port", profile.port},
            {"user", profile.user},
            {"identity_file", profile.identityFile},
            {"known_hosts_file", profile.knownHostsFile},
            {"read_user_config", profile.readUserConfig},
            {"workspace", profile.workspace},
            {"partition", profile.partition},
            {"account", profile.account},
            {"qos", profile.qos},
            {"setup", profile.setup},
            {"environment", sweep::toJson(profile.environment)},
            {"gpu_hour_price", profile.gpuHourPrice},
            {"currency", profile.currency},
            {"torch_dir", profile.torchDir},
            {"poll_seconds", profile.pollSeconds},
            {"calls_per_minute", profile.callsPerMinute}};
}

ClusterProfile profileFromJson(const Json& json) {
    if (!json.is_object())
        throw InputError("A cluster profile is " + json.dump() + ".", "It must be an object.");
    const ClusterProfile defaults;
    ClusterProfile profile;
    profile.name = read(json, "name", defaults.name);
    profile.host = read(json, "host", defaults.host);
    profile.port = read(json, "port", defaults.port);
    profile.user = read(json, "user", defaults.user);
    profile.identityFile = read(json, "identity_file", defaults.identityFile);
    profile.knownHostsFile = read(json, "known_hosts_file", defaults.knownHostsFile);
    profile.readUserConfig = read(json, "read_user_config", defaults.readUserConfig);
    profile.workspace = read(json, "workspace", defaults.workspace);
    profile.partition = read(json, "partition", defaults.partition);
    profile.account = read(json, "account", defaults.account);
    profile.qos = read(json, "qos", defaults.qos);
    profile.setup = read(json, "setup", defaults.setup);
    if (const auto environment = json.find("environment"); environment != json.end())
        profile.environment = sweep::environmentFromJson(*environment);
    profile.gpuHourPrice = read(json, "gpu_hour_price", defaults.gpuHourPrice);
    profile.currency = read(json, "currency", defaults.currency);
    profile.torchDir = read(json, "torch_dir", defaults.torchDir);
    profile.pollSeconds = read(json, "poll_seconds", defaults.pollSeconds);
    profile.callsPerMinute = read(json, "calls_per_minute", defaults.callsPerMinute);
    if (profile.name.empty())
        throw InputError("A cluster profile has no name.", "Give it one: {\"name\": \"…\", …}.");
    if (profile.port < 0 || profile.port > 65535)
        throw InputError(
            "Cluster '" + profile.name + "': port " + std::to_string(profile.port) + " does not exist.",
            "0 (from ~/.ssh/config, else 22) to 65535 are accepted.");
    if (!(profile.gpuHourPrice >= 0 && profile.gpuHourPrice < 1e6))
        throw InputError(
            "Cluster '" + profile.name + "': gpu_hour_price is " + shortNumber(profile.gpuHourPrice) + ".",
            "0 (not known) or what an hour of one GPU costs is accepted.");
    if (profile.pollSeconds < 1 || profile.pollSeconds > 3600)
        throw InputError(
            "Cluster '" + profile.name + "': poll_seconds is " + std::to_string(profile.pollSeconds) + ".",
            "1 to 3600 seconds are accepted.");
    if (profile.callsPerMinute < 0 || profile.callsPerMinute > 6000)
        throw InputError("Cluster '" + profile.name + "': calls_per_minute is " +
                             std::to_string(profile.callsPerMinute) + ".",
                         "0 (no ceiling) to 6000 are accepted.");
    return profile;
}

void throwIfInvalid(const ClusterProfile& profile) {
    profileFromJson(toJson(profile));  // what could not be read back is not written
    requireHostName(profile.host);
    ssh::requirePlainName("user name", profile.user);
}

ClusterProfiles::ClusterProfiles(std::filesystem::path file) : m_file(std::move(file)) {
    if (!std::filesystem::exists(m_file)) return;
    const Json document = parseJson(readFile(m_file), m_file.string());
    const auto clusters = document.find("clusters");
    if (!document.is_object() || clusters == document.end() || !clusters->is_array())
        throw InputError(m_file.string() + " does not hold cluster profiles.",
                         "It must be {\"clusters\": [ … ]}. Correct it, or move it away to start anew.");
    for (const Json& entry : *clusters) {
        try {
            m_profiles.push_back(profileFromJson(entry));
        } catch (const InputError& error) {
            throw InputError(m_file.string() + ": " + error.what(), error.remedy());
        }
    }
}

std::filesystem::path ClusterProfiles::defaultFile() {
    return userConfigFolder() / "clusters.json";
}

std::optional<ClusterProfile> ClusterProfiles::find(const std::string& name) const {
    const auto at = std::ranges::find(m_profiles, name, &ClusterProfile::name);
    return at == m_profiles.end() ? std::nullopt : std::optional(*at);
}

ClusterProfile ClusterProfiles::get(const std::string& name) const {
    if (auto profile = find(name)) return *profile;
    std::vector<std::string> names;
    for (const ClusterProfile& profile : m_profiles) names.push_back(profile.name);
    const std::string nearest = nearestWord(name, names);
    throw InputError("There is no cluster '" + name + "'.",
                     names.empty() ? "Add one with `dailies clusters add`."
                                   : (nearest.empty() ? "" : "Did you mean '" + nearest + "'? ") +
                                         "Known: " + join(names, ", ") + ".");
}

void ClusterProfiles::put(const ClusterProfile& profile) {
    throwIfInvalid(profile);
    const auto at = std::ranges::find(m_profiles, profile.name, &ClusterProfile::name);
    if (at == m_profiles.end()) {
        requireClusterName(profile.name);  // one that is there already may be called as it is
        m_profiles.push_back(profile);
    } else {
        *at = profile;
    }
    save();
}

void ClusterProfiles::remove(const std::string& name) {
    std::erase_if(m_profiles, [&](const ClusterProfile& profile) { return profile.name == name; });
    save();
}

void ClusterProfiles::save() const {
    Json clusters = Json::array();
    for (const ClusterProfile& profile : m_profiles) clusters.push_back(toJson(profile));
    using std::filesystem::perms;
    writeFileAtomically(m_file, Json{{"clusters", clusters}}.dump(2) + "\n",
                        perms::owner_read | perms::owner_write);
}

}  // namespace dailies::remote
