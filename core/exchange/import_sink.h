#pragma once

#include "core/exchange/import.h"

#include <chrono>

namespace dailies::exchange {

/// One run as a source tells it.
struct SourceRun {
    tracking::Run run;
    tracking::MetricHistories histories;
};

/// Where a source's reader hands over what it finds: writes runs into the store and keeps the account.
class ImportSink {
public:
    ImportSink(tracking::Store& store, const std::filesystem::path& source, const ImportOptions& options,
               const ProgressHandler& progress, std::stop_token stop);

    /// The runs that are taken from now on are of this one.
    void begin(const FoundSource& source);

    /// Writes the run. Its experiment is replaced by the one that
    /// was asked for, its tags say where it comes from.
    void take(SourceRun&& found);

    /// The name that an experiment of the source has in the store.
    std::string experimentFor(const std::string& name) const;

    /// Every reader calls this every few thousand rows and at each file: tells the progress, and throws
    /// `Cancelled` when the work was stopped.
    void reportProgress(const std::string& what, std::int64_t points = 0);

    /// For what a reader waits for elsewhere.
    const std::stop_token& stop() const { return m_stop; }

    void addSkipped(std::string what, std::string why, std::int64_t count = 1);
    void addSkipped(const std::vector<SkippedItem>& entries);
    void note(std::string sentence);  ///< once, however often it is told

    /// When the run began, if it was imported before: points without a time of their own take this, so that
    /// they are the same the next time.
    std::optional<std::int64_t> knownStart(const std::string& runId) const;

    /// For what MLflow keeps beside runs.
    tracking::Store& store() { return m_store; }

    const ImportSummary& summary() const { return m_summary; }

private:
    tracking::Store& m_store;
    std::filesystem::path m_source;
    const ImportOptions& m_options;
    const ProgressHandler& m_tell;
    std::stop_token m_stop;
    Progress m_progress;
    std::chrono::steady_clock::time_point m_told{};
    ImportSummary m_summary;
};

}  // namespace dailies::exchange
