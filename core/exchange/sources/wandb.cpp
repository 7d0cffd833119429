// W&B runs that were written offline: the run file (run-<id>.wandb) of every client since 2020, or the
// readable files that clients before wrote (files/config.yaml, wandb-history.jsonl, wandb-summary.json,
// wandb-metadata.json).
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/exchange/derived_run_id.h"
#include "core/exchange/sources/sources.h"
#include "core/exchange/sources/wandb_log.h"
#include "core/exchange/sources/wandb_values.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <proto/wandb_record.pb.h>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

using tracking::RunStatus;

constexpr double kMaxStep = 9e15;  // up to which a double tells whole numbers apart
constexpr double kNoStep = std::numeric_limits<double>::quiet_NaN();

std::string keyOf(const std::string& key, const auto& nested) {
    if (!key.empty()) return key;
    std::string joined;
    for (const auto& part : nested) joined += (joined.empty() ? "" : ".") + part;
    return joined;
}

void setTag(tracking::Run& run, const char* key, const std::string& value) {
    if (!value.empty()) run.tags[key] = value;
}

/// Gathers one run, from one or several files.
class WandbRun {
public:
    WandbRun(ImportSink& sink, std::string name) : m_sink(sink), m_name(std::move(name)) {}

    void readRunFile(const fs::path& file);
    void readFolder(const fs::path& folder);
    SourceRun finish(const std::string& experiment);
    bool isEmpty() const { return m_id.empty(); }
    std::string identity() const { return m_entity + "/" + m_project + "/" + m_id; }

private:
    void on(const wandb::Record& record);
    void on(const wandb::Run& run);
    void on(const wandb::Config& config);
    void on(const wandb::History& history);
    void on(const wandb::Summary& summary);
    void on(const wandb::Metric& metric);
    void addRow(const FlatValues& row, std::int64_t step);
    const std::string* stepMetricOf(const std::string& key) const;
    void putOnStepMetrics();

    ImportSink& m_sink;
    std::string m_name, m_id, m_entity, m_project;
    SourceRun m_found;
    Json m_config = Json::object();
    std::map<std::string, double> m_summary;
    std::map<std::string, std::string> m_stepMetric;  ///< by metric, or by the beginning of its name
    std::map<std::string, std::vector<double>>
        m_stepAt;                            ///< parallel to the histories of those that have one
    std::map<std::string, double> m_lastOf;  ///< of each step metric
    std::int64_t m_startMs = 0, m_lastMs = 0, m_lastStep = 0, m_rows = 0;
    std::optional<int> m_exitCode;
};

void WandbRun::readRunFile(const fs::path& file) {
    WandbLogReader records(file);
    if (!records.isWandb())
        return m_sink.addSkipped(file.string(), "it does not begin as W&B's run files do");
    wandb::Record record;
    std::string_view bytes;
    auto end = records.next(bytes);
    for (; end == WandbLogReader::End::None; end = records.next(bytes)) {
        if (!record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
            end = WandbLogReader::End::Damaged;
            break;
        }
        on(record);
    }
    const std::string place = file.string() + " after byte " + std::to_string(records.offset());
    if (end == WandbLogReader::End::Torn)
        m_sink.addSkipped(place, "the file stops in the middle of a record; import it again once it goes on");
    if (end == WandbLogReader::End::Damaged)
        m_sink.addSkipped(place, "a record is damaged (its checksum does not fit)");
}

void WandbRun::on(const wandb::Record& record) {
    switch (record.record_type_case()) {
        case wandb::Record::kRun:
            return on(record.run());
        case wandb::Record::kConfig:
            return on(record.config());
        case wandb::Record::kHistory:
            return on(record.history());
        case wandb::Record::kSummary:
            return on(record.summary());
        case wandb::Record::kMetric:
            return on(record.metric());
        case wandb::Record::kExit:
            m_exitCode = record.exit().exit_code();
            m_lastMs = std::max(m_lastMs, m_startMs + std::int64_t{1000} * record.exit().runtime());
            return;
        case wandb::Record::kStats:
            return m_sink.addSkipped("samples of the machine's load", "only what the run logged is imported");
        case wandb::Record::kArtifact:
            return m_sink.addSkipped("artifacts", "only what the run logged is imported");
        case wandb::Record::RECORD_TYPE_NOT_SET:
            return;
    }
}

