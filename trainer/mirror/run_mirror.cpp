#include "trainer/mirror/run_mirror.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/curation/share_out.h"
#include "core/objects/object_clients.h"
#include "trainer/checkpoint/checkpoint_folder.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <utility>

namespace dailies::trainer {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRecordFile = "mirror.json";
constexpr std::string_view kCheckpoints = "checkpoints/";
/// What the folder of a run has for this machine alone.
constexpr std::string_view kNotCopied[] = {"cache", "heartbeats", kRecordFile};
constexpr unsigned kConnections = 8;  // one alone does not fill a node's link to its bucket

/// "checkpoints/step-000000100" of what lies in it; empty: of no checkpoint.
std::string checkpointOf(const std::string& path) {
    if (!path.starts_with(kCheckpoints)) return "";
    const auto slash = path.find('/', kCheckpoints.size());
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string manifestOf(const std::string& checkpoint) {
    return checkpoint + "/" + kManifest;
}

bool isManifest(const std::string& path) {
    const auto checkpoint = checkpointOf(path);
    return !checkpoint.empty() && path == manifestOf(checkpoint);
}

/// Whether a path of a bucket leads below the folder, wherever it is put.
bool staysBelow(const fs::path& path) {
    return path.is_relative() && !path.empty() && path.has_filename() &&
           std::ranges::none_of(path, [](const fs::path& part) { return part == ".." || part == "."; });
}

}  // namespace

RunMirror::RunMirror(fs::path runFolder, const std::string& url, objects::S3Access access)
    : m_folder(std::move(runFolder)), m_url(url), m_access(std::move(access)) {
    while (m_url.ends_with('/')) m_url.pop_back();
    m_url += "/" + fs::weakly_canonical(m_folder).filename().string();
    const auto root = m_url + "/";
    for (const auto& object : objects::ObjectReader(m_access).list(root))
        m_listed[object.url.substr(root.size())] = object.facts.bytes;
    readRecord();
}

std::optional<std::int64_t> RunMirror::restore() {
    if (!manifests().empty()) return std::nullopt;
    std::optional<std::int64_t> step;
    std::string newest;
    for (const auto& [path, bytes] : m_listed) {
        if (!isManifest(path)) continue;
        const auto found = stepOf(checkpointOf(path));
        if (found && (!step || *found > *step)) {
            step = found;
            newest = checkpointOf(path);
        }
    }
    if (!step) return std::nullopt;
    std::vector<std::string> paths;
    for (const auto& [path, bytes] : m_listed) {
        const auto checkpoint = checkpointOf(path);
        const bool wanted =
            checkpoint.empty() ? !fs::exists(m_folder / path) : checkpoint == newest && !isManifest(path);
        if (wanted && staysBelow(path)) paths.push_back(path);
    }
    objects::ObjectReaders readers(m_access);
    const auto download = [&](const std::string& path) {
        const auto reader = readers.lend();
        const auto object = m_url + "/" + path;
        fs::create_directories((m_folder / path).parent_path());
        reader->download(object, reader->facts(object), m_folder / path);
    };
    curation::shareOut(paths.size(), kConnections, [&](std::size_t i) { download(paths[i]); });
    paths.push_back(manifestOf(newest));
    download(paths.back());
    for (const auto& path : paths)
        if (const auto version = versionOf(m_folder / path)) m_copied[path] = *version;
    writeRecord();
    return step;
}

void RunMirror::copyConfig() {
    const std::string path = "config.json";
    if (const auto version = versionOf(m_folder / path)) upload({path}, {{path, *version}});
}

std::vector<std::string> RunMirror::manifests() const {
    std::vector<std::string> found;
    std::error_code none;
    for (fs::directory_iterator at(m_folder / kCheckpoints, none), end; at != end; at.increment(none)) {
        const auto manifest = manifestOf(std::string(kCheckpoints) + at->path().filename().string());
        if (versionOf(m_folder / manifest)) found.push_back(manifest);
    }
    return found;
}

bool RunMirror::isBehind() const {
    return std::ranges::any_of(manifests(), [this](const std::string& manifest) {
        const auto copied = m_copied.find(manifest);
        return copied == m_copied.end() || copied->second != versionOf(m_folder / manifest);
    });
}

std::int64_t RunMirror::copy() {
    const auto files = filesToCopy();
    std::vector<std::string> changed, completing, gone;
    std::set<std::string> changing;  // checkpoints
    for (const auto& [path, version] : files) {
        const auto known = m_copied.find(path);
        if (known != m_copied.end() && known->second == version) continue;
        changing.insert(checkpointOf(path));
        if (!isManifest(path)) changed.push_back(path);
    }
    changing.erase("");
    for (const auto& [path, version] : m_copied)
        if (!checkpointOf(path).empty() && !files.contains(path)) gone.push_back(path);

    // until it is whole again, what is written over must not look complete
    std::vector<std::string> incomplete;
    for (const auto& checkpoint : changing) {
        const auto manifest = manifestOf(checkpoint);
        completing.push_back(manifest);
        if (m_listed.contains(manifest) || m_copied.contains(manifest)) incomplete.push_back(manifest);
    }
    remove(incomplete);
    auto copied = upload(changed, files);
    std::erase_if(completing, [&](const std::string& manifest) {  // removed meanwhile, to make room
        const auto checkpoint = checkpointOf(manifest) + "/";
        return std::ranges::any_of(files, [&](const auto& file) {
            return file.first.starts_with(checkpoint) && versionOf(m_folder / file.first) != file.second;
        });
    });
    copied += upload(completing, files);
    std::ranges::stable_partition(gone, isManifest);
    remove(gone);
    return copied;
}

std::optional<RunMirror::Version> RunMirror::versionOf(const fs::path& file) {
    std::error_code none;
    const auto bytes = fs::file_size(file, none);
    if (none) return std::nullopt;
    const auto changed = fs::last_write_time(file, none);
    if (none) return std::nullopt;
    return Version{bytes, std::chrono::nanoseconds(changed.time_since_epoch()).count()};
}

RunMirror::Files RunMirror::filesToCopy() const {
    Files files;
    std::error_code none;
    for (fs::recursive_directory_iterator at(m_folder, none), end; at != end; at.increment(none)) {
        const auto path = at->path().lexically_relative(m_folder).generic_string();
        if (at.depth() == 0 && std::ranges::find(kNotCopied, path) != std::end(kNotCopied)) {
            at.disable_recursion_pending();
            continue;
        }
        const auto checkpoint = checkpointOf(path + "/");
        if (checkpoint == path && !fs::exists(at->path() / kManifest, none)) {
            at.disable_recursion_pending();  // not complete, or being removed
            continue;
        }
        if (!at->is_regular_file(none)) continue;
        if (const auto version = versionOf(at->path())) files[path] = *version;
    }
    return files;
}

std::int64_t RunMirror::upload(const std::vector<std::string>& paths, const Files& versions) {
    if (paths.empty()) return 0;
    objects::ObjectWriters writers(m_access);
    std::mutex mutex;
    std::int64_t copied = 0;
    const auto take = [&](const std::string& path) {
        try {
            writers.lend()->upload(m_folder / path, m_url + "/" + path);
        } catch (const Error&) {
            if (!versionOf(m_folder / path)) return;  // removed meanwhile
            throw;
        }
        const std::lock_guard lock(mutex);
        m_copied[path] = versions.at(path);
        ++copied;
    };
    try {
        curation::shareOut(paths.size(), kConnections, [&](std::size_t i) { take(paths[i]); });
    } catch (...) {
        writeRecord();
        throw;
    }
    writeRecord();
    return copied;
}

void RunMirror::remove(const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    objects::ObjectWriter writer(m_access);
    for (const auto& path : paths) {
        writer.remove(m_url + "/" + path);
        m_copied.erase(path);
        m_listed.erase(path);
    }
    writeRecord();
}

void RunMirror::readRecord() {
    std::error_code none;
    if (!fs::exists(m_folder / kRecordFile, none)) return;
    const auto record = Json::parse(readFile(m_folder / kRecordFile), nullptr, false);
    if (!record.is_object() || record.value("url", "") != m_url) return;  // of another bucket
    try {
        for (const auto& [path, version] : record.at("files").items()) {
            const Version found{version.at(0).get<std::uint64_t>(), version.at(1).get<std::int64_t>()};
            const auto listed = m_listed.find(path);
            if (listed != m_listed.end() && listed->second == found.bytes) m_copied[path] = found;
        }
    } catch (const Json::exception&) {  // edited by hand: what it does not tell is copied again
    }
}

void RunMirror::writeRecord() const {
    Json files = Json::object();
    for (const auto& [path, version] : m_copied) files[path] = {version.bytes, version.changed};
    writeFileAtomically(m_folder / kRecordFile, Json{{"url", m_url}, {"files", files}}.dump() + "\n");
}

}  // namespace dailies::trainer
