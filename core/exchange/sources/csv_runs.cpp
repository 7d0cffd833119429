// CSV files of metrics. With columns `key` and `value` (and `run` or `run_id`, `step`, `timestamp`) a line is
// one point; otherwise a file is one run, with a step column and a column a metric.
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/exchange/csv.h"
#include "core/exchange/derived_run_id.h"
#include "core/exchange/numbers.h"
#include "core/exchange/sources/sources.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kReportEvery = 1'000;

std::string lowerCase(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

class Header {
public:
    explicit Header(std::vector<std::string> names) : m_names(std::move(names)) {
        for (auto& name : m_names) name = std::string(trim(name));
    }

    /// The column of the first of these names that there is.
    std::optional<std::size_t> find(std::initializer_list<std::string_view> names) const {
        for (const auto name : names)
            for (std::size_t i = 0; i < m_names.size(); ++i)
                if (lowerCase(m_names[i]) == name) return i;
        return std::nullopt;
    }

    const std::vector<std::string>& names() const { return m_names; }

    std::optional<std::size_t> step() const {
        return find({"step", "global_step", "_step", "iteration", "iter", "epoch"});
    }
    std::optional<std::size_t> time() const {
        return find({"timestamp", "_timestamp", "wall_time", "wall time", "time"});
    }

private:
    std::vector<std::string> m_names;
};

std::string_view cell(const std::vector<std::string>& fields, std::optional<std::size_t> column) {
    return column && *column < fields.size() ? trim(fields[*column]) : std::string_view();
}

/// Unix time in seconds or milliseconds; anything smaller counts from another origin, which is not known.
std::optional<std::int64_t> parseTime(std::string_view text) {
    const auto number = parseNumber(text);
    if (!number || !std::isfinite(*number) || *number < 1e8 || *number > 1e15) return std::nullopt;
    return std::llround(*number < 1e11 ? *number * 1000.0 : *number);
}

/// "12", and "12.0" as pandas writes a column with gaps.
std::optional<std::int64_t> parseStep(std::string_view text) {
    if (const auto whole = parseInteger(text)) return whole;
    const auto number = parseNumber(text);
    if (!number || *number != std::floor(*number) || std::fabs(*number) > 9e15) return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

std::int64_t modifiedMs(const fs::path& file) {
    const auto time = std::chrono::file_clock::to_sys(fs::last_write_time(file));
    return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

class CsvFile {
public:
    CsvFile(const fs::path& file, Intake& intake)
        : m_path(file), m_intake(intake), m_text(file, std::ios::binary), m_reader(m_text) {
        if (!m_text) throw Error("Cannot read " + file.string() + ".", "Check its permissions.");
    }

    std::int64_t read() {
        std::vector<std::string> fields;
        if (!m_reader.next(fields)) {
            m_intake.leaveOut(m_path.string(), "it is empty");
            return 0;
        }
        const Header header(std::move(fields));
        if (header.find({"key", "metric"}) && header.find({"value"})) return readLongForm(header);
        if (header.find({"run_id"}) && header.find({"status"})) {
            m_intake.leaveOut(m_path.string(), "a table of runs has no curves; import one of metrics");
            return 0;
        }
        return readOneRun(header);
    }

private:
    /// Fills in what the points do not say, and hands the run over.
    void take(SourceRun&& found, bool timed) {
        auto& run = found.run;
        run.experiment = m_path.parent_path().filename().string();
        run.status = tracking::RunStatus::Finished;
        run.startMs = m_intake.knownStart(run.id).value_or(modifiedMs(m_path));
        std::int64_t first = INT64_MAX, last = 0;
        for (auto& [key, points] : found.histories)
            for (auto& point : points) {
                if (point.timestampMs == 0) point.timestampMs = run.startMs;
                first = std::min(first, point.timestampMs);
                last = std::max(last, point.timestampMs);
            }
        if (timed && last > 0) run.startMs = first;
        run.endMs = std::max(run.startMs, last);
        m_intake.take(std::move(found));
    }

    void damaged(const char* why) {
        m_intake.leaveOut("lines of " + m_path.string() + ", the first of them " +
                              std::to_string(m_firstDamaged ? m_firstDamaged : m_reader.line()),
                          why);
        if (!m_firstDamaged) m_firstDamaged = m_reader.line();
    }

    /// The next record; also one that holds no number counts for a request to stop.
    bool next(std::vector<std::string>& fields) {
        if (++m_records % kReportEvery == 0) {
            m_intake.reading(m_path.filename().string(), m_unreported);
            m_unreported = 0;
        }
        return m_reader.next(fields);
    }

    std::int64_t readOneRun(const Header& header) {
        const auto step = header.step(), time = header.time();
        SourceRun found;
        std::vector<std::vector<tracking::MetricPoint>> columns(header.names().size());
        std::vector<std::int64_t> texts(columns.size());
        std::vector<std::string> fields;
        for (std::int64_t row = 0; next(fields); ++row) {
            const auto at = step ? parseStep(cell(fields, step)) : std::optional(row);
            if (!at) {
                damaged("the step is no whole number");
                continue;
            }
            const auto when = parseTime(cell(fields, time)).value_or(0);
            for (std::size_t i = 0; i < columns.size(); ++i) {
                const auto text = cell(fields, i);
                if (i == step || i == time || text.empty()) continue;
                if (const auto value = parseNumber(text)) {
                    columns[i].push_back({*at, when, *value});
                    ++m_unreported;
                } else {
                    ++texts[i];
                }
            }
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (texts[i] > 0)
                m_intake.leaveOut("cells of column " + header.names()[i] + " in " + m_path.string(),
                                  "they are no numbers", texts[i]);
            if (!columns[i].empty()) found.histories[header.names()[i]] = std::move(columns[i]);
        }
        if (found.histories.empty()) {
            m_intake.leaveOut(
                m_path.string(),
                "no column holds numbers; a step column and metric columns, or columns run, key, "
                "step and value are accepted");
            return 0;
        }
        found.run.id = derivedRunId({"csv", m_path.string()});
        found.run.name = m_path.stem().string();
        take(std::move(found), time.has_value());
        return 1;
    }

    std::int64_t readLongForm(const Header& header) {
        const auto key = header.find({"key", "metric"}), value = header.find({"value"});
        const auto id = header.find({"run_id"}), name = header.find({"run", "run_name", "name"});
        const auto step = header.step(), time = header.time();
        std::map<std::string, SourceRun> runs;
        std::vector<std::string> fields;
        while (next(fields)) {
            const auto number = parseNumber(cell(fields, value));
            const auto at = step ? parseStep(cell(fields, step)) : std::optional<std::int64_t>(0);
            if (cell(fields, key).empty() || !number || !at) {
                damaged("a line is run, key, step and value");
                continue;
            }
            const std::string called(cell(fields, id ? id : name));
            auto& found = runs[called];
            if (found.run.id.empty()) {
                found.run.id = isId(called) ? called : derivedRunId({"csv", m_path.string(), called});
                found.run.name = cell(fields, name ? name : id);
                if (found.run.name.empty()) found.run.name = m_path.stem().string();
            }
            found.histories[std::string(cell(fields, key))].push_back(
                {*at, parseTime(cell(fields, time)).value_or(0), *number});
            ++m_unreported;
        }
        for (auto& [called, found] : runs) take(std::move(found), time.has_value());
        return static_cast<std::int64_t>(runs.size());
    }

    fs::path m_path;
    Intake& m_intake;
    std::ifstream m_text;
    CsvReader m_reader;
    std::int64_t m_records = 0, m_unreported = 0, m_firstDamaged = 0;
};

}  // namespace

bool isCsvFile(const fs::path& file) {
    const auto extension = lowerCase(file.extension().string());
    return extension == ".csv" || extension == ".tsv";
}

std::int64_t readCsv(const fs::path& fileOrFolder, Intake& intake) {
    std::int64_t runs = 0;
    for (const auto& file : filesBelow(fileOrFolder, isCsvFile)) runs += CsvFile(file, intake).read();
    return runs;
}

}  // namespace dailies::exchange
