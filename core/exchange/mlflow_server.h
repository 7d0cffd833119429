#pragma once

#include "core/http/http_connection.h"
#include "core/http/retry.h"
#include "core/tracking/store.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::exchange {

/// A run as the server has it.
struct RemoteRun {
    std::string id, experimentId, artifactUri, name, status;
    std::optional<std::int64_t> endMs;
    bool deleted = false;
    std::map<std::string, std::string> params, tags;
    std::set<std::string> metricKeys;
};

/// A point on its way, of a key that outlives it.
struct NamedPoint {
    const std::string* key;
    tracking::MetricPoint point;
};

/// From the environment variables that MLflow's own client reads.
http::Credentials mlflowCredentials();

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// MLflow's REST API 2.0, as far as publishing needs it, over one connection. A call that meets a lost
/// connection, 408, 429 or 5xx is tried again with growing pauses until `retryTimeout` is over. `Error` with
/// the server's words when it refuses.
class MlflowServer {
public:
    /// `address` is http(s)://HOST[:PORT][/PREFIX]; `InputError` when it is not, or holds credentials.
    MlflowServer(std::string address, http::Credentials access, std::chrono::seconds retryTimeout,
                 std::stop_token stop);

    const std::string& address() const { return m_address; }
    /// How long no connection is tried again before the server has answered anything at all.
    void setConnectTimeout(std::chrono::seconds timeout) { m_retry.setConnectTimeout(timeout); }

    std::string ensureExperiment(const std::string& name);  ///< its id

    /// The run of that experiment whose tag has that value, the earliest if there are several.
    std::optional<RemoteRun> findRun(const std::string& experimentId, const std::string& tag,
                                     const std::string& value);
    /// Makes a run with these tags unless `findRun` by the first of them finds one, also between two tries.
    RemoteRun createRun(const std::string& experimentId, const tracking::Run& run, const NamedTexts& tags);

    std::vector<tracking::MetricPoint> history(const std::string& runId, const std::string& key);

    /// When a try ended without an answer the server is asked which of the points it has before the next.
    void logMetrics(const std::string& runId, std::vector<NamedPoint> points);
    void logPairs(const std::string& runId, const NamedTexts& params, const NamedTexts& tags);
    void updateRun(const std::string& runId, tracking::RunStatus status, std::optional<std::int64_t> endMs,
                   const std::string& name);

    /// The run's artifacts: path below its artifact folder → bytes.
    std::map<std::string, std::int64_t> files(const std::string& runId);
    /// Whether artifacts below that URI go through the server.
    static bool acceptsArtifacts(const std::string& artifactUri);
    void uploadArtifact(const std::string& artifactUri, const std::string& path,
                        const std::filesystem::path& file);

private:
    Json get(const std::string& endpoint, const std::string& query);
    Json post(const std::string& endpoint, const std::string& body,
              const std::function<std::optional<http::Response>()>& beforeRetry = {});
    Json accepted(const http::Response& response, const std::string& what);
    [[noreturn]] void refused(const http::Response& response, const std::string& what);
    std::string url(const std::string& endpoint) const;
    void listFiles(const std::string& runId, const std::string& folder, int depth,
                   std::map<std::string, std::int64_t>& found);

    std::string m_address;
    http::Retry m_retry;
    http::Connection m_connection;
};

/// An order in which points meet that are one to MLflow, which keeps infinity as the largest double.
bool pointBefore(const tracking::MetricPoint& a, const tracking::MetricPoint& b);

}  // namespace dailies::exchange
