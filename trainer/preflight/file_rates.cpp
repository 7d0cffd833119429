#include "trainer/preflight/file_rates.h"

#include "core/base/error.h"
#include "core/base/files.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace dailies::trainer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kChunk = 1 << 20;
constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
constexpr int kMaxFiles = 50;
constexpr std::chrono::milliseconds kEach{500};

double secondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

double writeLargeFile(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const auto refuse = [&] {
        const std::string why = std::strerror(errno);
        if (file >= 0) ::close(file);
        throw Error("Cannot write " + path.string() + ": " + why + ".");
    };
    if (file < 0) refuse();
    const std::string chunk(kChunk, 'x');
    const auto begin = Clock::now();
    std::size_t written = 0;
    while (written < kMaxBytes && (written == 0 || Clock::now() - begin < kEach)) {
        const auto count = ::write(file, chunk.data(), chunk.size());
        if (count < 0 && errno != EINTR) refuse();
        if (count > 0) written += static_cast<std::size_t>(count);
    }
    if (::fsync(file) != 0) refuse();
    const double rate = static_cast<double>(written) / secondsSince(begin);
    ::close(file);
    return rate;
}

double writeSmallFiles(const std::filesystem::path& folder) {
    const std::string page(4096, 'x');
    const auto begin = Clock::now();
    int files = 0;
    for (; files < kMaxFiles && (files == 0 || Clock::now() - begin < kEach); ++files)
        writeFileAtomically(folder / "small", page);
    return files / secondsSince(begin);
}

}  // namespace

FileRates measureFiles(const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw Error("Cannot make the folder " + folder.string() + ": " + failed.message() + ".");
    struct Removed {
        const std::filesystem::path& folder;
        ~Removed() {
            std::error_code ignored;
            std::filesystem::remove_all(folder, ignored);
        }
    } const removed{folder};
    FileRates rates;
    rates.bytesPerSecond = writeLargeFile(folder / "large");
    rates.filesPerSecond = writeSmallFiles(folder);
    return rates;
}

}  // namespace dailies::trainer
