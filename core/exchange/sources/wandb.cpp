// W&B runs that were written offline: the run file (run-<id>.wandb) of every client since 2020, or the
// readable files that clients before wrote (files/config.yaml, wandb-history.jsonl, wandb-summary.json,
// wandb-metadata.json).
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/exchange/derived_run_id.h"
#include "core/exchange/sources/file_window.h"
#include "core/exchange/sources/sources.h"
#include "core/sources/wandb_records.h"
#include "core/sources/wandb_values.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <proto/wandb_record.pb.h>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

using sources::FlatValues;
using sources::ForeignJson;
using sources::lenientJson;
using tracking::RunStatus;
namespace wandb = sources::wandb;

constexpr double kMaxStep = 9e15;  // up to which a double tells whole numbers apart
constexpr double kNoStep = std::numeric_limits<double>::quiet_NaN();

constexpr const char* kOnlyNumbers = "only numbers are imported";

ForeignJson jsonFromYaml(const YAML::Node& node) {
    if (node.IsMap()) {
        ForeignJson object = ForeignJson::object();
        for (const auto& entry : node) object[entry.first.Scalar()] = jsonFromYaml(entry.second);
        return object;
    }
    if (node.IsSequence()) {
        ForeignJson list = ForeignJson::array();
        for (const auto& entry : node) list.push_back(jsonFromYaml(entry));
        return list;
    }
    return node.IsScalar() ? ForeignJson(node.Scalar()) : ForeignJson();
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
    void on(const wandb::History& history);
    void on(const wandb::Summary& summary);
    void addRow(const FlatValues& row, std::int64_t step);
    void tellUnread();
    void putOnStepMetrics();

    ImportSink& m_sink;
    std::string m_name, m_id, m_entity, m_project;
    SourceRun m_found;
    ForeignJson m_config = ForeignJson::object();
    std::map<std::string, double> m_summary;
    sources::StepMetrics m_stepMetrics;
    sources::Collector m_unread;  ///< counts what is no number
    std::map<std::string, std::vector<double>>
        m_stepAt;                            ///< parallel to the histories of those that have one
    std::map<std::string, double> m_lastOf;  ///< of each step metric
    std::int64_t m_startMs = 0, m_lastMs = 0, m_lastStep = 0, m_rows = 0;
    std::optional<int> m_exitCode;
};

void WandbRun::readRunFile(const fs::path& file) {
    using Kind = sources::WandbRecords::Kind;
    FileWindow window(file);
    window.readMore();
    if (!sources::isWandbHeader(window.bytes()))
        return m_sink.addSkipped(file.string(), "it is not a W&B run file (bad header)");
    window.consume(sources::kWandbHeaderBytes);
    wandb::Record record;
    std::string_view bytes;
    Kind kind = Kind::Partial;
    do {
        sources::WandbRecords records(window.bytes(), window.offset());
        while ((kind = records.next(bytes)) == Kind::Whole) {
            if (!record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
                kind = Kind::Damaged;
                break;
            }
            on(record);
        }
        window.consume(records.consumed());
    } while (kind == Kind::Partial && window.readMore());
    tellUnread();
    const std::string place = file.string() + " after byte " + std::to_string(window.offset());
    if (kind == Kind::Damaged)
        m_sink.addSkipped(place, "a record is damaged (its checksum does not fit)");
    else if (window.left() > 0)
        m_sink.addSkipped(place, "the file stops in the middle of a record; import it again once it goes on");
}

void WandbRun::tellUnread() {
    for (const auto& [what, count] : m_unread.takeUnread()) m_sink.addSkipped(what, kOnlyNumbers, count);
}

void WandbRun::on(const wandb::Record& record) {
    switch (record.record_type_case()) {
        case wandb::Record::kRun:
            return on(record.run());
        case wandb::Record::kConfig:
            return sources::applyConfig(record.config(), m_config);
        case wandb::Record::kHistory:
            return on(record.history());
        case wandb::Record::kSummary:
            return on(record.summary());
        case wandb::Record::kMetric:
            return m_stepMetrics.add(record.metric());
        case wandb::Record::kExit:
            m_exitCode = record.exit().exit_code();
            m_lastMs = std::max(m_lastMs, m_startMs + std::int64_t{1000} * record.exit().runtime());
            return;
        case wandb::Record::kStats:
            return m_sink.addSkipped("system metrics", "only what the run logged is imported");
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
    for (const auto& [key, value] : sources::tagsOf(record)) run.tags[key] = value;
    sources::applyConfig(record.config(), m_config);
    on(record.summary());
}

void WandbRun::on(const wandb::History& history) {
    FlatValues row(&m_unread);
    row.add(history);
    addRow(row, history.step().num());
}

void WandbRun::addRow(const FlatValues& row, std::int64_t step) {
    const auto numbers = row.numbers();
    for (const auto& media : row.media()) m_unread.unread("media (" + media.type + ")");
    std::int64_t timeMs = m_lastMs;
    for (const auto& [key, value] : numbers) {
        if (key == "_step") step = static_cast<std::int64_t>(value);
        if (key == "_timestamp") timeMs = std::llround(value * 1000.0);
    }
    if (timeMs == 0) timeMs = m_startMs;
    if (m_startMs == 0) m_startMs = timeMs;
    m_lastMs = std::max(m_lastMs, timeMs);
    m_lastStep = std::max(m_lastStep, step);
    if (!m_stepMetrics.empty())
        for (const auto& [key, value] : numbers) m_lastOf[key] = value;
    std::int64_t points = 0;
    for (const auto& [key, value] : numbers)
        if (!key.starts_with('_')) {
            auto& history = m_found.histories[key];
            if (const auto* axis = m_stepMetrics.of(key)) {
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
    FlatValues values(nullptr);  // the history's own values again
    values.add(summary);
    for (const auto& [key, value] : values.numbers()) m_summary[key] = value;
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
                        " keeps W&B's own step: the values of its step metric " + *m_stepMetrics.of(key) +
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
        return fs::exists(file) ? lenientJson(readFile(file)) : ForeignJson();
    };
    // the folder is named [offline-]run-<date>_<time>-<id>
    const std::string name = folder.filename().string();
    m_id = name.substr(name.rfind('-') + 1);
    auto& run = m_found.run;
    run.name = m_id;
    setTag(run, "wandb.id", m_id);
    const ForeignJson metadata = json("wandb-metadata.json");
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
        const ForeignJson row = lenientJson(line);
        if (!row.is_object()) {
            m_sink.addSkipped("unreadable lines in " + (files / "wandb-history.jsonl").string(),
                              "a line is one JSON object");
            continue;
        }
        FlatValues values(&m_unread);
        for (const auto& [key, value] : row.items()) values.add(key, value);
        addRow(values, step++);
    }
    tellUnread();
    if (const ForeignJson summary = json("wandb-summary.json"); summary.is_object()) {
        FlatValues values(nullptr);
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
        if (!key.starts_with('_'))
            sources::flattenConfig(key, value, [&](const std::string& name, std::string text) {
                run.params[name] = std::move(text);
            });
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
    FileWindow window(file);
    window.readMore();
    return sources::isWandbHeader(window.bytes());
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
