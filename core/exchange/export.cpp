#include "core/exchange/export.h"

#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/exchange/output_file.h"

#include <cmath>
#include <set>

namespace dailies::exchange {

namespace {

constexpr const char* kLineEnd = "\r\n";

std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return shortNumber(value);
}

template <class Map>
void collectKeys(const Map& map, std::set<std::string>& keys) {
    for (const auto& [key, value] : map) keys.insert(key);
}

class RunsWriter {
public:
    RunsWriter(OutputFile& file, const std::vector<tracking::Run>& runs) : m_file(file) {
        for (const auto& run : runs) {
            collectKeys(run.params, m_params);
            collectKeys(run.metrics, m_metrics);
            collectKeys(run.tags, m_tags);
        }
        std::string line = "run_id,name,experiment,status,start_time,end_time";
        for (const auto& key : m_params) line += ',' + csvField("params." + key);
        for (const auto& key : m_metrics) line += ',' + csvField("metrics." + key);
        for (const auto& key : m_tags) line += ',' + csvField("tags." + key);
        m_file.write(line + kLineEnd);
    }

    void write(const tracking::Run& run) {
        std::string line = run.id + ',' + csvField(run.name) + ',' + csvField(run.experiment) + ',' +
                           std::string(toText(run.status)) + ',' + std::to_string(run.startMs) + ',' +
                           (run.endMs ? std::to_string(*run.endMs) : "");
        const auto cells = [&](const std::set<std::string>& keys, const auto& values, auto&& text) {
            for (const auto& key : keys) {
                const auto found = values.find(key);
                line += ',';
                if (found != values.end()) line += text(found->second);
            }
        };
        cells(m_params, run.params, csvField);
        cells(m_metrics, run.metrics, [](const tracking::MetricPoint& point) { return number(point.value); });
        cells(m_tags, run.tags, csvField);
        m_file.write(line + kLineEnd);
    }

private:
    OutputFile& m_file;
    std::set<std::string> m_params, m_metrics, m_tags;
};

}  // namespace

std::filesystem::path exportFile(const std::filesystem::path& target, ExportTable table) {
    if (!std::filesystem::is_directory(target) && target.has_filename()) return target;
    return target / (table == ExportTable::Runs ? "runs.csv" : "metrics.csv");
}

ExportSummary exportRuns(const tracking::Store& store, const std::vector<tracking::Run>& runs,
                         ExportTable table, const std::filesystem::path& target,
                         const ProgressHandler& progress, std::stop_token stop) {
    constexpr std::int64_t kReportEvery = 100'000;
    ExportSummary summary{exportFile(target, table)};
    OutputFile file(summary.file);
    const auto report = [&](const tracking::Run& run) {
        if (stop.stop_requested()) throw Cancelled();
        if (progress)
            progress({run.name, summary.runs, static_cast<std::int64_t>(runs.size()), summary.points});
    };

    if (table == ExportTable::Runs) {
        RunsWriter writer(file, runs);
        for (const auto& run : runs) {
            if (summary.runs % 100 == 0) report(run);
            writer.write(run);
            ++summary.runs;
        }
    } else {
        file.write(std::string("run_id,run_name,key,step,timestamp,value") + kLineEnd);
        std::string line;
        for (const auto& run : runs) {
            report(run);
            const std::string prefix = run.id + ',' + csvField(run.name) + ',';
            std::string key, beginning;
            store.eachPoint(run.id, [&](const std::string& name, const tracking::MetricPoint& point) {
                if (beginning.empty() || name != key) {
                    key = name;
                    beginning = prefix + csvField(key) + ',';
                }
                line = beginning;
                line += std::to_string(point.step);
                line += ',';
                line += std::to_string(point.timestampMs);
                line += ',';
                line += number(point.value);
                line += kLineEnd;
                file.write(line);
                if (++summary.points % kReportEvery == 0) report(run);
            });
            ++summary.runs;
        }
    }
    file.commit();
    return summary;
}

}  // namespace dailies::exchange
