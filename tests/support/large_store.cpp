#include "tests/support/large_store.h"

#include "core/base/text.h"
#include "core/tracking/run_color.h"
#include "core/tracking/schema.h"
#include "core/tracking/store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::test {

namespace {

namespace tag = tracking::tag;

constexpr std::int64_t kHourMs = 3'600'000;
constexpr double kLargest = std::numeric_limits<double>::max();

constexpr std::array kExperiments = {"moving-shapes", "street-scenes-256", "upsampler", "animate-faces",
                                     "tokenizer"};
constexpr std::array kSweepNames = {"lr-warmup", "width-depth", "cfg-dropout", "optimizer",
                                    "shift",     "batch-size",  "ema",         "patch-size"};

/// A param and what it may be: words, or numbers of which a sweep takes any in between ("1e-5..1e-2").
struct Param {
    const char* name;
    std::string_view values;
};
constexpr std::array kParams = {
    Param{"optimizer.lr", "1e-5..3e-3"},
    Param{"model.width", "384 512 768 1024 1536"},
    Param{"optimizer.name", "adamw adamw8bit muon"},
    Param{"data.batch_size", "32 64 128 256"},
    Param{"seed", "0 1 2 3 4 5 6 7"},
    Param{"optimizer.weight_decay", "1e-3..1e-1"},
    Param{"optimizer.warmup", "200 500 1000 2000"},
    Param{"model.depth", "12 16 24 28"},
    Param{"model.family", "dit st-dit wan"},
    Param{"objective.name", "rectified-flow edm v-prediction"},
    Param{"objective.shift", "1..5"},
    Param{"sampling.guidance", "2..8"},
    Param{"sampling.steps", "20 30 50"},
    Param{"ema.decay", "0.999 0.9995 0.9999"},
    Param{"data.folder", "shards/street-256 shards/faces-512 shards/shapes-64"},
    Param{"data.frames", "17 33 49 121"},
    Param{"data.height", "256 480 720"},
    Param{"model.heads", "6 8 12 16"},
    Param{"model.qk_norm", "true false"},
    Param{"model.patch", "1 2"},
    Param{"optimizer.beta1", "0.9"},
    Param{"optimizer.beta2", "0.95 0.99 0.999"},
    Param{"optimizer.clip", "0.5 1 2"},
    Param{"conditioning.dropout", "0.05 0.1 0.2"},
    Param{"parallel.dp", "1 2 4 8"},
    Param{"parallel.cp", "1 2 4"},
    Param{"precision", "bf16 fp32"},
    Param{"compile", "true false"},
    Param{"checkpoint.every", "500 1000 2500"},
    Param{"steps", "10000"},
    Param{"sampling.prompts", "prompts/street.txt prompts/faces.txt prompts/shapes.txt"},
    Param{"tokenizer.name", "pixels causal-vae cosmos"},
    Param{"tokenizer.latent_dim", "4 8 16"}};
constexpr std::size_t kLr = 0;  ///< the place of optimizer.lr
constexpr double kBestLr = 3e-4;

enum class Curve { Falls, Rises, Flat, Bursts, Counts, Schedule };
/// A metric and where it goes: a good run comes nearer to `end`.
struct Metric {
    const char* name;
    Curve curve;
    double start, end;
};
constexpr std::array kMetrics = {Metric{"loss", Curve::Falls, 1.1, 0.12},
                                 Metric{"adherence", Curve::Rises, 0.1, 0.97},
                                 Metric{"grad_norm", Curve::Bursts, 0.6, 0.3},
                                 Metric{"throughput", Curve::Flat, 20, 60},
                                 Metric{"lr", Curve::Schedule, 0, 0},
                                 Metric{"val/loss", Curve::Falls, 1.1, 0.14},
                                 Metric{"val/fvd", Curve::Falls, 1900, 180},
                                 Metric{"val/psnr", Curve::Rises, 9, 31},
                                 Metric{"ema/loss", Curve::Falls, 1.1, 0.11},
                                 Metric{"step_time", Curve::Flat, 1.9, 0.7},
                                 Metric{"data_time", Curve::Bursts, 0.012, 0.008},
                                 Metric{"gpu/memory_gib", Curve::Flat, 71, 58},
                                 Metric{"gpu/utilization", Curve::Flat, 80, 97},
                                 Metric{"weight_norm", Curve::Rises, 210, 390},
                                 Metric{"loss/t0.1", Curve::Falls, 1.3, 0.31},
                                 Metric{"loss/t0.3", Curve::Falls, 1.2, 0.2},
                                 Metric{"loss/t0.5", Curve::Falls, 1.1, 0.12},
                                 Metric{"loss/t0.7", Curve::Falls, 1, 0.08},
                                 Metric{"loss/t0.9", Curve::Falls, 0.9, 0.06},
                                 Metric{"samples", Curve::Counts, 0, 640'000},
                                 Metric{"tokens", Curve::Counts, 0, 5.2e9},
                                 Metric{"tokens_per_second", Curve::Flat, 61'000, 148'000},
                                 Metric{"mfu", Curve::Flat, 0.31, 0.47},
                                 Metric{"attention/entropy", Curve::Falls, 6.1, 3.4},
                                 Metric{"attention/logit_max", Curve::Bursts, 14, 9}};

template <std::size_t Count, class Entry>
std::string nameAt(const std::array<Entry, Count>& entries, int index) {
    const auto at = static_cast<std::size_t>(index);
    const std::string name = entries[at % Count].name;
    return at < Count ? name : name + "." + std::to_string(at / Count);
}

std::string hex(std::mt19937_64& random) {
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(random()),
                  static_cast<unsigned long long>(random()));
    return text;
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

/// Writes the rows; one statement a table, prepared once.
class Filler {
public:
    Filler(SQLite::Database& db, const LargeStoreOptions& options)
        : m_db(db),
          m_options(options),
          m_run(db,
                "INSERT INTO runs (run_uuid, name, source_type, source_name, entry_point_name, user_id, "
                "status, start_time, end_time, source_version, lifecycle_stage, artifact_uri, experiment_id) "
                "VALUES (?, ?, 'JOB', 'dailies-train', '', ?, ?, ?, ?, '', 'active', '', ?)"),
          m_param(db, "INSERT INTO params (run_uuid, \"key\", value) VALUES (?, ?, ?)"),
          m_tag(db, "INSERT INTO tags (run_uuid, \"key\", value) VALUES (?, ?, ?)"),
          m_point(db,
                  "INSERT INTO metrics (\"key\", value, timestamp, run_uuid, step, is_nan) "
                  "VALUES (?, ?, ?, ?, ?, ?)"),
          m_latest(db,
                   "INSERT INTO latest_metrics (\"key\", value, timestamp, step, is_nan, run_uuid) "
                   "VALUES (?, ?, ?, ?, ?, ?)") {}

    void fill() {
        for (std::size_t i = 0; i < kExperiments.size(); ++i)
            run("INSERT INTO experiments (experiment_id, name, artifact_location, lifecycle_stage, "
                "creation_time, last_update_time) VALUES (?, ?, '', 'active', ?, ?)",
                static_cast<std::int64_t>(i) + 1, kExperiments[i], m_options.startMs, m_options.startMs);
        const int sweeps = m_options.sweeps > 0 ? m_options.sweeps : std::max(1, m_options.runs / 40);
        for (int sweep = 0, done = 0; sweep < sweeps; ++sweep) {
            const int until = static_cast<int>(std::int64_t{m_options.runs} * (sweep + 1) / sweeps);
            addSweep(sweep, sweeps, done, until);
            done = until;
        }
    }

private:
    template <class... Args>
    void run(const char* sql, const Args&... args) {
        SQLite::Statement statement(m_db, sql);
        SQLite::bind(statement, args...);
        statement.exec();
    }

    template <class... Args>
    static void put(SQLite::Statement& statement, const Args&... args) {
        SQLite::bind(statement, args...);
        statement.exec();
        statement.reset();
    }

    double uniform(double from, double to) { return std::uniform_real_distribution(from, to)(m_random); }
    int upTo(int last) { return std::uniform_int_distribution(0, last)(m_random); }

    std::string value(const Param& param) {
        if (const auto dots = param.values.find(".."); dots != std::string_view::npos) {
            const double low = std::strtod(std::string(param.values.substr(0, dots)).c_str(), nullptr);
            const double high = std::strtod(std::string(param.values.substr(dots + 2)).c_str(), nullptr);
            return number(low * std::pow(high / low, uniform(0, 1)));
        }
        const auto words = split(param.values, ' ');
        return std::string(words[static_cast<std::size_t>(upTo(static_cast<int>(words.size()) - 1))]);
    }

    void addSweep(int sweep, int sweeps, int firstRun, int endRun) {
        const auto experiment = static_cast<std::size_t>(sweep) % kExperiments.size();
        const std::string id = hex(m_random);
        const std::string name =
            std::string(kSweepNames[static_cast<std::size_t>(sweep) % kSweepNames.size()]) +
            (sweep < static_cast<int>(kSweepNames.size())
                 ? ""
                 : "-" + std::to_string(sweep / static_cast<int>(kSweepNames.size()) + 1));
        const std::int64_t startMs = m_options.startMs - (sweeps - 1 - sweep) * 7 * kHourMs;
        if (!m_options.mlflowOnly)
            run("INSERT INTO dailies_sweeps (sweep_id, name, cluster, experiment_id, yaml, script, job_id, "
                "created_time) VALUES (?, ?, 'sandbox', ?, '', '', ?, ?)",
                id, name, static_cast<std::int64_t>(experiment) + 1, std::to_string(4000 + sweep), startMs);
        // within a sweep three params vary, the others are the same in every run
        std::vector<std::string> common;
        for (int p = 0; p < m_options.params; ++p)
            common.push_back(value(kParams[static_cast<std::size_t>(p) % kParams.size()]));
        for (int i = firstRun; i < endRun; ++i) {
            auto values = common;
            for (int p = 0; p < std::min(3, m_options.params); ++p)
                values[static_cast<std::size_t>((p + sweep) % std::min(5, m_options.params))] =
                    value(kParams[static_cast<std::size_t>((p + sweep) % std::min(5, m_options.params))]);
            addRun(i, i - firstRun, id, name, static_cast<std::int64_t>(experiment) + 1, values,
                   startMs + (i - firstRun) * 60'000, sweep == sweeps - 1);
        }
    }

    void addRun(int index, int task, const std::string& sweepId, const std::string& sweepName,
                std::int64_t experiment, const std::vector<std::string>& values, std::int64_t startMs,
                bool newest) {
        const int dice = upTo(99);
        std::string status = "FINISHED", state = "COMPLETED", reason;
        double done = 1;
        if (newest && dice < 30)
            status = "RUNNING", state = "RUNNING", done = uniform(0.2, 0.9);
        else if (newest && dice < 40)
            status = "SCHEDULED", state = "PENDING", reason = "Priority", done = 0;
        else if (dice >= 97)
            status = "FAILED", state = "OUT_OF_MEMORY", reason = "Out of memory on node3",
            done = uniform(0, 0.2);
        else if (dice >= 93)
            status = "FAILED", state = "TIMEOUT", reason = "The time limit of 0:30:00 was reached",
            done = 0.9;
        else if (dice >= 88)
            status = "KILLED", state = "CANCELLED", reason = "Cancelled by its owner",
            done = uniform(0.1, 0.9);
        const int points = static_cast<int>(m_options.points * done);
        const std::string id = hex(m_random), user = index % 5 == 0 ? "ada" : "grace";
        const std::string name = "lr=" + values.front() + " #" + std::to_string(task);
        const std::int64_t endMs = startMs + (points + 1) * 2'000;
        SQLite::bind(m_run, id, name, user, status, startMs, endMs, experiment);
        if (status == "RUNNING" || status == "SCHEDULED") m_run.bind(6);
        m_run.exec();
        m_run.reset();

        for (int p = 0; p < m_options.params; ++p)
            put(m_param, id, nameAt(kParams, p), values[static_cast<std::size_t>(p)]);
        const std::pair<const char*, std::string> tags[] = {
            {"mlflow.runName", name},
            {"mlflow.user", user},
            {"mlflow.source.type", "JOB"},
            {"mlflow.source.name", "dailies-train"},
            {tag::kSweep, sweepId},
            {tag::kSweepName, sweepName},
            {tag::kCluster, "sandbox"},
            {tag::kTask, std::to_string(task)},
            {tag::kSlurmState, state},
            {tag::kReason, reason},
            {tag::kColor,
             std::string(
                 tracking::kRunColors[static_cast<std::size_t>(index) % tracking::kRunColors.size()])}};
        for (const auto& [key, text] : tags)
            if (!text.empty() && (!m_options.mlflowOnly || !std::string_view(key).starts_with("dailies.")))
                put(m_tag, id, key, text);
        const double lr = std::strtod(values[kLr].c_str(), nullptr);
        const double quality =
            std::clamp(1 - 0.4 * std::abs(std::log10(lr / kBestLr)) + uniform(-0.1, 0.1), 0.3, 1.0);
        for (int m = 0; m < m_options.metrics; ++m)
            addCurve(id, nameAt(kMetrics, m), kMetrics[static_cast<std::size_t>(m) % kMetrics.size()], lr,
                     quality, points, startMs, status == "FAILED");
    }

    void addCurve(const std::string& runId, const std::string& key, const Metric& metric, double lr,
                  double quality, int points, std::int64_t startMs, bool failed) {
        const auto [name, curve, start, end] = metric;
        const double reached = start + (end - start) * quality;
        m_point.bindNoCopy(1, key);
        m_point.bindNoCopy(4, runId);
        double last = 0;
        int lastNan = 0;
        for (int i = 0; i < points; ++i) {
            const double done = (i + 1.0) / m_options.points, noise = uniform(-1, 1);
            double y = 0;
            if (curve == Curve::Falls)
                y = (reached + (start - reached) * std::exp(-6 * done * quality)) * (1 + 0.03 * noise);
            if (curve == Curve::Rises)
                y = reached + (start - reached) * std::exp(-5 * done) + 0.01 * (end - start) * noise;
            if (curve == Curve::Flat) y = reached * (1 + 0.02 * noise);
            if (curve == Curve::Bursts) y = reached * (1 + 0.3 * noise);
            if (curve == Curve::Counts) y = end * done;
            if (curve == Curve::Schedule)  // warm-up, then a cosine
                y = lr * std::min(done / 0.05, 0.5 + 0.5 * std::cos(std::numbers::pi * done));
            lastNan = 0;
            const int dice = upTo(4'999);
            if (dice == 0 && (curve == Curve::Falls || curve == Curve::Bursts))
                y *= 25;  // a spike of a single point
            else if (dice == 1 && curve == Curve::Bursts)
                y = kLargest;  // how MLflow keeps an infinity
            if (failed && curve == Curve::Falls && i == points - 1) y = 0, lastNan = 1;
            m_point.bind(2, y);
            m_point.bind(3, startMs + (i + 1) * 2'000);
            m_point.bind(5, (i + 1) * 10);
            m_point.bind(6, lastNan);
            m_point.exec();
            m_point.reset();
            last = y;
        }
        if (points > 0)
            put(m_latest, key, last, startMs + points * std::int64_t{2'000}, points * 10, lastNan, runId);
    }

    SQLite::Database& m_db;
    const LargeStoreOptions& m_options;
    std::mt19937_64 m_random{7};
    SQLite::Statement m_run, m_param, m_tag, m_point, m_latest;
};

}  // namespace

void makeLargeStore(const std::filesystem::path& file, const LargeStoreOptions& options) {
    if (!options.mlflowOnly) tracking::Store store(file);
    {
        SQLite::Database db(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 20'000);
        db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144");
        SQLite::Transaction transaction(db);
        if (options.mlflowOnly) db.exec(tracking::kMlflowTables);
        Filler(db, options).fill();
        transaction.commit();
    }
    if (!options.mlflowOnly) tracking::Store(file).prepareCurves();
}

}  // namespace dailies::test