void WandbRun::on(const wandb::Run& record) {
    auto& run = m_found.run;
    m_id = record.run_id();
    m_entity = record.entity();
    m_project = record.project();
    run.name = record.display_name().empty() ? m_id : record.display_name();
    const auto startMs = record.start_time().seconds() * 1000 + record.start_time().nanos() / 1'000'000;
    if (m_startMs == 0 || startMs < m_startMs) m_startMs = startMs;
    m_exitCode.reset();  // a further file of a run that was resumed
    setTag(run, "wandb.id", m_id);
    setTag(run, "wandb.entity", m_entity);
    setTag(run, "wandb.project", m_project);
    setTag(run, "wandb.group", record.run_group());
    setTag(run, "wandb.job_type", record.job_type());
    setTag(run, "wandb.sweep", record.sweep_id());
    setTag(run, "wandb.host", record.host());
    setTag(run, "wandb.tags", join({record.tags().begin(), record.tags().end()}, ", "));
    setTag(run, "mlflow.note.content", record.notes());
    setTag(run, "mlflow.source.git.commit", record.git().commit());
    on(record.config());
    on(record.summary());
}

void WandbRun::on(const wandb::Config& config) {
    for (const auto& item : config.update()) {
        Json* place = &m_config;
        if (item.nested_key().empty())
            place = &(*place)[item.key()];
        else
            for (const auto& part : item.nested_key()) {
                if (!place->is_object()) *place = Json::object();
                place = &(*place)[part];
            }
        *place = lenientJson(item.value_json());
    }
    for (const auto& item : config.remove()) m_config.erase(keyOf(item.key(), item.nested_key()));
}

void WandbRun::on(const wandb::History& history) {
    FlatValues row(m_sink);
    for (const auto& item : history.item()) {
        const auto key = keyOf(item.key(), item.nested_key());
        switch (item.typed_case()) {
            case wandb::HistoryItem::kBoolean:
                row.add(key, item.boolean() ? 1.0 : 0.0);
                break;
            case wandb::HistoryItem::kInteger:
                row.add(key, static_cast<double>(item.integer()));
                break;
            case wandb::HistoryItem::kNumber:
                row.add(key, item.number());
                break;
            case wandb::HistoryItem::kText:
                row.add(key, Json(item.text()));
                break;
            case wandb::HistoryItem::kJson:
                row.addText(key, item.json());
                break;
            case wandb::HistoryItem::kNone:
                break;
            case wandb::HistoryItem::TYPED_NOT_SET:
                row.addText(key, item.value_json());
        }
    }
    addRow(row, history.step().num());
}

void WandbRun::addRow(const FlatValues& row, std::int64_t step) {
    const auto numbers = row.numbers();
    std::int64_t timeMs = m_lastMs;
    for (const auto& [key, value] : numbers) {
        if (key == "_step") step = static_cast<std::int64_t>(value);
        if (key == "_timestamp") timeMs = std::llround(value * 1000.0);
    }
    if (timeMs == 0) timeMs = m_startMs;
    if (m_startMs == 0) m_startMs = timeMs;
    m_lastMs = std::max(m_lastMs, timeMs);
    m_lastStep = std::max(m_lastStep, step);
    if (!m_stepMetric.empty())
        for (const auto& [key, value] : numbers) m_lastOf[key] = value;
    std::int64_t points = 0;
    for (const auto& [key, value] : numbers)
        if (!key.starts_with('_')) {
            auto& history = m_found.histories[key];
            if (const auto* axis = stepMetricOf(key)) {
                const auto at = m_lastOf.find(*axis);
                auto& steps = m_stepAt[key];
                steps.resize(history.size(), kNoStep);
                steps.push_back(at == m_lastOf.end() ? kNoStep : at->second);
            }
            history.push_back({step, timeMs, value});
            ++points;
        }
    // rows of one run are written often and are small
    if (++m_rows % 1'000 == 0 || points > 1'000) m_sink.reportProgress(m_name);
}

