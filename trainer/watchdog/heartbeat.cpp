#include "trainer/watchdog/heartbeat.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"

#include <fcntl.h>
#include <unistd.h>

namespace dailies::trainer {

namespace {

/// All beats are as long as this, so that one overwrites the whole of the one before.
constexpr std::size_t kLength = 1024;

std::filesystem::path pathOf(const std::filesystem::path& runFolder, std::int64_t rank) {
    return runFolder / "heartbeats" / std::to_string(rank);
}

}  // namespace

HeartbeatFile::HeartbeatFile(const std::filesystem::path& runFolder, std::int64_t rank)
    : m_path(pathOf(runFolder, rank)) {
    std::error_code ignored;
    std::filesystem::create_directories(m_path.parent_path(), ignored);
    m_file = ::open(m_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

HeartbeatFile::~HeartbeatFile() {
    if (m_file >= 0) ::close(m_file);
    std::error_code ignored;
    std::filesystem::remove(m_path, ignored);
    std::filesystem::remove(m_path.parent_path(), ignored);  // by the last one
}

bool HeartbeatFile::write(const Heartbeat& heartbeat) {
    if (m_file < 0) return false;
    auto text = Json{{"attempt", heartbeat.attempt},
                     {"rank", heartbeat.rank},
                     {"node", heartbeat.node},
                     {"pid", heartbeat.pid},
                     {"beat", heartbeat.beat},
                     {"activity", heartbeat.activity},
                     {"step", heartbeat.step},
                     {"collectives", heartbeat.collectives},
                     {"collective", heartbeat.collective},
                     {"seconds", heartbeat.seconds},
                     {"limit", heartbeat.limit}}
                    .dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() >= kLength) return false;
    text.resize(kLength - 1, ' ');
    text += '\n';
    return ::pwrite(m_file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

std::optional<Heartbeat> readHeartbeat(const std::filesystem::path& runFolder, std::int64_t rank,
                                       const std::string& attempt) {
    try {
        const auto json = Json::parse(readFile(pathOf(runFolder, rank)));
        Heartbeat beat;
        beat.attempt = json.at("attempt").get<std::string>();
        if (beat.attempt != attempt) return std::nullopt;
        beat.rank = json.at("rank").get<std::int64_t>();
        beat.node = json.at("node").get<std::string>();
        beat.pid = json.at("pid").get<std::int64_t>();
        beat.beat = json.at("beat").get<std::int64_t>();
        beat.activity = json.at("activity").get<std::string>();
        beat.step = json.at("step").get<std::int64_t>();
        beat.collectives = json.at("collectives").get<std::int64_t>();
        beat.collective = json.at("collective").get<std::string>();
        beat.seconds = json.at("seconds").get<double>();
        beat.limit = json.at("limit").get<double>();
        return beat;
    } catch (const std::exception&) {
        return std::nullopt;  // absent, or read while it was written: the next look will tell
    }
}

}  // namespace dailies::trainer
