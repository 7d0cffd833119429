// TensorBoard's event files. As TensorBoard does it, each folder that holds some is a run, whose files are
// read in the order of their names. Only the folder that PyTorch's add_hparams makes below a run's own, for
// its hyperparameters and final metrics, belongs to that run.
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/digest/sha256.h"
#include "core/exchange/derived_run_id.h"
#include "core/exchange/sources/sources.h"
#include "core/exchange/sources/tensor_value.h"
#include "core/exchange/sources/tfrecord.h"

#include <algorithm>
#include <cmath>
#include <proto/tensorboard_event.pb.h>
#include <set>
#include <unordered_map>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

using tracking::RunStatus;

constexpr std::size_t kLongestText = 5'000;  // what MLflow's servers take for a tag's value
constexpr const char* kOnlyNumbers = "only scalars, short texts and hyperparameters are imported";

std::int64_t toMillis(double seconds) {
    return std::isfinite(seconds) ? std::llround(seconds * 1000.0) : 0;
}

/// What the events of one folder add up to.
class EventReader {
public:
    explicit EventReader(ImportSink& sink) : m_sink(&sink) {}

    void read(const fs::path& file);
    SourceRun finish(const std::string& name, const std::string& folderName, const std::string& experiment);
    bool isEmpty() const { return m_firstFile.empty(); }
    bool hasContent() const { return !m_found.histories.empty() || !m_found.run.params.empty(); }
    /// Whether it holds no more than what add_hparams writes: a session's params and one value of each
    /// metric.
    bool isHParamsAlone() const;
    const tracking::KeyedValues<std::string>& params() const { return m_found.run.params; }
    /// Adds what the folder of its hyperparameters holds.
    void takeHParams(const EventReader& hparams);

private:
    void on(const tensorboard::Event& event);
    void on(const tensorboard::Event& event, const tensorboard::Summary::Value& value);
    void onHParams(const std::string& content);
    void onText(const std::string& tag, const tensorboard::Tensor& tensor);
    void purgeFrom(std::int64_t step);

    ImportSink* m_sink;
    SourceRun m_found;
    // the plugin is named by the first value of a tag alone in some writers' files
    std::unordered_map<std::string, std::string> m_pluginOf;
    std::string m_firstFile;
    double m_firstTime = 0, m_lastTime = 0, m_start = 0, m_end = 0;
    RunStatus m_status = RunStatus::Finished;
    bool m_sessionStarted = false, m_sessionEnded = false;
    std::int64_t m_unreported = 0;
};

void EventReader::read(const fs::path& file) {
    TfRecordReader records(file);
    tensorboard::Event event;
    std::string_view record;
    auto end = records.next(record);
    for (; end == TfRecordReader::End::None; end = records.next(record)) {
        if (!event.ParseFromArray(record.data(), static_cast<int>(record.size()))) {
            end = TfRecordReader::End::Damaged;
            break;
        }
        if (m_firstFile.empty()) {
            m_firstFile = file.filename().string();
            m_firstTime = event.wall_time();
        }
        on(event);
        if (m_unreported >= 10'000) {
            m_sink->reportProgress(file.parent_path().filename().string(), m_unreported);
            m_unreported = 0;
        }
    }
    m_sink->reportProgress(file.parent_path().filename().string(), m_unreported);
    m_unreported = 0;
    const std::string place = file.string() + " after byte " + std::to_string(records.offset());
    if (end == TfRecordReader::End::Torn)
        m_sink->addSkipped(place,
                           "the file stops in the middle of a record; import it again once it goes on");
    if (end == TfRecordReader::End::Damaged)
        m_sink->addSkipped(place, "a record is damaged (its checksum does not fit)");
}

void EventReader::on(const tensorboard::Event& event) {
    m_lastTime = std::max(m_lastTime, event.wall_time());
    if (event.session_log().status() == tensorboard::SessionLog::START) purgeFrom(event.step());
    for (const auto& value : event.summary().value()) on(event, value);
}

