#include "tests/core/objects/running_bucket.h"

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "tests/support/folders.h"

#include <chrono>
#include <ranges>

namespace dailies::objects {

using namespace std::chrono_literals;

RunningBucket::RunningBucket() {
    std::filesystem::create_directories(m_folder.path() / "buckets");
    const auto script = std::string(DAILIES_SOURCE_FOLDER) + "/tests/core/objects/bucket_server.py";
    m_server = std::jthread([script, folder = m_folder.path().string()](const std::stop_token& stop) {
        try {
            runProcess({"python3", script, "0", folder}, {.timeout = 30min}, stop);
        } catch (const Cancelled&) {  // its life is over
        }
    });
    const auto ready = m_folder.path() / "ready";
    for (const auto until = std::chrono::steady_clock::now() + 60s; !std::filesystem::exists(ready);) {
        if (std::chrono::steady_clock::now() > until) throw Error("The store did not start.");
        std::this_thread::sleep_for(5ms);
    }
    m_port = static_cast<int>(parseCount(readFile(ready)).value());
}

S3Access RunningBucket::access() const {
    S3Access access;
    access.endpoint = endpoint();
    access.keyId = "test";
    access.secret = "key-of-the-store";
    return access;
}

std::vector<std::string> RunningBucket::requests() const {
    return linesOf("requests.txt");
}

std::vector<std::string> RunningBucket::writes() const {
    return linesOf("writes.txt");
}

std::size_t RunningBucket::openUploads() const {
    const auto parts = m_folder.path() / "parts";
    if (!std::filesystem::exists(parts)) return 0;
    return static_cast<std::size_t>(std::ranges::distance(std::filesystem::directory_iterator(parts)));
}

std::vector<std::string> RunningBucket::linesOf(const char* name) const {
    const auto file = m_folder.path() / name;
    if (!std::filesystem::exists(file)) return {};
    auto lines = split(readFile(file), '\n');
    lines.pop_back();
    return lines;
}

}  // namespace dailies::objects
