#pragma once

#include "core/exchange/progress.h"
#include "core/tracking/store.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::exchange {

/// The tag that a published run carries on the server: the id of the run in the store it came from.
inline constexpr const char* kPublishedRunTag = "dailies.run_id";
/// The tag that is set when all points have arrived: what they were, so that a run without news is told at
/// once.
inline constexpr const char* kPublishedStateTag = "dailies.published_points";

struct PublishOptions {
    bool files = true;    ///< also the mirrored files (clips), where the server takes artifacts
    int connections = 4;  ///< kept open and used side by side
    /// How long one request is tried again while the server is away, overloaded or restarting.
    std::chrono::seconds retryTimeout{60};
    /// The same until it has answered for the first time: an address that is wrong is told soon.
    std::chrono::seconds connectTimeout{8};
};

/// One run as the server has it now.
struct PublishedRun {
    std::string runId, remoteRunId, remoteExperimentId;
    bool isNew = false;  ///< made on the server by this call
};

struct PublishSummary {
    std::vector<PublishedRun> runs;
    std::int64_t points = 0, params = 0, tags = 0, files = 0;  ///< sent
    std::int64_t pointsAlreadyPresent = 0;                     ///< not sent, the server had them
    std::vector<SkippedItem> skipped;
};

/// Makes an MLflow tracking server have these runs: experiment by name, params, tags, every metric point,
/// mirrored files, at last status and end. Uses MLflow's REST API 2.0 (3.x servers and those since 1.20). A
/// run is found again by its tag, and points that the server has are not sent twice, so a call that was
/// interrupted is finished by the next one, and a call for runs that went on sends what is new. (A server on
/// MLflow's old file store, which takes a point twice, may still carry out the request that an interrupted
/// call left behind: there the next call should wait until it has.)
///
/// `server` is http(s)://HOST[:PORT][/PREFIX]. Who asks is told by the environment alone, as MLflow's own
/// client has it: MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD;
/// MLFLOW_TRACKING_SERVER_CERT_PATH names a certificate to trust, MLFLOW_TRACKING_INSECURE_TLS=true trusts
/// any. None of them is written anywhere or appears in a message.
///
/// `progress` is called first before the server is asked anything, and again when it has answered.
///
/// Blocking; uses threads of its own, `store` from the calling one alone. Lost connections, 429 and 5xx are
/// tried again, waiting longer each time. `Error` with the server's own words when it refuses or stays away,
/// `InputError` for a wrong address, `Cancelled` when stopped.
PublishSummary publish(const tracking::Store& store, const std::vector<tracking::Run>& runs,
                       const std::string& server, const PublishOptions& options = {},
                       const ProgressHandler& progress = {}, std::stop_token stop = {});

}  // namespace dailies::exchange
