#include "core/exchange/import_sink.h"

#include "core/base/error.h"
#include "core/tracking/imported_run.h"

#include <algorithm>

namespace dailies::exchange {

void addSkipped(std::vector<SkippedItem>& list, std::string what, std::string why, std::int64_t count) {
    for (auto& entry : list)
        if (entry.what == what && entry.why == why) {
            entry.count += count;
            return;
        }
    list.push_back({std::move(what), std::move(why), count});
}

ImportSink::ImportSink(tracking::Store& store, const std::filesystem::path& source,
                       const ImportOptions& options, const ProgressHandler& progress, std::stop_token stop)
    : m_store(store), m_source(source), m_options(options), m_tell(progress), m_stop(std::move(stop)) {}

void ImportSink::begin(const FoundSource& source) {
    m_summary.sources.push_back({.kind = source.kind, .what = source.what});
}

std::string ImportSink::experimentFor(const std::string& name) const {
    if (!m_options.experiment.empty()) return m_options.experiment;
    return name.empty() ? "imported" : name;
}

void ImportSink::take(SourceRun&& found) {
    reportProgress(found.run.name);
    auto& run = found.run;
    run.experiment = experimentFor(run.experiment);
    run.tags.emplace(tracking::tag::kImportedFrom, m_source.string());
    const auto done = m_store.importRun(run, found.histories);
    auto& account = m_summary.sources.back();
    if (done.isNew)
        ++account.runsAdded;
    else if (done.changed)
        ++account.runsExtended;
    else
        ++account.runsUnchanged;
    account.pointsAdded += done.pointsAdded;
    ++m_progress.runs;
}

void ImportSink::reportProgress(const std::string& what, std::int64_t points) {
    if (m_stop.stop_requested()) throw Cancelled();
    m_progress.points += points;
    const auto now = std::chrono::steady_clock::now();
    if (!m_tell || now - m_told < std::chrono::milliseconds(100)) return;
    m_told = now;
    m_progress.currentItem = what;
    m_tell(m_progress);
}

void ImportSink::addSkipped(std::string what, std::string why, std::int64_t count) {
    exchange::addSkipped(m_summary.skipped, std::move(what), std::move(why), count);
}

void ImportSink::addSkipped(const std::vector<SkippedItem>& entries) {
    for (const auto& entry : entries) addSkipped(entry.what, entry.why, entry.count);
}

void ImportSink::note(std::string sentence) {
    auto& notes = m_summary.notes;
    if (std::find(notes.begin(), notes.end(), sentence) == notes.end()) notes.push_back(std::move(sentence));
}

std::optional<std::int64_t> ImportSink::knownStart(const std::string& runId) const {
    const auto run = m_store.run(runId);
    return run ? std::optional(run->startMs) : std::nullopt;
}

}  // namespace dailies::exchange
