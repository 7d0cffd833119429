#include "core/exchange/export.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/exchange/output_file.h"

#include <map>
#include <memory>
#include <set>

namespace dailies::exchange {

namespace {

constexpr const char* kLineEnd = "\r\n";

/// What an export consists of: runs, or points run by run.
class Writer {
public:
    virtual ~Writer() = default;
    virtual void run(const tracking::Run& run) = 0;
    virtual void point(const tracking::Run& run, const std::string& key,
                       const tracking::MetricPoint& point) = 0;
    virtual void end() {}
};

template <class Map>
void collectKeys(const Map& map, std::set<std::string>& keys) {
    for (const auto& [key, value] : map) keys.insert(key);
}

class CsvWriter : public Writer {
public:
    CsvWriter(OutputFile& file, const std::vector<tracking::Run>& runs, ExportTable table,
              const ExportOptions& options)
        : m_file(file), m_options(options) {
        if (table == ExportTable::Metrics) {
            m_file.write(std::string("run_id,run_name,key,step,timestamp,value") + kLineEnd);
            return;
        }
        for (const auto& run : runs) {
            collectKeys(run.params, m_params);
            collectKeys(run.metrics, m_metrics);
            collectKeys(run.tags, m_tags);
        }
        std::string line = "run_id,name,experiment,status,start_time,end_time";
        for (const auto& name : columnNames()) line += ',' + text(name);
        m_file.write(line + kLineEnd);
    }

    void run(const tracking::Run& run) override {
        std::string line = run.id + ',' + text(run.name) + ',' + text(run.experiment) + ',' +
                           std::string(toText(run.status)) + ',' + std::to_string(run.startMs) + ',' +
                           (run.endMs ? std::to_string(*run.endMs) : "");
        const auto cells = [&](const std::set<std::string>& keys, const auto& values, auto&& written) {
            for (const auto& key : keys) {
                const auto found = values.find(key);
                line += ',';
                if (found != values.end()) line += written(found->second);
            }
        };
        const auto asText = [this](const std::string& value) { return text(value); };
        cells(m_params, run.params, asText);
        cells(m_metrics, run.metrics,
              [](const tracking::MetricPoint& point) { return csvNumber(point.value); });
        cells(m_tags, run.tags, asText);
        m_file.write(line + kLineEnd);
    }

    void point(const tracking::Run& run, const std::string& key,
               const tracking::MetricPoint& point) override {
        if (m_begin.empty() || run.id != m_runId || key != m_key) {
            m_runId = run.id;
            m_key = key;
            m_begin = run.id + ',' + text(run.name) + ',' + text(key) + ',';
        }
        m_line = m_begin;
        m_line += std::to_string(point.step);
        m_line += ',';
        m_line += std::to_string(point.timestampMs);
        m_line += ',';
        m_line += csvNumber(point.value);
        m_line += kLineEnd;
        m_file.write(m_line);
    }

private:
    std::string text(std::string_view value) const { return csvField(value, m_options.text); }

    /// Of params, metrics and tags, in this order.
    std::vector<std::string> columnNames() const {
        std::vector<std::string> full, brief = shortKeys({m_params.begin(), m_params.end()});
        for (const auto& key : m_params) full.push_back("params." + key);
        for (const auto& key : m_metrics) full.push_back("metrics." + key), brief.push_back(key);
        for (const auto& key : m_tags) full.push_back("tags." + key), brief.push_back(key);
        if (!m_options.shortNames) return full;
        std::map<std::string, int> count = {{"run_id", 1}, {"name", 1},       {"experiment", 1},
                                            {"status", 1}, {"start_time", 1}, {"end_time", 1}};
        for (const auto& name : brief) ++count[name];
        for (std::size_t i = 0; i < full.size(); ++i)
            if (count[brief[i]] == 1) full[i] = brief[i];
        return full;
    }

    OutputFile& m_file;
    ExportOptions m_options;
    std::set<std::string> m_params, m_metrics, m_tags;
    std::string m_runId, m_key, m_begin, m_line;  ///< of the point that was written last
};

class JsonWriter : public Writer {
public:
    explicit JsonWriter(OutputFile& file) : m_file(file) { m_file.write("["); }

    void run(const tracking::Run& run) override {
        Json params = Json::object(), metrics = Json::object(), tags = Json::object();
        for (const auto& [key, value] : run.params) params[sanitizedText(key)] = sanitizedText(value);
        for (const auto& [key, point] : run.metrics) metrics[sanitizedText(key)] = numberToJson(point.value);
        for (const auto& [key, value] : run.tags) tags[sanitizedText(key)] = sanitizedText(value);
        add({{"run_id", run.id},
             {"name", sanitizedText(run.name)},
             {"experiment", sanitizedText(run.experiment)},
             {"status", toText(run.status)},
             {"start_time", run.startMs},
             {"end_time", run.endMs ? Json(*run.endMs) : Json()},
             {"params", std::move(params)},
             {"metrics", std::move(metrics)},
             {"tags", std::move(tags)}});
    }

    void point(const tracking::Run& run, const std::string& key,
               const tracking::MetricPoint& point) override {
        add({{"run_id", run.id},
             {"run_name", sanitizedText(run.name)},
             {"key", sanitizedText(key)},
             {"step", point.step},
             {"timestamp", point.timestampMs},
             {"value", numberToJson(point.value)}});
    }

    void end() override { m_file.write("\n]\n"); }

private:
    void add(const Json& object) {
        m_file.write(m_empty ? "\n" : ",\n");
        m_file.write(object.dump());
        m_empty = false;
    }

    OutputFile& m_file;
    bool m_empty = true;
};

}  // namespace

std::filesystem::path exportFile(const std::filesystem::path& target, ExportTable table,
                                 ExportFormat format) {
    if (!std::filesystem::is_directory(target) && target.has_filename()) return target;
    return target / (std::string(table == ExportTable::Runs ? "runs" : "metrics") +
                     (format == ExportFormat::Csv ? ".csv" : ".json"));
}

ExportSummary exportRuns(const tracking::Store& store, const std::vector<tracking::Run>& runs,
                         ExportTable table, const std::filesystem::path& target, const ExportOptions& options,
                         const ProgressHandler& progress, std::stop_token stop) {
    constexpr std::int64_t kReportEvery = 100'000;
    ExportSummary summary{exportFile(target, table, options.format)};
    OutputFile file(summary.file);
    const auto report = [&](const tracking::Run& run) {
        if (stop.stop_requested()) throw Cancelled();
        if (progress)
            progress({run.name, summary.runs, static_cast<std::int64_t>(runs.size()), summary.points});
    };
    const std::unique_ptr<Writer> writer = options.format == ExportFormat::Json
                                               ? std::unique_ptr<Writer>(std::make_unique<JsonWriter>(file))
                                               : std::make_unique<CsvWriter>(file, runs, table, options);
    for (const auto& run : runs) {
        if (table == ExportTable::Runs) {
            if (summary.runs % 100 == 0) report(run);
            writer->run(run);
        } else {
            report(run);
            store.forEachPoint(run.id, [&](const std::string& key, const tracking::MetricPoint& point) {
                writer->point(run, key, point);
                if (++summary.points % kReportEvery == 0) report(run);
            });
        }
        ++summary.runs;
    }
    writer->end();
    file.commit();
    return summary;
}

}  // namespace dailies::exchange