void WandbRun::on(const wandb::Summary& summary) {
    FlatValues values(m_sink, FlatValues::Account::Silent);  // the history's own values again
    for (const auto& item : summary.update())
        values.addText(keyOf(item.key(), item.nested_key()), item.value_json());
    for (const auto& [key, value] : values.numbers()) m_summary[key] = value;
}

void WandbRun::on(const wandb::Metric& metric) {
    if (metric.step_metric().empty() || metric.step_metric() == "_step") return;
    // a name may have its dots escaped, since plain ones mean nested values
    const auto plain = [](std::string name) {
        for (auto at = name.find("\\."); at != std::string::npos; at = name.find("\\.", at))
            name.erase(at, 1);
        return name;
    };
    m_stepMetric[plain(firstNonEmpty(metric.name(), metric.glob_name()))] = plain(metric.step_metric());
}

/// The metric that a person defined as the step of this one; by its name, else by the longest pattern.
const std::string* WandbRun::stepMetricOf(const std::string& key) const {
    if (m_stepMetric.empty()) return nullptr;
    const std::string* found = nullptr;
    std::size_t longest = 0;
    if (const auto named = m_stepMetric.find(key); named != m_stepMetric.end()) {
        found = &named->second;
    } else {
        for (const auto& [name, axis] : m_stepMetric)
            if (name.ends_with('*') && key.starts_with(name.substr(0, name.size() - 1)) &&
                name.size() > longest) {
                longest = name.size();
                found = &axis;
            }
    }
    return found && *found != key ? found : nullptr;
}

/// W&B draws these metrics over another one's value; a step of the store is a whole number.
void WandbRun::putOnStepMetrics() {
    for (const auto& [key, steps] : m_stepAt) {
        auto& history = m_found.histories.at(key);
        if (steps.size() != history.size()) continue;
        const bool whole = std::all_of(steps.begin(), steps.end(), [](double step) {
            return step == std::floor(step) && std::fabs(step) <= kMaxStep;
        });
        if (!whole) {
            m_sink.note("Metric " + key + " of run " + firstNonEmpty(m_found.run.name, m_name) +
                        " keeps W&B's own step: the values of its step metric " + *stepMetricOf(key) +
                        " are not all whole numbers.");
            continue;
        }
        for (std::size_t i = 0; i < steps.size(); ++i) history[i].step = static_cast<std::int64_t>(steps[i]);
    }
}

void WandbRun::readFolder(const fs::path& folder) {
    const auto files = fs::exists(folder / "files") ? folder / "files" : folder;
    const auto json = [&](const char* name) {
        const auto file = files / name;
        return fs::exists(file) ? lenientJson(readFile(file)) : Json();
    };
    // the folder is named [offline-]run-<date>_<time>-<id>
    const std::string name = folder.filename().string();
    m_id = name.substr(name.rfind('-') + 1);
    auto& run = m_found.run;
    run.name = m_id;
    setTag(run, "wandb.id", m_id);
    const Json metadata = json("wandb-metadata.json");
    if (metadata.is_object()) {
        setTag(run, "wandb.host", metadata.value("host", ""));
        if (const auto git = metadata.find("git"); git != metadata.end() && git->is_object())
            setTag(run, "mlflow.source.git.commit", git->value("commit", ""));
    }
    if (const auto config = files / "config.yaml"; fs::exists(config)) try {
            for (const auto& entry : YAML::LoadFile(config.string())) {
                const auto& value = entry.second;
                if (value.IsMap() && value["value"])
                    m_config[entry.first.Scalar()] = jsonFromYaml(value["value"]);
            }
        } catch (const YAML::Exception&) {
            m_sink.addSkipped("the config in " + config.string(), "it is not readable as YAML");
        }

    const auto history = readFile(files / "wandb-history.jsonl");
    std::int64_t step = 0;
    for (const auto& line : split(history, '\n')) {
        if (trim(line).empty()) continue;
        const Json row = lenientJson(line);
        if (!row.is_object()) {
            m_sink.addSkipped("unreadable lines in " + (files / "wandb-history.jsonl").string(),
                              "a line is one JSON object");
            continue;
        }
        FlatValues values(m_sink);
        for (const auto& [key, value] : row.items()) values.add(key, value);
        addRow(values, step++);
    }
    if (const Json summary = json("wandb-summary.json"); summary.is_object()) {
        FlatValues values(m_sink, FlatValues::Account::Silent);
        for (const auto& [key, value] : summary.items()) values.add(key, value);
        for (const auto& [key, value] : values.numbers()) m_summary[key] = value;
        m_exitCode = 0;  // written at the end; these clients left no exit code
    }
}

