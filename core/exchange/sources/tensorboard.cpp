// TensorBoard's event files. As TensorBoard does it, each folder that holds some is a run, whose files are
// read in the order of their names.
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
    explicit EventReader(Intake& intake) : m_intake(intake) {}

    void read(const fs::path& file);
    SourceRun finish(const std::string& name, const std::string& folderName, const std::string& experiment);
    bool isEmpty() const { return m_firstFile.empty(); }

private:
    void on(const tensorboard::Event& event);
    void on(const tensorboard::Event& event, const tensorboard::Summary::Value& value);
    void onHParams(const std::string& content);
    void onText(const std::string& tag, const tensorboard::Tensor& tensor);
    void purgeFrom(std::int64_t step);

    Intake& m_intake;
    SourceRun m_found;
    // the plugin is named by the first value of a tag alone in some writers' files
    std::unordered_map<std::string, std::string> m_pluginOf;
    std::string m_firstFile;
    double m_firstTime = 0, m_lastTime = 0, m_start = 0, m_end = 0;
    RunStatus m_status = RunStatus::Finished;
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
            m_intake.reading(file.parent_path().filename().string(), m_unreported);
            m_unreported = 0;
        }
    }
    m_intake.reading(file.parent_path().filename().string(), m_unreported);
    m_unreported = 0;
    const std::string place = file.string() + " after byte " + std::to_string(records.offset());
    if (end == TfRecordReader::End::Torn)
        m_intake.leaveOut(place, "the file stops in the middle of a record; import it again once it goes on");
    if (end == TfRecordReader::End::Damaged)
        m_intake.leaveOut(place, "a record is damaged (its checksum does not fit)");
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
            return m_intake.leaveOut("images", kOnlyNumbers);
        case tensorboard::Summary::Value::kHistogram:
            return m_intake.leaveOut("histograms", kOnlyNumbers);
        case tensorboard::Summary::Value::kAudio:
            return m_intake.leaveOut("sounds", kOnlyNumbers);
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
    m_intake.leaveOut(plugin.empty() ? "tensors" : plugin, kOnlyNumbers);
}

void EventReader::onHParams(const std::string& content) {
    tensorboard::HParamsData data;
    if (!data.ParseFromString(content)) return;
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
    if (text.size() > kLongestText) return m_intake.leaveOut("long texts", "a tag holds at most 5,000 bytes");
    m_found.run.tags[name] = text;  // the last one said
}

/// A restart from a checkpoint writes its steps again; TensorBoard forgets the earlier ones, and so does
/// this.
void EventReader::purgeFrom(std::int64_t step) {
    for (auto& [key, points] : m_found.histories)
        std::erase_if(points, [&](const tracking::MetricPoint& point) { return point.step >= step; });
    std::erase_if(m_found.histories, [](const auto& history) { return history.second.empty(); });
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

std::int64_t readTensorBoard(const fs::path& fileOrFolder, Intake& intake) {
    const bool isFolder = fs::is_directory(fileOrFolder);
    const fs::path root = isFolder ? fileOrFolder : fileOrFolder.parent_path();
    std::map<fs::path, std::vector<fs::path>> filesOf;
    for (const auto& file : filesBelow(fileOrFolder, isEventFile))
        filesOf[file.parent_path()].push_back(file);
    std::int64_t runs = 0;
    for (const auto& [folder, files] : filesOf) {
        EventReader reader(intake);
        for (const auto& file : files) reader.read(file);
        if (reader.isEmpty()) continue;
        const auto name = folder == root ? root.filename() : folder.lexically_relative(root);
        intake.take(
            reader.finish(name.generic_string(), folder.filename().string(), root.filename().string()));
        ++runs;
    }
    return runs;
}

}  // namespace dailies::exchange
