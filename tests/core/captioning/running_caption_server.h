#pragma once

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/captioning/served_model.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::captioning {

/// The command that starts caption_server.py with a folder of its own.
std::string serverCommand(const std::filesystem::path& folder);

/// caption_server.py as it runs, and what it was asked.
class RunningCaptionServer {
public:
    /// `answers`: what it is to say to the first requests.
    explicit RunningCaptionServer(const Json& answers = Json::array());

    std::string url() const { return m_served->url(); }
    std::vector<Json> requests() const;  ///< in the order in which they came
    void stop() { m_served.reset(); }

private:
    TemporaryFolder m_folder;
    std::optional<ServedModel> m_served;
};

}  // namespace dailies::captioning