SourceRun WandbRun::finish(const std::string& experiment) {
    auto& run = m_found.run;
    run.id = derivedRunId({"wandb", m_entity, m_project, m_id});
    run.experiment = m_project.empty() ? experiment : m_project;
    for (const auto& [key, value] : m_config.items())
        if (!key.starts_with('_')) flattenConfig(key, value, run.params);
    putOnStepMetrics();
    // what the author put into the summary alone
    std::int64_t points = 0;
    for (const auto& [key, value] : m_summary)
        if (!key.starts_with('_') && !m_found.histories.contains(key))
            m_found.histories[key].push_back({m_lastStep, std::max(m_lastMs, m_startMs), value});
    for (const auto& [key, history] : m_found.histories) points += static_cast<std::int64_t>(history.size());
    m_sink.reportProgress(m_name, points);
    run.startMs = m_startMs;
    run.endMs = std::max(m_startMs, m_lastMs);
    // W&B calls a run that stopped without saying so crashed; a later import takes what came after
    run.status = m_exitCode == 0 ? RunStatus::Finished : m_exitCode ? RunStatus::Failed : RunStatus::Killed;
    return std::move(m_found);
}

}  // namespace

bool isWandbFile(const fs::path& file) {
    if (file.extension() != ".wandb") return false;
    return WandbLogReader(file).isWandb();
}

bool isWandbRunFolder(const fs::path& folder) {
    return fs::is_regular_file(folder / "files" / "wandb-history.jsonl") ||
           fs::is_regular_file(folder / "wandb-history.jsonl");
}

void readWandb(const fs::path& root, const Places& places, ImportSink& sink) {
    const std::string experiment = root.stem().string();
    // a run that was resumed has several files, which sort by their folders' dates
    std::map<std::string, std::vector<fs::path>> filesOf;
    for (const auto& place : places)
        if (!fs::is_directory(place)) filesOf[place.stem().string()].push_back(place);
    for (const auto& [name, files] : filesOf) {
        // two projects may use one id, so what belongs together is known only after reading
        std::map<std::string, std::unique_ptr<WandbRun>> byIdentity;
        for (const auto& file : files) {
            auto run = std::make_unique<WandbRun>(sink, name);
            run->readRunFile(file);
            if (run->isEmpty()) {
                sink.addSkipped(file.string(), "it holds no run yet");
                continue;
            }
            const auto [known, isNew] = byIdentity.try_emplace(run->identity(), std::move(run));
            if (!isNew) known->second->readRunFile(file);
        }
        for (const auto& [identity, run] : byIdentity) sink.take(run->finish(experiment));
    }
    for (const auto& folder : places) {
        if (!fs::is_directory(folder)) continue;
        WandbRun run(sink, folder.filename().string());
        run.readFolder(folder);
        sink.take(run.finish(experiment));
    }
}

}  // namespace dailies::exchange