void EventReader::on(const tensorboard::Event& event, const tensorboard::Summary::Value& value) {
    if (value.tag().starts_with("_hparams_/")) return onHParams(value.metadata().plugin().content());
    const auto addPoint = [&](double number) {
        m_found.histories[value.tag()].push_back({event.step(), toMillis(event.wall_time()), number});
        ++m_unreported;
    };
    switch (value.value_case()) {
        case tensorboard::Summary::Value::kSimpleValue:
            return addPoint(static_cast<double>(value.simple_value()));
        case tensorboard::Summary::Value::kImage:
            return m_sink->addSkipped("images", kOnlyNumbers);
        case tensorboard::Summary::Value::kHistogram:
            return m_sink->addSkipped("histograms", kOnlyNumbers);
        case tensorboard::Summary::Value::kAudio:
            return m_sink->addSkipped("sounds", kOnlyNumbers);
        case tensorboard::Summary::Value::VALUE_NOT_SET:
            return;
        case tensorboard::Summary::Value::kTensor:
            break;
    }
    auto& plugin = m_pluginOf[value.tag()];
    if (!value.metadata().plugin().name().empty()) plugin = value.metadata().plugin().name();
    if (plugin == "text") return onText(value.tag(), value.tensor());
    if (plugin.empty() || plugin == "scalars")
        if (const auto number = scalarOf(value.tensor())) return addPoint(*number);
    m_sink->addSkipped(plugin.empty() ? "tensors" : plugin, kOnlyNumbers);
}

void EventReader::onHParams(const std::string& content) {
    tensorboard::HParamsData data;
    if (!data.ParseFromString(content)) return;
    m_sessionStarted |= data.has_session_start();
    m_sessionEnded |= data.has_session_end();
    for (const auto& [key, value] : data.session_start().hparams()) {
        auto& param = m_found.run.params[key];
        switch (value.kind_case()) {
            case tensorboard::HParam::kNumberValue:
                param = shortNumber(value.number_value());
                break;
            case tensorboard::HParam::kStringValue:
                param = value.string_value();
                break;
            case tensorboard::HParam::kBoolValue:
                param = value.bool_value() ? "True" : "False";
                break;
            default:
                param = "None";
        }
    }
    if (data.has_session_start() && data.session_start().start_time() > 0)
        m_start = data.session_start().start_time();
    if (data.has_session_end()) {
        m_end = data.session_end().end_time();
        m_status = data.session_end().status() == 2 ? RunStatus::Failed : RunStatus::Finished;
    }
}

void EventReader::onText(const std::string& tag, const tensorboard::Tensor& tensor) {
    if (tensor.string_val().empty()) return;
    // PyTorch's writer adds the plugin's own name to what the author called it
    constexpr std::string_view kSuffix = "/text_summary";
    const std::string name = tag.ends_with(kSuffix) ? tag.substr(0, tag.size() - kSuffix.size()) : tag;
    const std::string& text = tensor.string_val(0);
    if (text.size() > kLongestText)
        return m_sink->addSkipped("long texts", "a tag holds at most 5,000 bytes");
    m_found.run.tags[name] = text;  // the last one said
}

/// A restart from a checkpoint writes its steps again; TensorBoard forgets the earlier ones, and so does
/// this.
void EventReader::purgeFrom(std::int64_t step) {
    for (auto& [key, points] : m_found.histories)
        std::erase_if(points, [&](const tracking::MetricPoint& point) { return point.step >= step; });
    std::erase_if(m_found.histories, [](const auto& history) { return history.second.empty(); });
}

bool EventReader::isHParamsAlone() const {
    return m_sessionStarted && m_sessionEnded && m_found.run.tags.empty() &&
           std::all_of(m_found.histories.begin(), m_found.histories.end(),
                       [](const auto& history) { return history.second.size() <= 1; });
}

