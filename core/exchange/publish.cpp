#include "core/exchange/publish.h"

#include "core/base/error.h"
#include "core/digest/sha256.h"
#include "core/exchange/mlflow_limits.h"
#include "core/exchange/mlflow_server.h"
#include "core/tracking/artifact_root.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

using tracking::MetricPoint;
using tracking::Run;

/// A curve under the name that the server takes.
struct Curve {
    std::string key;
    std::vector<MetricPoint> points;
};

/// A stretch of a curve.
struct Slice {
    const Curve* curve;
    std::size_t first, end;
};

/// What one connection sends, batch after batch. Keys of one load are in no other: two requests at once that
/// both raise the latest value of one key get in each other's way on the server.
using Load = std::vector<std::vector<Slice>>;

std::vector<Load> loadsOf(const std::vector<Curve>& curves) {
    std::vector<Load> loads;
    std::vector<Slice> small;  // short curves share a batch
    std::size_t points = 0;
    const auto closeSmall = [&] {
        if (!small.empty()) loads.push_back({std::exchange(small, {})});
        points = 0;
    };
    for (const auto& curve : curves) {
        const auto size = curve.points.size();
        if (size >= kMetricsPerBatch / 2) {
            Load& load = loads.emplace_back();
            for (std::size_t at = 0; at < size; at += kMetricsPerBatch)
                load.push_back({{&curve, at, std::min(at + kMetricsPerBatch, size)}});
            continue;
        }
        if (points + size > kMetricsPerBatch) closeSmall();
        small.push_back({&curve, 0, size});
        points += size;
    }
    closeSmall();
    // the longest first, so that no connection is left with it at the end
    std::stable_sort(loads.begin(), loads.end(),
                     [](const Load& a, const Load& b) { return a.size() > b.size(); });
    return loads;
}

std::vector<NamedPoint> pointsOf(const std::vector<Slice>& batch) {
    std::vector<NamedPoint> points;
    for (const auto& slice : batch)
        for (auto at = slice.first; at < slice.end; ++at)
            points.push_back({&slice.curve->key, slice.curve->points[at]});
    return points;
}

/// Everything about the points, so that equal state means nothing to send.
std::string stateOf(const std::vector<Curve>& curves) {
    Sha256 digest;
    for (const auto& curve : curves) {
        digest.addNumber(curve.key.size());
        digest.add(curve.key);
        digest.addNumber(curve.points.size());
        for (const auto& point : curve.points) {
            digest.addNumber(point.step);
            digest.addNumber(point.timestampMs);
            digest.addNumber(point.value);
        }
    }
    return digest.hex(kIdDigits);
}

class Publisher {
public:
    Publisher(const tracking::Store& store, const std::string& address, const PublishOptions& options,
              const ProgressHandler& progress, std::stop_token stop, std::int64_t totalRuns)
        : m_store(store), m_options(options), m_tell(progress), m_stop(stop) {
        const auto access = mlflowCredentials();
        for (int i = 0; i < std::max(1, options.connections); ++i)
            m_servers.push_back(
                std::make_unique<MlflowServer>(address, access, options.retryTimeout, m_sending.get_token()));
        server().setConnectTimeout(options.connectTimeout);
        m_progress.totalRuns = totalRuns;
    }

    void publish(const Run& run);
    PublishSummary finish() { return std::move(m_summary); }

private:
    MlflowServer& server() { return *m_servers.front(); }
    std::vector<Curve> readCurves(const Run& run);
    void sendPairs(const Run& run, const RemoteRun& remote);
    void sendPoints(const Run& run, const RemoteRun& remote, std::vector<Curve>& curves);
    void sendLoads(const std::string& remoteId, const std::vector<Load>& loads);
    void sendFiles(const Run& run, const RemoteRun& remote);
    void settle(const Run& run, const RemoteRun& remote);
    void inBatches(const std::string& remoteId, const NamedTexts& params, const NamedTexts& tags);
    void tell(std::int64_t points);
    void addSkipped(std::string what, std::string why, std::int64_t count = 1) {
        exchange::addSkipped(m_summary.skipped, std::move(what), std::move(why), count);
    }

    const tracking::Store& m_store;
    const PublishOptions& m_options;
    const ProgressHandler& m_tell;
    std::stop_token m_stop;
    std::stop_source m_sending;  // the caller's wish to stop, or one connection's failure
    std::stop_callback<std::function<void()>> m_forward{m_stop, [this] { m_sending.request_stop(); }};
    std::vector<std::unique_ptr<MlflowServer>> m_servers;
    std::map<std::string, std::string> m_experiments;
    Progress m_progress;
    PublishSummary m_summary;
    std::mutex m_mutex;  // progress and the count of points, while several connections send
};

