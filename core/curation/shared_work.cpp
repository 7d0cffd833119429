#include "core/curation/shared_work.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/sleep.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

constexpr auto kRefreshEvery = SharedWork::kStaleAfter / 6;

/// Changed now, by the clock of the file system: those of the nodes may differ.
void touch(const fs::path& file) {
    ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
}

constexpr std::string_view kShared = "shared-";
constexpr std::chrono::hours kOldAfter(24 * 7);

}  // namespace

fs::path sharedFolder(const fs::path& parent, const std::string& job) {
    return parent / (std::string(kShared) + job);
}

void removeOldShares(const fs::path& parent) {
    std::error_code ignored;
    std::vector<fs::path> old;
    for (const auto& entry : fs::directory_iterator(parent, ignored))
        if (entry.path().filename().string().starts_with(kShared) && entry.is_directory(ignored) &&
            fs::file_time_type::clock::now() - entry.last_write_time(ignored) > kOldAfter)
            old.push_back(entry.path());
    for (const auto& folder : old) fs::remove_all(folder, ignored);
}

SharedWork::SharedWork(fs::path folder)
    : m_folder(std::move(folder)), m_clock(m_folder / ("now-" + newId())) {
    std::error_code failure;
    fs::create_directories(m_folder, failure);
    if (failure) throw Error("Cannot make the folder " + m_folder.string() + ": " + failure.message() + ".");
    writeFileAtomically(m_clock, "");
    m_refresher = std::jthread([this](const std::stop_token& stop) {
        try {
            for (;;) {
                sleepUnlessStopped(kRefreshEvery, stop);
                refreshClaims();
            }
        } catch (const Cancelled&) {
        }
    });
}

SharedWork::~SharedWork() {
    m_refresher.request_stop();
    m_refresher.join();
    std::error_code ignored;
    for (const auto& item : m_claimed) fs::remove(claimOf(item), ignored);
    fs::remove(m_clock, ignored);
}

bool SharedWork::claim(const std::string& item) {
    const auto file = claimOf(item);
    if (isStale(file)) {
        // of several that see it, one moves it away
        const auto dead = m_folder / (item + ".dead-" + newId());
        std::error_code lost;
        fs::rename(file, dead, lost);
        if (lost) return false;
        fs::remove(dead, lost);
    }
    const int descriptor = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    if (descriptor < 0 && errno == EEXIST) return false;
    if (descriptor < 0) throw Error("Cannot create " + file.string() + ": " + std::strerror(errno) + ".");
    // for who looks into the folder
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const std::string owner = std::string(host.data()) + " " + std::to_string(::getpid()) + "\n";
    const bool isWritten = ::write(descriptor, owner.data(), owner.size()) == std::ssize(owner);
    ::close(descriptor);
    if (!isWritten) throw Error("Cannot write " + file.string() + ": " + std::strerror(errno) + ".");
    const std::lock_guard lock(m_mutex);
    m_claimed.insert(item);
    return true;
}

void SharedWork::giveBack(const std::string& item) {
    {
        const std::lock_guard lock(m_mutex);
        m_claimed.erase(item);
    }
    std::error_code ignored;
    fs::remove(claimOf(item), ignored);
}

void SharedWork::end(const std::string& item, const std::string& problem) {
    writeFileAtomically(endOf(item), problem);
}

std::set<std::string> SharedWork::ended() const {
    // by the list of the folder: network file systems remember for a while that a file was not there
    std::set<std::string> items;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(m_folder, failure))
        if (entry.path().extension() == ".end") items.insert(entry.path().stem().string());
    return items;
}

bool SharedWork::hasEnded(const std::string& item) const {
    std::error_code missing;
    return fs::exists(endOf(item), missing);
}

std::string SharedWork::problemOf(const std::string& item) const {
    return readFile(endOf(item));
}

bool SharedWork::isStale(const fs::path& claim) const {
    std::error_code missing;
    const auto refreshed = fs::last_write_time(claim, missing);
    if (missing) return false;
    touch(m_clock);
    const auto now = fs::last_write_time(m_clock, missing);
    return !missing && now - refreshed > kStaleAfter;
}

void SharedWork::refreshClaims() {
    const std::lock_guard lock(m_mutex);
    for (const auto& item : m_claimed) touch(claimOf(item));
}

}  // namespace dailies::curation
