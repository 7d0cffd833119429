#include "trainer/mirror/run_mirror.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/objects/object_reader.h"
#include "core/objects/object_writer.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace dailies::trainer {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRecordFile = "mirror.json";
constexpr std::string_view kCheckpoints = "checkpoints/", kManifestName = "/manifest.json";
/// What the folder of a run has for this machine alone.
constexpr std::string_view kNotCopied[] = {"cache", "heartbeats", kRecordFile};
constexpr std::size_t kConnections = 8;  // one alone does not fill a node's link to its bucket

/// "checkpoints/step-000000100" of what lies in it; empty: of no checkpoint.
std::string checkpointOf(const std::string& path) {
    if (!path.starts_with(kCheckpoints)) return "";
    const auto slash = path.find('/', kCheckpoints.size());
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool isManifest(const std::string& path) {
    const auto checkpoint = checkpointOf(path);
    return !checkpoint.empty() && path == checkpoint + std::string(kManifestName);
}

std::optional<std::int64_t> stepOfCheckpoint(const std::string& checkpoint) {
    const auto dash = checkpoint.rfind('-');
    return dash == std::string::npos ? std::nullopt : parseCount(checkpoint.substr(dash + 1));
}

/// Whether a path of a bucket leads below the folder, wherever it is put.
bool staysBelow(const fs::path& path) {
    return path.is_relative() && !path.empty() && path.has_filename() &&
           std::ranges::none_of(path, [](const fs::path& part) { return part == ".." || part == "."; });
}

/// Gives each item to one of several workers, each of which has a connection of its own; the first error
/// ends all and is thrown.
template <class Item, class MakeWorker>
void inParallel(const std::vector<Item>& items, const MakeWorker& makeWorker) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    std::mutex mutex;
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < std::min(kConnections, items.size()); ++i)
            threads.emplace_back([&] {
                try {
                    auto work = makeWorker();
                    for (std::size_t at = next++; at < items.size(); at = next++) work(items[at]);
                } catch (...) {
                    const std::lock_guard lock(mutex);
                    if (!failure) failure = std::current_exception();
                    next = items.size();
                }
            });
    }
    if (failure) std::rethrow_exception(failure);
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
    std::error_code none;
    for (fs::directory_iterator at(m_folder / "checkpoints", none), end; at != end; at.increment(none))
        if (versionOf(at->path() / "manifest.json")) return std::nullopt;
    std::optional<std::int64_t> step;
    std::string newest;
    for (const auto& [path, bytes] : m_listed) {
        if (!isManifest(path)) continue;
        const auto found = stepOfCheckpoint(checkpointOf(path));
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
    const auto download = [&](objects::ObjectReader& reader, const std::string& path) {
        const auto object = m_url + "/" + path;
        fs::create_directories((m_folder / path).parent_path());
        reader.download(object, reader.facts(object), m_folder / path);
    };
    inParallel(paths, [&] {
        return [&, reader = std::make_shared<objects::ObjectReader>(m_access)](const std::string& path) {
            download(*reader, path);
        };
    });
    paths.push_back(newest + std::string(kManifestName));
    objects::ObjectReader reader(m_access);
    download(reader, paths.back());
    for (const auto& path : paths)
        if (const auto version = versionOf(m_folder / path)) m_copied[path] = *version;
    writeRecord();
    return step;
}

void RunMirror::copyConfig() {
    const std::string path = "config.json";
    Copied copied;
    if (const auto version = versionOf(m_folder / path)) upload({path}, {{path, *version}}, copied);
}

bool RunMirror::isBehind() const {
    std::error_code none;
    for (fs::directory_iterator at(m_folder / "checkpoints", none), end; at != end; at.increment(none)) {
        const auto manifest =
            std::string(kCheckpoints) + at->path().filename().string() + std::string(kManifestName);
        const auto copied = m_copied.find(manifest);
        const auto version = versionOf(m_folder / manifest);
        if (version && (copied == m_copied.end() || copied->second != *version)) return true;
    }
    return false;
}

RunMirror::Copied RunMirror::copy() {
    const auto files = filesToCopy();
    std::vector<std::string> changed, manifests, gone;
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
        const auto manifest = checkpoint + std::string(kManifestName);
        manifests.push_back(manifest);
        if (m_listed.contains(manifest) || m_copied.contains(manifest)) incomplete.push_back(manifest);
    }
    Copied copied;
    remove(incomplete);
    upload(changed, files, copied);
    std::erase_if(manifests, [&](const std::string& manifest) {  // removed meanwhile, to make room
        const auto checkpoint = checkpointOf(manifest) + "/";
        return std::ranges::any_of(files, [&](const auto& file) {
            return file.first.starts_with(checkpoint) && versionOf(m_folder / file.first) != file.second;
        });
    });
    upload(manifests, files, copied);
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
        if (checkpoint == path && !fs::exists(at->path() / "manifest.json", none)) {
            at.disable_recursion_pending();  // not complete, or being removed
            continue;
        }
        if (!at->is_regular_file(none)) continue;
        if (const auto version = versionOf(at->path())) files[path] = *version;
    }
    return files;
}

void RunMirror::upload(const std::vector<std::string>& paths, const Files& versions, Copied& copied) {
    std::mutex mutex;
    const auto take = [&](objects::ObjectWriter& writer, const std::string& path) {
        const auto& version = versions.at(path);
        try {
            writer.upload(m_folder / path, m_url + "/" + path);
        } catch (const Error&) {
            if (!versionOf(m_folder / path)) return;  // removed meanwhile
            throw;
        }
        const std::lock_guard lock(mutex);
        m_copied[path] = version;
        ++copied.files;
        copied.bytes += static_cast<std::int64_t>(version.bytes);
    };
    try {
        inParallel(paths, [&] {
            return [&, writer = std::make_shared<objects::ObjectWriter>(m_access)](const std::string& path) {
                take(*writer, path);
            };
        });
    } catch (...) {
        writeRecord();
        throw;
    }
    writeRecord();
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