void Publisher::tell(std::int64_t points) {
    const std::lock_guard lock(m_mutex);
    m_summary.points += points;
    m_progress.points = m_summary.points;
    if (m_tell) m_tell(m_progress);
}

std::vector<Curve> Publisher::readCurves(const Run& run) {
    std::map<std::string, Curve> byName;
    std::map<std::string, std::string> keyOf;  // the server's name → ours
    const std::string* current = nullptr;
    Curve* curve = nullptr;
    std::string last;
    m_store.forEachPoint(run.id, [&](const std::string& key, const MetricPoint& point) {
        if (!current || last != key) {
            last = key;
            current = &last;
            const std::string name = sanitizeMlflowName(key);
            const auto [known, isNew] = keyOf.try_emplace(name, key);
            curve = isNew ? &byName[name] : nullptr;
            if (isNew)
                curve->key = name;
            else
                addSkipped("metric " + key + " of run " + run.name,
                           "MLflow's rules for names make it the same as " + known->second);
            if (isNew && name != key)
                addSkipped("the name of metric " + key,
                           "MLflow refuses it; it is " + name + " on the server");
            if (m_stop.stop_requested()) throw Cancelled();
        }
        if (curve) curve->points.push_back(point);
    });
    std::vector<Curve> curves;
    for (auto& [name, found] : byName) curves.push_back(std::move(found));
    return curves;
}

void Publisher::publish(const Run& run) {
    m_progress.currentItem = run.name;
    tell(0);
    auto [experiment, isFirst] = m_experiments.try_emplace(run.experiment);
    if (isFirst) {
        experiment->second = server().ensureExperiment(run.experiment);
        tell(0);
    }

    auto found = server().findRun(experiment->second, kPublishedRunTag, run.id);
    const bool isNew = !found;
    if (isNew)
        found = server().createRun(experiment->second, run,
                                   {{kPublishedRunTag, run.id}, {"mlflow.user", run.user}});
    const RemoteRun& remote = *found;
    if (remote.deleted) {
        addSkipped("run " + run.name, "it was deleted on the server; restore it there to publish it again");
        return;
    }
    sendPairs(run, remote);
    auto curves = readCurves(run);
    const auto state = stateOf(curves);
    const auto known = remote.tags.find(kPublishedStateTag);
    if (known == remote.tags.end() || known->second != state) {
        sendPoints(run, remote, curves);
        server().logPairs(remote.id, {}, {{kPublishedStateTag, state}});
    } else {
        for (const auto& curve : curves)
            m_summary.pointsAlreadyPresent += static_cast<std::int64_t>(curve.points.size());
    }
    if (m_options.files) sendFiles(run, remote);
    settle(run, remote);
    m_summary.runs.push_back({run.id, remote.id, remote.experimentId, isNew});
    ++m_progress.runs;
}

void Publisher::sendPairs(const Run& run, const RemoteRun& remote) {
    NamedTexts params, tags;
    for (const auto& [key, value] : run.params) {
        const auto name = sanitizeMlflowName(key);
        auto text = truncateUtf8(value, kMaxParamLength);
        if (text != value) addSkipped("the end of long params", "MLflow's servers take 6,000 characters");
        const auto there = remote.params.find(name);
        if (there == remote.params.end())
            params.emplace_back(name, std::move(text));
        else if (there->second != text)
            addSkipped("param " + key + " of run " + run.name,
                       "the server has another value and MLflow never changes a param");
    }
    for (const auto& [key, value] : run.tags) {
        if (key == kPublishedRunTag || key == kPublishedStateTag) continue;
        const auto name = sanitizeMlflowName(key);
        auto text = truncateUtf8(value, kMaxTagLength);
        if (text != value) addSkipped("the end of long tags", "MLflow's servers take 5,000 characters");
        const auto there = remote.tags.find(name);
        if (there == remote.tags.end() || there->second != text) tags.emplace_back(name, std::move(text));
    }
    inBatches(remote.id, params, tags);
    m_summary.params += static_cast<std::int64_t>(params.size());
    m_summary.tags += static_cast<std::int64_t>(tags.size());
}

void Publisher::inBatches(const std::string& remoteId, const NamedTexts& params, const NamedTexts& tags) {
    for (const bool areParams : {true, false}) {
        NamedTexts batch;
        std::size_t bytes = 0;
        const auto send = [&] {
            if (batch.empty()) return;
            server().logPairs(remoteId, areParams ? batch : NamedTexts{}, areParams ? NamedTexts{} : batch);
            batch.clear();
            bytes = 0;
        };
        for (const auto& pair : areParams ? params : tags) {
            // a character may take six bytes in JSON
            const auto size = 6 * (pair.first.size() + pair.second.size()) + 32;
            if (batch.size() == kPairsPerBatch || bytes + size > kBytesPerBatch) send();
            batch.push_back(pair);
            bytes += size;
        }
        send();
    }
}

