// TensorBoard's event files. As TensorBoard does it, each folder that holds some is a run, whose files are
// read in the order of their names. Only the folder that PyTorch's add_hparams makes below a run's own, for
// its hyperparameters and final metrics, belongs to that run.
#include "core/digest/sha256.h"
#include "core/exchange/derived_run_id.h"
#include "core/exchange/sources/file_window.h"
#include "core/exchange/sources/sources.h"
#include "core/sources/event_reader.h"
#include "core/sources/tfrecord.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

using tracking::RunStatus;

constexpr const char* kOnlyScalars = "only scalars, short texts and hyperparameters are imported";

std::int64_t toMillis(double seconds) {
    return std::isfinite(seconds) ? std::llround(seconds * 1000.0) : 0;
}

/// What the events of one folder add up to.
class EventFolder {
public:
    explicit EventFolder(ImportSink& sink) : m_sink(&sink) {}

    void read(const fs::path& file);
    SourceRun finish(const std::string& name, const std::string& folderName, const std::string& experiment);
    bool isEmpty() const { return m_firstFile.empty(); }
    bool hasContent() const { return !found().metrics.empty() || !found().params.empty(); }
    /// Whether it holds no more than what add_hparams writes: a session's params and one value of each
    /// metric.
    bool isHParamsAlone() const;
    const tracking::KeyedValues<std::string>& params() const { return found().params; }
    /// Adds what the folder of its hyperparameters holds.
    void takeHParams(const EventFolder& hparams);

private:
    const sources::Findings& found() const { return m_found.findings(); }

    ImportSink* m_sink;
    sources::Collector m_found{sources::Limits::none()};
    sources::EventReader m_events;
    std::string m_firstFile;
    double m_lastTime = 0, m_start = 0, m_end = 0;  ///< of its hyperparameters' folders
    bool m_failed = false;
};

void EventFolder::read(const fs::path& file) {
    using Kind = sources::TfRecord::Kind;
    FileWindow window(file);
    const auto item = file.parent_path().filename().string();
    std::int64_t told = m_found.points();
    const auto tell = [&] {
        m_sink->reportProgress(item, m_found.points() - std::exchange(told, m_found.points()));
    };
    sources::TfRecord record;
    for (;;) {
        record = sources::readTfRecord(window.bytes());
        // before the memory is taken: the length may be a lie
        if (record.kind == Kind::Partial && record.size <= window.left() && window.readMore()) continue;
        if (record.kind != Kind::Whole) break;
        if (!m_events.read(record.data, m_found)) {
            record.kind = Kind::Damaged;
            break;
        }
        for (std::size_t i = 0; i < found().media.size(); ++i) m_found.unread("images");
        m_found.findings().media.clear();
        if (m_firstFile.empty()) m_firstFile = file.filename().string();
        window.consume(static_cast<std::size_t>(record.size));
        if (m_found.points() - told >= 10'000) tell();
    }
    tell();
    for (const auto& [what, count] : m_found.takeUnread()) m_sink->addSkipped(what, kOnlyScalars, count);
    if (m_found.excesses().contains(sources::Collector::kLongTexts))
        m_sink->addSkipped(sources::Collector::kLongTexts, "a tag holds at most 5,000 bytes");
    const std::string place = file.string() + " after byte " + std::to_string(window.offset());
    if (record.kind == Kind::Damaged)
        m_sink->addSkipped(place, "a record is damaged (its checksum does not fit)");
    else if (window.left() > 0)
        m_sink->addSkipped(place,
                           "the file stops in the middle of a record; import it again once it goes on");
}

bool EventFolder::isHParamsAlone() const {
    return m_events.session().started && m_events.session().ended && found().tags.empty() &&
           std::all_of(found().metrics.begin(), found().metrics.end(),
                       [](const auto& history) { return history.second.size() <= 1; });
}

void EventFolder::takeHParams(const EventFolder& hparams) {
    auto& own = m_found.findings();
    for (const auto& [key, value] : hparams.found().params) own.params.emplace(key, value);
    // the last value of a curve that is there already would stand at step 0
    for (const auto& [key, points] : hparams.found().metrics) own.metrics.emplace(key, points);
    const auto& session = hparams.m_events.session();
    if (session.start > 0) m_start = m_start > 0 ? std::min(m_start, session.start) : session.start;
    m_end = std::max(m_end, session.end);
    m_lastTime = std::max(m_lastTime, hparams.m_events.lastTime());
    m_failed = session.failed;
}

SourceRun EventFolder::finish(const std::string& name, const std::string& folderName,
                              const std::string& experiment) {
    auto& found = m_found.findings();
    SourceRun result;
    result.histories = std::move(found.metrics);
    auto& run = result.run;
    run.params = std::move(found.params);
    run.tags = std::move(found.tags);
    const auto& session = m_events.session();
    if (session.start > 0) m_start = m_start > 0 ? std::min(m_start, session.start) : session.start;
    m_end = std::max(m_end, session.end);
    m_lastTime = std::max(m_lastTime, m_events.lastTime());
    Sha256 time;
    time.addNumber(m_events.firstTime());
    run.id = derivedRunId({"tensorboard", folderName, m_firstFile, time.hex(kIdDigits)});
    run.name = name;
    run.experiment = experiment;
    // an event file does not say whether its run goes on; a later import takes a later end
    run.status = m_failed || session.failed ? RunStatus::Failed : RunStatus::Finished;
    run.startMs = toMillis(m_start > 0 ? m_start : m_events.firstTime());
    run.endMs = std::max(run.startMs, toMillis(m_end > 0 ? m_end : m_lastTime));
    return result;
}

}  // namespace

bool isEventFile(const fs::path& file) {
    return file.filename().string().find("tfevents") != std::string::npos;
}

namespace {

constexpr std::uintmax_t kMaxHParamsBytes = 1 << 20;  // five records each, where thousands of params are few

using FilesOf = std::map<fs::path, std::vector<fs::path>>;

/// Reads the small folders below other runs' own: among them are those of hyperparameters.
std::map<fs::path, EventFolder> readSmallOnes(const FilesOf& filesOf, ImportSink& sink) {
    std::map<fs::path, EventFolder> readers;
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
    std::map<fs::path, std::vector<const EventFolder*>> hparamsOf;
    for (const auto& [folder, reader] : small)
        if (reader.isHParamsAlone()) hparamsOf[folder.parent_path()].push_back(&reader);

    std::set<fs::path> joined;  // their runs are taken first: a folder sorts before those in it
    for (const auto& [folder, ownFiles] : filesOf) {
        if (joined.contains(folder.parent_path()) && small.contains(folder) &&
            small.at(folder).isHParamsAlone())
            continue;
        EventFolder reader(sink);
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
