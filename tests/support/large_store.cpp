#include "tests/support/large_store.h"

#include "core/tracking/schema.h"
#include "core/tracking/store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
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

enum class Kind { Log, Choice, Count, Flag, Text };
struct Param {
    const char* name;
    Kind kind;
};
constexpr std::array kParams = {Param{"optimizer.lr", Kind::Log},
                                Param{"model.width", Kind::Count},
                                Param{"optimizer.name", Kind::Choice},
                                Param{"data.batch_size", Kind::Count},
                                Param{"seed", Kind::Count},
                                Param{"optimizer.weight_decay", Kind::Log},
                                Param{"optimizer.warmup", Kind::Count},
                                Param{"model.depth", Kind::Count},
                                Param{"model.family", Kind::Choice},
                                Param{"objective.name", Kind::Choice},
                                Param{"objective.shift", Kind::Log},
                                Param{"sampling.guidance", Kind::Log},
                                Param{"sampling.steps", Kind::Count},
                                Param{"ema.decay", Kind::Log},
                                Param{"data.folder", Kind::Text},
                                Param{"data.frames", Kind::Count},
                                Param{"data.height", Kind::Count},
                                Param{"model.heads", Kind::Count},
                                Param{"model.qk_norm", Kind::Flag},
                                Param{"model.patch", Kind::Count},
                                Param{"optimizer.beta1", Kind::Log},
                                Param{"optimizer.beta2", Kind::Log},
                                Param{"optimizer.clip", Kind::Log},
                                Param{"conditioning.dropout", Kind::Log},
                                Param{"parallel.dp", Kind::Count},
                                Param{"parallel.cp", Kind::Count},
                                Param{"precision", Kind::Choice},
                                Param{"compile", Kind::Flag},
                                Param{"checkpoint.every", Kind::Count},
                                Param{"steps", Kind::Count},
                                Param{"sampling.prompts", Kind::Text},
                                Param{"tokenizer.name", Kind::Choice},
                                Param{"tokenizer.latent_dim", Kind::Count}};
constexpr std::array kWords = {"adamw", "muon", "lion", "sgd", "dit", "st-dit"};

enum class Curve { Falls, Rises, Flat, Bursts };
struct Metric {
    const char* name;
    Curve curve;
};
constexpr std::array kMetrics = {Metric{"loss", Curve::Falls},
                                 Metric{"adherence", Curve::Rises},
                                 Metric{"grad_norm", Curve::Bursts},
                                 Metric{"throughput", Curve::Flat},
                                 Metric{"lr", Curve::Falls},
                                 Metric{"val/loss", Curve::Falls},
                                 Metric{"val/fvd", Curve::Falls},
                                 Metric{"val/psnr", Curve::Rises},
                                 Metric{"ema/loss", Curve::Falls},
                                 Metric{"step_time", Curve::Flat},
                                 Metric{"data_time", Curve::Bursts},
                                 Metric{"gpu/memory_gib", Curve::Flat},
                                 Metric{"gpu/utilization", Curve::Flat},
                                 Metric{"weight_norm", Curve::Rises},
                                 Metric{"loss/t0.1", Curve::Falls},
                                 Metric{"loss/t0.3", Curve::Falls},
                                 Metric{"loss/t0.5", Curve::Falls},
                                 Metric{"loss/t0.7", Curve::Falls},
                                 Metric{"loss/t0.9", Curve::Falls},
                                 Metric{"samples", Curve::Rises},
                                 Metric{"tokens", Curve::Rises},
                                 Metric{"tokens_per_second", Curve::Flat},
                                 Metric{"mfu", Curve::Flat},
                                 Metric{"attention/entropy", Curve::Falls},
                                 Metric{"attention/logit_max", Curve::Bursts}};

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

    std::string value(const Param& param, int index) {
        switch (param.kind) {
            case Kind::Log:
                return number(std::pow(10.0, uniform(-5, -1)));
            case Kind::Choice:
                return kWords[static_cast<std::size_t>(upTo(kWords.size() - 1))];
            case Kind::Count:
                return std::to_string(1 << upTo(9));
            case Kind::Flag:
                return upTo(1) ? "true" : "false";
            case Kind::Text:
                return "/data/shards/v" + std::to_string(index % 7) + "/train-00000-of-00512.tar";
        }
        return {};
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
            common.push_back(value(kParams[static_cast<std::size_t>(p) % kParams.size()], sweep));
        for (int i = firstRun; i < endRun; ++i) {
            auto values = common;
            for (int p = 0; p < std::min(3, m_options.params); ++p)
                values[static_cast<std::size_t>((p + sweep) % std::min(5, m_options.params))] =
                    value(kParams[static_cast<std::size_t>((p + sweep) % std::min(5, m_options.params))], i);
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
            status = "FAILED", state = "TIMEOUT", reason = "The time limit of 4:00:00 was reached",
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
            {"mlflow.runName", name},      {"mlflow.user", user},
            {"mlflow.source.type", "JOB"}, {"mlflow.source.name", "dailies-train"},
            {tag::kSweep, sweepId},        {tag::kSweepName, sweepName},
            {tag::kCluster, "sandbox"},    {tag::kTask, std::to_string(task)},
            {tag::kSlurmState, state},     {tag::kReason, reason}};
        for (const auto& [key, text] : tags)
            if (!text.empty() && (!m_options.mlflowOnly || !std::string_view(key).starts_with("dailies.")))
                put(m_tag, id, key, text);
        const double quality = uniform(0.3, 1.0);
        for (int m = 0; m < m_options.metrics; ++m)
            addCurve(id, nameAt(kMetrics, m), kMetrics[static_cast<std::size_t>(m) % kMetrics.size()].curve,
                     quality, points, startMs, status == "FAILED");
    }

    void addCurve(const std::string& runId, const std::string& key, Curve curve, double quality, int points,
                  std::int64_t startMs, bool failed) {
        m_point.bindNoCopy(1, key);
        m_point.bindNoCopy(4, runId);
        double last = 0;
        int lastNan = 0;
        for (int i = 0; i < points; ++i) {
            const double done = (i + 1.0) / m_options.points, noise = uniform(-1, 1);
            double y = 0;
            if (curve == Curve::Falls)
                y = 2.5 * std::exp(-4 * done * quality) + 0.08 / quality * (1 + 0.3 * noise);
            if (curve == Curve::Rises) y = quality * (1 - std::exp(-5 * done)) + 0.02 * noise;
            if (curve == Curve::Flat) y = 40 * quality + 1.5 * noise;
            if (curve == Curve::Bursts) y = 0.6 + 0.3 * noise;
            lastNan = 0;
            if (const int dice = upTo(4'999); dice == 0)
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
