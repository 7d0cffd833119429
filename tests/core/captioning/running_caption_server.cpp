#include "tests/core/captioning/running_caption_server.h"

#include "core/base/text.h"
#include "core/captioning/caption_job.h"
#include "tests/support/folders.h"

namespace dailies::captioning {

std::string serverCommand(const std::filesystem::path& folder) {
    return "exec python3 " +
           shellQuote(std::string(DAILIES_SOURCE_FOLDER) + "/tests/core/captioning/caption_server.py") +
           " ${port} " + shellQuote(folder.string());
}

RunningCaptionServer::RunningCaptionServer(const Json& answers) {
    writeFileAtomically(m_folder.path() / "answers.json", answers.dump());
    m_served.emplace(serverCommand(m_folder.path()), kServedAt, m_folder.path() / "log");
    m_served->waitUntilReady(std::chrono::seconds(60), {});
}

std::vector<Json> RunningCaptionServer::requests() const {
    std::vector<Json> asked;
    for (std::size_t i = 0;; ++i) {
        const auto file = m_folder.path() / ("request-" + std::to_string(i) + ".json");
        if (!std::filesystem::exists(file)) return asked;
        asked.push_back(parseJson(readFile(file), file.string()));
    }
}

}  // namespace dailies::captioning
