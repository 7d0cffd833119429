#include "trainer/data/remote_shards.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/digest/sha256.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFetchedAtOnce = 16;  // ahead: requests on the way cost no CPU

/// For those who read files by their names.
fs::path pathOfDescriptor(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

/// Writes a file that is whole or absent to those who look for it, and opens it. It can be read again from
/// where it came, so that no disk is waited for.
int written(const fs::path& file, const std::string& bytes) {
    auto part = file;
    part += "-" + newId();
    const int made = open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    std::size_t done = 0;
    while (made >= 0 && done < bytes.size()) {
        const auto count = write(made, bytes.data() + done, bytes.size() - done);
        if (count <= 0) break;
        done += static_cast<std::size_t>(count);
    }
    if (made >= 0 && done == bytes.size() && rename(part.c_str(), file.c_str()) == 0) return made;
    const std::string reason = std::strerror(errno);
    if (made >= 0) close(made);
    unlink(part.c_str());
    throw Error("Cannot write " + file.string() + ": " + reason + ".",
                "Make room there, lower data.remote_cache_gib, or name another folder as data.cache.");
}

}  // namespace

LocalBytes::LocalBytes(int descriptor) : m_path(pathOfDescriptor(descriptor)), m_descriptor(descriptor) {}

LocalBytes::LocalBytes(LocalBytes&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_offset(other.m_offset),
      m_descriptor(std::exchange(other.m_descriptor, -1)) {}

LocalBytes::~LocalBytes() {
    if (m_descriptor >= 0) close(m_descriptor);
}

/// A reader for one request, which then waits for the next.
/// Ends the waiting for a file, whether it came or not.
struct RemoteShards::Arrival {
    RemoteShards& shards;
    const fs::path& file;
    ~Arrival() {
        const std::lock_guard lock(shards.m_mutex);
        shards.m_coming.erase(file);
        shards.m_arrived.notify_all();
    }
};

RemoteShards::RemoteShards(const fs::path& folder, std::uint64_t keptBytes)
    : m_folder(folder.empty() ? m_temporary.emplace("dailies-shards").path() : folder),
      m_keptBytes(keptBytes),
      m_readers(objects::s3Access(), m_stop.get_token()) {
    std::error_code problem;
    fs::create_directories(m_folder, problem);
    if (problem)
        throw InputError("data.cache: cannot make " + m_folder.string() + ": " + problem.message() + ".",
                         "Name a folder that the run may write to.");
    removeLeftovers();
}

RemoteShards::~RemoteShards() {
    m_stop.request_stop();
    m_threads.clear();
}

std::vector<std::string> RemoteShards::list(const std::string& url) {
    std::vector<std::string> urls;
    for (auto& object : m_readers.lend()->list(url)) urls.push_back(std::move(object.url));
    return urls;
}

objects::ObjectFacts RemoteShards::facts(const std::string& url) {
    return m_readers.lend()->facts(url);
}

std::optional<std::string> RemoteShards::textOf(const std::string& url) {
    try {
        const auto reader = m_readers.lend();
        const auto facts = reader->facts(url);
        return reader->read(url, 0, facts.bytes, facts.stamp);
    } catch (const objects::Refused&) {
        return std::nullopt;
    }
}

fs::path RemoteShards::download(const std::string& url, const objects::ObjectFacts& facts) {
    const auto file = m_folder / ("whole-" + newId());
    m_readers.lend()->download(url, facts, file);
    return file;
}

fs::path RemoteShards::fileOf(const Wanted& wanted) const {
    Sha256 name;
    name.add(objects::withoutQuery(wanted.url) + "|" + wanted.stamp + "|" +
             std::to_string(wanted.member.offset));
    return m_folder / name.hex(kIdDigits);
}

int RemoteShards::opened(const fs::path& file) const {
    const int kept = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (kept >= 0) futimens(kept, nullptr);  // it was asked for now
    return kept;
}

LocalBytes RemoteShards::fetch(const Wanted& wanted, const fs::path& file) {
    LocalBytes bytes(written(
        file, m_readers.lend()->read(wanted.url, wanted.member.offset, wanted.member.bytes, wanted.stamp)));
    const std::lock_guard lock(m_mutex);
    m_written += wanted.member.bytes;
    makeRoom();
    return bytes;
}

LocalBytes RemoteShards::read(const std::string& url, const std::string& stamp, const TarMember& member) {
    const Wanted wanted{url, stamp, member};
    const auto file = fileOf(wanted);
    {
        std::unique_lock lock(m_mutex);
        m_arrived.wait(lock, [&] { return !m_coming.contains(file); });
        if (const int kept = opened(file); kept >= 0) return LocalBytes(kept);
        m_coming.insert(file);
    }
    const Arrival arrival{*this, file};
    return fetch(wanted, file);
}

void RemoteShards::readAhead(const std::string& url, const std::string& stamp, const TarMember& member) {
    const std::lock_guard lock(m_mutex);
    m_ahead.push_back({url, stamp, member});
    if (m_threads.size() < std::min(kFetchedAtOnce, m_ahead.size()))
        m_threads.emplace_back([this](const std::stop_token& stop) { fetchAhead(stop); });
    m_isWanted.notify_one();
}

void RemoteShards::fetchAhead(const std::stop_token& stop) {
    for (;;) {
        std::unique_lock lock(m_mutex);
        if (!m_isWanted.wait(lock, stop, [&] { return !m_ahead.empty(); })) return;
        const auto wanted = std::move(m_ahead.front());
        m_ahead.pop_front();
        const auto file = fileOf(wanted);
        std::error_code unknown;
        if (m_coming.contains(file) || fs::exists(file, unknown)) continue;
        m_coming.insert(file);
        lock.unlock();
        const Arrival arrival{*this, file};
        try {
            fetch(wanted, file);
        } catch (const std::exception&) {
            // who reads it is told
        }
    }
}

void RemoteShards::removeLeftovers() const {
    constexpr auto kNobodyWrites = std::chrono::hours(1);
    std::error_code problem, gone;
    for (fs::directory_iterator at(m_folder, problem), end; !problem && at != end; at.increment(problem)) {
        const bool isWhole = at->path().filename().string().size() == kIdDigits;
        const auto changed = at->last_write_time(gone);
        if (!isWhole && !gone && fs::file_time_type::clock::now() - changed > kNobodyWrites)
            fs::remove(at->path(), gone);
    }
}

void RemoteShards::makeRoom() {
    // looking through the folder takes time where it holds many files
    if (m_written < std::max<std::uint64_t>(1, m_keptBytes / 16)) return;
    m_written = 0;
    struct Kept {
        fs::file_time_type asked;
        std::uint64_t bytes;
        fs::path file;
    };
    std::vector<Kept> all;
    std::uint64_t sum = 0;
    std::error_code problem, gone;
    for (fs::directory_iterator at(m_folder, problem), end; !problem && at != end; at.increment(problem)) {
        if (at->path().filename().string().size() != kIdDigits) continue;
        const auto bytes = at->file_size(gone);
        const auto asked = gone ? fs::file_time_type() : at->last_write_time(gone);
        if (gone) continue;  // by another process
        all.push_back({asked, bytes, at->path()});
        sum += bytes;
    }
    std::ranges::sort(all, {}, &Kept::asked);
    for (const auto& kept : all) {
        if (sum <= m_keptBytes) break;
        if (fs::remove(kept.file, gone)) sum -= kept.bytes;
    }
}

}  // namespace dailies::trainer