void EventReader::takeHParams(const EventReader& hparams) {
    const auto& [run, histories] = hparams.m_found;
    for (const auto& [key, value] : run.params) m_found.run.params.emplace(key, value);
    // the last value of a curve that is there already would stand at step 0
    for (const auto& [key, points] : histories) m_found.histories.emplace(key, points);
    if (hparams.m_start > 0) m_start = m_start > 0 ? std::min(m_start, hparams.m_start) : hparams.m_start;
    m_end = std::max(m_end, hparams.m_end);
    m_lastTime = std::max(m_lastTime, hparams.m_lastTime);
    m_status = hparams.m_status;
}

SourceRun EventReader::finish(const std::string& name, const std::string& folderName,
                              const std::string& experiment) {
    auto& run = m_found.run;
    Sha256 time;
    time.addNumber(m_firstTime);
    run.id = derivedRunId({"tensorboard", folderName, m_firstFile, time.hex(kIdDigits)});
    run.name = name;
    run.experiment = experiment;
    // an event file does not say whether its run goes on; a later import takes a later end
    run.status = m_status;
    run.startMs = toMillis(m_start > 0 ? m_start : m_firstTime);
    run.endMs = std::max(run.startMs, toMillis(m_end > 0 ? m_end : m_lastTime));
    return std::move(m_found);
}

}  // namespace

bool isEventFile(const fs::path& file) {
    return file.filename().string().find("tfevents") != std::string::npos;
}

namespace {

constexpr std::uintmax_t kMaxHParamsBytes = 1 << 20;  // five records each, where thousands of params are few

using FilesOf = std::map<fs::path, std::vector<fs::path>>;

/// Reads the small folders below other runs' own: among them are those of hyperparameters.
std::map<fs::path, EventReader> readSmallOnes(const FilesOf& filesOf, ImportSink& sink) {
    std::map<fs::path, EventReader> readers;
    for (const auto& [folder, files] : filesOf) {
        if (!filesOf.contains(folder.parent_path())) continue;
        std::uintmax_t bytes = 0;
        std::error_code problem;
        for (const auto& file : files) bytes += fs::file_size(file, problem);
        if (problem || bytes > kMaxHParamsBytes) continue;
        auto& reader = readers.try_emplace(folder, sink).first->second;
        for (const auto& file : files) reader.read(file);
    }
    return readers;
}

}  // namespace

void readTensorBoard(const fs::path& rootOrFile, const Places& files, ImportSink& sink) {
    const fs::path root = fs::is_directory(rootOrFile) ? rootOrFile : rootOrFile.parent_path();
    FilesOf filesOf;
    for (const auto& file : files) filesOf[file.parent_path()].push_back(file);
    auto small = readSmallOnes(filesOf, sink);
    std::map<fs::path, std::vector<const EventReader*>> hparamsOf;
    for (const auto& [folder, reader] : small)
        if (reader.isHParamsAlone()) hparamsOf[folder.parent_path()].push_back(&reader);

    std::set<fs::path> joined;  // their runs are taken first: a folder sorts before those in it
    for (const auto& [folder, ownFiles] : filesOf) {
        if (joined.contains(folder.parent_path()) && small.contains(folder) &&
            small.at(folder).isHParamsAlone())
            continue;
        EventReader reader(sink);
        if (const auto known = small.find(folder); known != small.end())
            reader = known->second;
        else
            for (const auto& file : ownFiles) reader.read(file);
        if (reader.isEmpty()) continue;
        if (const auto hparams = hparamsOf.find(folder); hparams != hparamsOf.end()) {
            // those that disagree are trials that one writer logged: each is a run of its own
            const auto& params = hparams->second.front()->params();
            const bool agree = std::all_of(hparams->second.begin(), hparams->second.end(),
                                           [&](const auto* entry) { return entry->params() == params; });
            if (agree) {
                for (const auto* entry : hparams->second) reader.takeHParams(*entry);
                joined.insert(folder);
            } else if (!reader.hasContent()) {
                continue;
            }
        }
        const auto name = folder == root ? root.filename() : folder.lexically_relative(root);
        sink.take(reader.finish(name.generic_string(), folder.filename().string(), root.filename().string()));
    }
}

}  // namespace dailies::exchange
