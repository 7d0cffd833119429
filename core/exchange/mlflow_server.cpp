#include "core/exchange/mlflow_server.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>

namespace dailies::exchange {

namespace {

using tracking::MetricPoint;

constexpr int kPointsPerPage = 25'000;
constexpr int kDeepestFolder = 16;
constexpr std::string_view kProxied = "mlflow-artifacts:";

std::string text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Protobuf's JSON has 64-bit integers as numbers or as texts.
std::int64_t integer(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return 0;
    if (found->is_string()) return std::strtoll(found->get_ref<const std::string&>().c_str(), nullptr, 10);
    return found->is_number() ? found->get<std::int64_t>() : 0;
}

/// As MLflow keeps it: infinity is the largest double.
double storedValue(double value) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    return std::isnan(value) ? value : std::clamp(value, -kLargest, kLargest);
}

std::string quoted(const std::string& value) {
    return Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void appendNumber(std::string& body, double value) {
    body += std::isnan(value)   ? "\"NaN\""
            : std::isinf(value) ? (value > 0 ? "\"Infinity\"" : "\"-Infinity\"")
                                : shortNumber(value);
}

std::string metricsBody(const std::string& runId, const std::vector<NamedPoint>& points) {
    std::string body = "{\"run_id\":" + quoted(runId) + ",\"metrics\":[";
    const std::string* key = nullptr;
    std::string keyText;
    for (const auto& [name, point] : points) {
        if (name != key) {
            key = name;
            keyText = "{\"key\":" + quoted(*name) + ",\"value\":";
        }
        if (body.back() == '}') body += ',';
        body += keyText;
        appendNumber(body, point.value);
        body += ",\"timestamp\":";
        body += std::to_string(point.timestampMs);
        body += ",\"step\":";
        body += std::to_string(point.step);
        body += '}';
    }
    return body + "]}";
}

Json pairsJson(const NamedTexts& pairs) {
    Json list = Json::array();
    for (const auto& [key, value] : pairs) list.push_back({{"key", key}, {"value", value}});
    return list;
}

std::string dumped(const Json& body) {
    return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RemoteRun readRun(const Json& json) {
    const Json info = json.value("info", Json::object()), data = json.value("data", Json::object());
    RemoteRun run;
    run.id = text(info, "run_id");
    run.experimentId = text(info, "experiment_id");
    run.artifactUri = text(info, "artifact_uri");
    run.name = text(info, "run_name");
    run.status = text(info, "status");
    run.deleted = text(info, "lifecycle_stage") == "deleted";
    if (const auto end = integer(info, "end_time"); end > 0) run.endMs = end;
    for (const auto& param : data.value("params", Json::array()))
        run.params[text(param, "key")] = text(param, "value");
    for (const auto& tag : data.value("tags", Json::array())) run.tags[text(tag, "key")] = text(tag, "value");
    for (const auto& metric : data.value("metrics", Json::array()))
        run.metricKeys.insert(text(metric, "key"));
    return run;
}

std::string checkedAddress(std::string address) {
    while (address.ends_with('/')) address.pop_back();
    const bool http = address.starts_with("http://"), https = address.starts_with("https://");
    const std::string_view rest = http    ? std::string_view(address).substr(7)
                                  : https ? std::string_view(address).substr(8)
                                          : std::string_view();
    const auto host = rest.substr(0, rest.find('/'));
    if (host.find('@') != std::string_view::npos)  // not repeated: it holds a secret
        throw InputError("The server's address holds a user name or password.",
                         "Put them into MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD.");
    if (host.empty() || rest.find_first_of("?# ") != std::string_view::npos)
        throw InputError("\"" + sanitizedText(address) + "\" is not a tracking server URL.",
                         "Write it as in https://mlflow.example.org:5000.");
    return address;
}

}  // namespace

bool pointBefore(const MetricPoint& a, const MetricPoint& b) {
    const auto order = [](const MetricPoint& p) {
        return std::tuple(p.step, p.timestampMs, std::isnan(p.value),
                          std::isnan(p.value) ? 0.0 : storedValue(p.value));
    };
    return order(a) < order(b);
}

http::Credentials mlflowCredentials() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    const auto insecure = variable("MLFLOW_TRACKING_INSECURE_TLS");
    return {variable("MLFLOW_TRACKING_TOKEN"), variable("MLFLOW_TRACKING_USERNAME"),
            variable("MLFLOW_TRACKING_PASSWORD"), variable("MLFLOW_TRACKING_SERVER_CERT_PATH"),
            insecure == "1" || insecure == "true" || insecure == "True" || insecure == "TRUE"};
}

MlflowServer::MlflowServer(std::string address, http::Credentials access, std::chrono::seconds retryTimeout,
                           std::stop_token stop)
    : m_address(checkedAddress(std::move(address))),
      m_retry("The tracking server " + m_address,
              "Check the address and the server, then publish again: it goes on where it stopped.",
              retryTimeout, stop),
      m_connection(std::move(access), std::move(stop)) {}

std::string MlflowServer::url(const std::string& endpoint) const {
    return m_address + "/api/2.0/" + endpoint;
}

void MlflowServer::refused(const http::Response& response, const std::string& what) {
    const Json body = Json::parse(response.body, nullptr, false);
    const auto why = http::refusalText(response);
    const std::string status = std::to_string(response.status);
    if (response.status == 401 || response.status == 403)
        throw Error("The tracking server " + m_address + " denied permission to " + what + " (status " +
                        status + (why.empty() ? "" : ": " + why) + ").",
                    "Set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD.");
    if (response.status == 404 && !body.is_object())
        throw Error(m_address + " is not an MLflow tracking server (status 404).",
                    "Check the address, and the prefix if the server has one.");
    if (response.status >= 300 && response.status < 400)
        throw Error(m_address + " redirects to another address (status " + status + ").",
                    "Use the final address of the tracking server.");
    throw Error("The tracking server refused to " + what + " (status " + status + "): " + why);
}

Json MlflowServer::accepted(const http::Response& response, const std::string& what) {
    if (response.status < 200 || response.status >= 300) refused(response, what);
    if (response.body.empty()) return Json::object();
    auto body = Json::parse(response.body, nullptr, false);
    if (!body.is_object())
        throw Error(m_address + " is not an MLflow tracking server (the response is not JSON).",
                    "Check the address, and the prefix if the server has one.");
    return body;
}

Json MlflowServer::get(const std::string& endpoint, const std::string& query) {
    const auto place = url("mlflow/" + endpoint) + "?" + query;
    return accepted(m_retry.send([&] { return m_connection.get(place); }), "answer " + endpoint);
}

Json MlflowServer::post(const std::string& endpoint, const std::string& body,
                        const std::function<std::optional<http::Response>()>& beforeRetry) {
    const auto place = url("mlflow/" + endpoint);
    return accepted(m_retry.send([&] { return m_connection.post(place, body); }, beforeRetry),
                    "answer " + endpoint);
}

std::string MlflowServer::ensureExperiment(const std::string& name) {
    const auto find = [&]() -> std::optional<std::string> {
        const auto place =
            url("mlflow/experiments/get-by-name") + "?experiment_name=" + http::urlEncoded(name);
        const auto response = m_retry.send([&] { return m_connection.get(place); });
        const Json body = Json::parse(response.body, nullptr, false);
        if (response.status == 404 && body.is_object() &&
            text(body, "error_code") == "RESOURCE_DOES_NOT_EXIST")
            return std::nullopt;
        const Json experiment =
            accepted(response, "look up the experiment " + name).value("experiment", Json::object());
        if (text(experiment, "lifecycle_stage") == "deleted")
            throw Error("The experiment " + name + " was deleted on " + m_address + ".",
                        "Restore it there, or move the runs to another experiment.");
        return text(experiment, "experiment_id");
    };
    if (const auto known = find()) return *known;
    const auto response = m_retry.send([&] {
        return m_connection.post(url("mlflow/experiments/create"), dumped({{"name", name}}));
    });
    const Json body = Json::parse(response.body, nullptr, false);
    // made by an earlier try whose response was lost, or by somebody else just now
    if (body.is_object() && text(body, "error_code") == "RESOURCE_ALREADY_EXISTS")
        if (const auto known = find()) return *known;
    return text(accepted(response, "make the experiment " + name), "experiment_id");
}

std::optional<RemoteRun> MlflowServer::findRun(const std::string& experimentId, const std::string& tag,
                                               const std::string& value) {
    const Json response =
        post("runs/search", dumped({{"experiment_ids", Json::array({experimentId})},
                                    {"filter", "tags.`" + tag + "` = '" + value + "'"},
                                    {"run_view_type", "ALL"},
                                    {"order_by", Json::array({"attributes.start_time ASC"})},
                                    {"max_results", 1}}));
    const auto runs = response.find("runs");
    if (runs == response.end() || runs->empty()) return std::nullopt;
    return readRun(runs->front());
}

RemoteRun MlflowServer::createRun(const std::string& experimentId, const tracking::Run& run,
                                  const NamedTexts& tags) {
    std::optional<RemoteRun> made;
    const Json response = post("runs/create",
                               dumped({{"experiment_id", experimentId},
                                       {"start_time", run.startMs},
                                       {"run_name", run.name},
                                       {"user_id", run.user},
                                       {"tags", pairsJson(tags)}}),
                               [&]() -> std::optional<http::Response> {
                                   made = findRun(experimentId, tags.front().first, tags.front().second);
                                   return made ? std::optional(http::Response{200, "{}"}) : std::nullopt;
                               });
    return made ? *made : readRun(response.value("run", Json::object()));
}

std::vector<MetricPoint> MlflowServer::history(const std::string& runId, const std::string& key) {
    std::vector<MetricPoint> points;
    const std::string query = "run_id=" + http::urlEncoded(runId) + "&metric_key=" + http::urlEncoded(key) +
                              "&max_results=" + std::to_string(kPointsPerPage);
    for (std::string page;;) {
        const Json response = get("metrics/get-history",
                                  page.empty() ? query : query + "&page_token=" + http::urlEncoded(page));
        for (const auto& metric : response.value("metrics", Json::array())) {
            const auto value = metric.find("value");
            points.push_back({integer(metric, "step"), integer(metric, "timestamp"),
                              value == metric.end() ? 0.0 : numberFromJson(*value)});
        }
        page = text(response, "next_page_token");
        if (page.empty()) return points;
    }
}

void MlflowServer::logMetrics(const std::string& runId, std::vector<NamedPoint> left) {
    std::string body = metricsBody(runId, left);
    const auto place = url("mlflow/runs/log-batch");
    accepted(m_retry.send([&] { return m_connection.post(place, body); },
                          [&]() -> std::optional<http::Response> {
                              std::map<const std::string*, std::vector<MetricPoint>> there;
                              for (const auto& entry : left)
                                  if (const auto [at, isNew] = there.try_emplace(entry.key); isNew) {
                                      at->second = history(runId, *entry.key);
                                      std::sort(at->second.begin(), at->second.end(), pointBefore);
                                  }
                              std::erase_if(left, [&](const NamedPoint& entry) {
                                  const auto& known = there[entry.key];
                                  return std::binary_search(known.begin(), known.end(), entry.point,
                                                            pointBefore);
                              });
                              if (left.empty()) return http::Response{200, "{}"};
                              body = metricsBody(runId, left);
                              return std::nullopt;
                          }),
             "take metric points");
}

void MlflowServer::logPairs(const std::string& runId, const NamedTexts& params, const NamedTexts& tags) {
    post("runs/log-batch",
         dumped({{"run_id", runId}, {"params", pairsJson(params)}, {"tags", pairsJson(tags)}}));
}

void MlflowServer::updateRun(const std::string& runId, tracking::RunStatus status,
                             std::optional<std::int64_t> endMs, const std::string& name) {
    Json body = {{"run_id", runId}, {"status", tracking::toText(status)}, {"run_name", name}};
    if (endMs) body["end_time"] = *endMs;
    post("runs/update", dumped(body));
}

std::map<std::string, std::int64_t> MlflowServer::files(const std::string& runId) {
    std::map<std::string, std::int64_t> found;
    listFiles(runId, "", kDeepestFolder, found);
    return found;
}

void MlflowServer::listFiles(const std::string& runId, const std::string& folder, int depth,
                             std::map<std::string, std::int64_t>& found) {
    if (depth == 0) return;
    std::string page;
    do {
        std::string query = "run_id=" + http::urlEncoded(runId);
        if (!folder.empty()) query += "&path=" + http::urlEncoded(folder);
        if (!page.empty()) query += "&page_token=" + http::urlEncoded(page);
        const Json response = get("artifacts/list", query);
        for (const auto& file : response.value("files", Json::array())) {
            const auto path = text(file, "path");
            if (file.value("is_dir", false))
                listFiles(runId, path, depth - 1, found);
            else
                found[path] = integer(file, "file_size");
        }
        page = text(response, "next_page_token");
    } while (!page.empty());
}

bool MlflowServer::acceptsArtifacts(const std::string& artifactUri) {
    return artifactUri.starts_with(kProxied);
}

void MlflowServer::uploadArtifact(const std::string& artifactUri, const std::string& path,
                                  const std::filesystem::path& file) {
    // "mlflow-artifacts:/1/<run>/artifacts", or with a host: "mlflow-artifacts://host:5000/1/<run>/artifacts"
    std::string folder = artifactUri.substr(kProxied.size());
    if (folder.starts_with("//")) folder = folder.substr(std::min(folder.find('/', 2), folder.size()));
    while (folder.starts_with('/')) folder.erase(0, 1);
    const auto place = url("mlflow-artifacts/artifacts/") + http::urlEncodedPath(folder + "/" + path);
    accepted(m_retry.send([&] { return m_connection.put(place, file); }), "take the file " + path);
}

}  // namespace dailies::exchange
