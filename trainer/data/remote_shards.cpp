#include "trainer/data/remote_shards.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/digest/sha256.h"

#include <algorithm>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameDigits = 32;

/// For those who read files by their names.
fs::path pathOfDescriptor(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
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
class RemoteShards::Lent {
public:
    explicit Lent(RemoteShards& shards) : m_shards(shards) {
        {
            const std::lock_guard lock(shards.m_mutex);
            if (!shards.m_idle.empty()) {
                m_reader = std::move(shards.m_idle.back());
                shards.m_idle.pop_back();
            }
        }
        if (!m_reader) m_reader = std::make_unique<objects::ObjectReader>(shards.m_access);
    }
    ~Lent() {
        const std::lock_guard lock(m_shards.m_mutex);
        m_shards.m_idle.push_back(std::move(m_reader));
    }
    objects::ObjectReader* operator->() { return m_reader.get(); }

private:
    RemoteShards& m_shards;
    std::unique_ptr<objects::ObjectReader> m_reader;
};

RemoteShards::RemoteShards(fs::path folder, std::uint64_t keptBytes)
    : m_folder(folder.empty() ? fs::temp_directory_path() / ("dailies-shards-" + newId())
                              : std::move(folder)),
      m_isTemporary(folder.empty()),
      m_keptBytes(keptBytes),
      m_access(objects::s3Access()) {
    std::error_code problem;
    fs::create_directories(m_folder, problem);
    if (problem)
        throw InputError("data.cache: cannot make " + m_folder.string() + ": " + problem.message() + ".",
                         "Name a folder that the run may write to.");
}

RemoteShards::~RemoteShards() {
    std::error_code ignored;
    if (m_isTemporary) fs::remove_all(m_folder, ignored);
}

std::vector<std::string> RemoteShards::list(const std::string& url) {
    return Lent(*this)->list(url);
}

objects::ObjectFacts RemoteShards::facts(const std::string& url) {
    return Lent(*this)->facts(url);
}

std::optional<std::string> RemoteShards::textOf(const std::string& url) {
    try {
        Lent reader(*this);
        const auto facts = reader->facts(url);
        return reader->read(url, 0, facts.bytes, facts.stamp);
    } catch (const objects::Refused&) {
        return std::nullopt;
    }
}

fs::path RemoteShards::download(const std::string& url, const objects::ObjectFacts& facts) {
    const auto file = m_folder / ("whole-" + newId());
    Lent(*this)->download(url, facts, file);
    return file;
}

LocalBytes RemoteShards::read(const std::string& url, const std::string& stamp, const TarMember& member) {
    Sha256 name;
    name.add(objects::withoutQuery(url) + "|" + stamp + "|" + std::to_string(member.offset));
    const auto file = m_folder / name.hex(kNameDigits);
    if (const int kept = open(file.c_str(), O_RDONLY | O_CLOEXEC); kept >= 0) {
        std::error_code ignored;
        fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
        return LocalBytes(kept);
    }
    writeFileAtomically(file, Lent(*this)->read(url, member.offset, member.bytes, stamp));
    const int made = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (made < 0) throw Error("Cannot read " + file.string() + ", which was just written.");
    LocalBytes bytes(made);
    const std::lock_guard lock(m_mutex);
    m_written += member.bytes;
    makeRoom();
    return bytes;
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
        if (at->path().filename().string().size() != kNameDigits) continue;
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