void Publisher::sendPoints(const Run& run, const RemoteRun& remote, std::vector<Curve>& curves) {
    std::int64_t onlyThere = 0;
    for (auto& curve : curves) {
        if (!remote.metricKeys.contains(curve.key)) continue;
        auto there = server().history(remote.id, curve.key);
        std::sort(there.begin(), there.end(), pointBefore);
        const auto before = curve.points.size();
        std::erase_if(curve.points, [&](const MetricPoint& point) {
            return std::binary_search(there.begin(), there.end(), point, pointBefore);
        });
        const auto shared = before - curve.points.size();
        m_summary.pointsAlreadyPresent += static_cast<std::int64_t>(shared);
        if (there.size() > shared) onlyThere += static_cast<std::int64_t>(there.size() - shared);
    }
    if (onlyThere > 0)
        addSkipped("points of run " + run.name + " that only the server has",
                   "they were removed here or logged only there; MLflow cannot delete points", onlyThere);
    std::erase_if(curves, [](const Curve& curve) { return curve.points.empty(); });
    sendLoads(remote.id, loadsOf(curves));
}

void Publisher::sendLoads(const std::string& remoteId, const std::vector<Load>& loads) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    const auto work = [&](MlflowServer& connection) {
        try {
            for (std::size_t at = next++; at < loads.size(); at = next++)
                for (const auto& batch : loads[at]) {
                    auto points = pointsOf(batch);
                    const auto count = static_cast<std::int64_t>(points.size());
                    connection.logMetrics(remoteId, std::move(points));
                    tell(count);
                }
        } catch (...) {
            {
                const std::lock_guard lock(m_mutex);
                if (!failure) failure = std::current_exception();  // the others are only told to stop
            }
            m_sending.request_stop();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i < std::min(m_servers.size(), loads.size()); ++i)
            threads.emplace_back([&, i] { work(*m_servers[i]); });
        work(server());
    }
    if (failure) std::rethrow_exception(failure);
}

void Publisher::sendFiles(const Run& run, const RemoteRun& remote) {
    const fs::path folder = tracking::artifactRoot(m_store.file()) / run.id;
    std::vector<fs::path> paths;
    std::int64_t checkpoints = 0;
    std::error_code problem;
    for (fs::recursive_directory_iterator entry(folder, problem);
         !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
        if (!entry->is_regular_file(problem)) continue;
        const auto path = entry->path().lexically_relative(folder);
        if (*path.begin() == "checkpoints")
            ++checkpoints;
        else
            paths.push_back(path);
    }
    if (checkpoints > 0)
        addSkipped("checkpoint files", "only clips and small files are published", checkpoints);
    if (paths.empty()) return;
    if (!MlflowServer::acceptsArtifacts(remote.artifactUri)) {
        addSkipped("files of runs",
                   "the server keeps artifacts at " +
                       remote.artifactUri.substr(0, remote.artifactUri.find(':')) +
                       ", and does not accept uploads there; start it with --serve-artifacts",
                   static_cast<std::int64_t>(paths.size()));
        return;
    }
    std::sort(paths.begin(), paths.end());
    const auto there = server().files(remote.id);
    for (const auto& path : paths) {
        const auto name = path.generic_string();
        const auto known = there.find(name);
        if (known != there.end() && known->second == static_cast<std::int64_t>(fs::file_size(folder / path)))
            continue;
        server().uploadArtifact(remote.artifactUri, name, folder / path);
        ++m_summary.files;
        tell(0);
    }
}

/// Last of all, so that a run that looks finished on the server is whole there.
void Publisher::settle(const Run& run, const RemoteRun& remote) {
    const bool same = remote.status == toText(run.status) && remote.name == run.name &&
                      (isActive(run.status) || remote.endMs == run.endMs);
    if (!same) server().updateRun(remote.id, run.status, run.endMs, run.name);
}

}  // namespace

PublishSummary publish(const tracking::Store& store, const std::vector<Run>& runs, const std::string& server,
                       const PublishOptions& options, const ProgressHandler& progress, std::stop_token stop) {
    Publisher publisher(store, server, options, progress, stop, static_cast<std::int64_t>(runs.size()));
    for (const auto& run : runs) {
        if (stop.stop_requested()) throw Cancelled();
        publisher.publish(run);
    }
    return publisher.finish();
}

}  // namespace dailies::exchange
