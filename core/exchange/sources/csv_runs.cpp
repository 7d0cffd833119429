// CSV files of metrics. With columns `key` and `value` (and `run` or `run_id`, `step`, `timestamp`) a line is
// one point; otherwise a line is a step, with a column a metric, of the run that a column names or of the one
// that the file is.
#include "core/base/csv.h"
#include "core/base/ids.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/exchange/csv.h"
#include "core/exchange/derived_run_id.h"
#include "core/exchange/sources/sources.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <set>
#include <unordered_map>
#include <utility>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kReportEvery = 1'000;

/// The columns' names, each of them once: a name that comes again gets a number, as pandas does it, and a
/// column without one gets its place.
class Header {
public:
    explicit Header(std::vector<std::string> names) : m_names(std::move(names)) {
        for (auto& name : m_names) name = trim(unescapeCsvField(trim(name)));
        std::set<std::string> taken(m_names.begin(), m_names.end());
        std::set<std::string> seen;
        for (std::size_t i = 0; i < m_names.size(); ++i) {
            auto& name = m_names[i];
            if (name.empty()) {
                name = unique(taken, "column_" + std::to_string(i + 1), "_");
                m_unnamed.insert(i);
            } else if (!seen.insert(name).second) {
                auto& others = m_again[name];
                others.push_back(unique(taken, name + ".1", "."));
                name = others.back();
            }
        }
    }

    /// The column of the first of these names that there is.
    std::optional<std::size_t> find(std::initializer_list<std::string_view> names) const {
        for (const auto name : names)
            for (std::size_t i = 0; i < m_names.size(); ++i)
                if (lowered(m_names[i]) == name) return i;
        return std::nullopt;
    }

    const std::vector<std::string>& names() const { return m_names; }
    bool isUnnamed(std::size_t column) const { return m_unnamed.contains(column); }
    /// The names that stand there more than once, with those that the later columns have here.
    const std::map<std::string, std::vector<std::string>>& again() const { return m_again; }

    std::optional<std::size_t> step() const {
        return find({"step", "global_step", "_step", "iteration", "iter", "epoch"});
    }
    std::optional<std::size_t> time() const {
        return find({"timestamp", "_timestamp", "wall_time", "wall time", "time"});
    }
    std::optional<std::size_t> runId() const { return find({"run_id", "run id"}); }
    std::optional<std::size_t> runName() const { return find({"run", "run_name", "run name", "name"}); }
    bool isLongForm() const { return find({"key", "metric"}) && find({"value"}); }

private:
    /// `name`, or with the next number in the place of its own.
    static std::string unique(std::set<std::string>& taken, std::string name, const std::string& before) {
        for (int number = 2; !taken.insert(name).second; ++number)
            name = name.substr(0, name.rfind(before) + before.size()) + std::to_string(number);
        return name;
    }

    std::vector<std::string> m_names;
    std::set<std::size_t> m_unnamed;
    std::map<std::string, std::vector<std::string>> m_again;
};

std::string_view cell(const std::vector<std::string>& fields, std::optional<std::size_t> column) {
    return column && *column < fields.size() ? trim(fields[*column]) : std::string_view();
}

/// "0,5" and "1.234,5" as spreadsheets write them where the comma is no separator.
std::optional<double> parseCommaNumber(std::string_view text) {
    const auto comma = text.find(',');
    if (comma == std::string_view::npos || text.find(',', comma + 1) != std::string_view::npos)
        return std::nullopt;
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '.') {  // parts thousands
            const bool parts = i > 0 && i + 4 <= comma && (text[i + 4] == '.' || i + 4 == comma);
            if (!parts) return std::nullopt;
        } else {
            plain += i == comma ? '.' : text[i];
        }
    }
    return parseNumber(plain);
}

/// Reads the numbers of a file, which may have decimal commas where something else separates its columns.
class Numbers {
public:
    explicit Numbers(char separator) : m_commas(separator != ',') {}

    std::optional<double> number(std::string_view text) const {
        if (const auto plain = parseNumber(text)) return plain;
        return m_commas ? parseCommaNumber(text) : std::nullopt;
    }

    /// "12", and "12.0" as pandas writes a column with gaps.
    std::optional<std::int64_t> step(std::string_view text) const {
        if (const auto whole = parseInteger(text)) return whole;
        const auto value = number(text);
        if (!value || *value != std::floor(*value) || std::fabs(*value) > 9e15) return std::nullopt;
        return static_cast<std::int64_t>(*value);
    }

    /// Unix time in seconds or milliseconds; anything smaller counts from another origin, which is not known.
    std::optional<std::int64_t> time(std::string_view text) const {
        const auto value = number(text);
        if (!value || !std::isfinite(*value) || *value < 1e8 || *value > 1e15) return std::nullopt;
        return std::llround(*value < 1e11 ? *value * 1000.0 : *value);
    }

private:
    bool m_commas;
};

std::int64_t writtenMs(const fs::path& file) {
    const auto time = std::chrono::file_clock::to_sys(fs::last_write_time(file));
    return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

class CsvFile {
public:
    CsvFile(const fs::path& file, ImportSink& sink)
        : m_path(file),
          m_sink(sink),
          m_text(file, std::ios::binary),
          m_reader(m_text),
          m_numbers(m_reader.separator()) {}

    void read() {
        if (!m_text.is_open())
            return m_sink.addSkipped(m_path.string(), "it cannot be read; check its permissions");
        std::vector<std::string> fields;
        if (!m_reader.next(fields)) return m_sink.addSkipped(m_path.string(), "it is empty");
        if (fields.front().starts_with("\xC3\xBF\xC3\xBE") || fields.front().starts_with("\xC3\xBE\xC3\xBF"))
            return m_sink.addSkipped(m_path.string(), "it is in UTF-16; save it as CSV in UTF-8");
        const Header header(std::move(fields));
        if (header.find({"run_id"}) && header.find({"status"}))
            return m_sink.addSkipped(m_path.string(), "a table of runs has no curves; import one of metrics");
        header.isLongForm() ? readLongForm(header) : readWideForm(header);
        if (m_reader.isLatin1()) m_sink.note(m_path.string() + " is not UTF-8 and was read as Latin-1.");
    }

private:
    /// Fills in what the points do not say, and hands the run over.
    void take(SourceRun&& found, bool timed) {
        m_sink.reportProgress(m_path.filename().string(), std::exchange(m_unreported, 0));
        auto& run = found.run;
        run.experiment = m_path.parent_path().filename().string();
        run.status = tracking::RunStatus::Finished;
        run.startMs = m_sink.knownStart(run.id).value_or(writtenMs(m_path));
        std::int64_t first = INT64_MAX, last = 0;
        for (auto& [key, points] : found.histories)
            for (auto& point : points) {
                if (point.timestampMs == 0) point.timestampMs = run.startMs;
                first = std::min(first, point.timestampMs);
                last = std::max(last, point.timestampMs);
            }
        if (timed && last > 0) run.startMs = first;
        run.endMs = std::max(run.startMs, last);
        m_sink.take(std::move(found));
    }

    void damaged(const char* why) {
        m_sink.addSkipped("lines of " + m_path.string() + ", the first of them " +
                              std::to_string(m_firstDamaged ? m_firstDamaged : m_reader.line()),
                          why);
        if (!m_firstDamaged) m_firstDamaged = m_reader.line();
    }

    /// After each row, for the sake of those who wait or want to stop.
    void rowRead(std::int64_t points) {
        m_unreported += points;
        if (++m_rows % kReportEvery != 0) return;
        m_sink.reportProgress(m_path.filename().string(), m_unreported);
        m_unreported = 0;
    }

    /// The columns that say whose a line of a wide file is.
    struct RunColumns {
        std::optional<std::size_t> id, name;
        std::optional<std::size_t> key() const { return id ? id : name; }
        bool contains(std::size_t column) const { return column == id || column == name; }
    };

    /// One of numbers may as well be a metric: it names runs where a step comes again under another number.
    RunColumns runColumns(const Header& header) {
        const auto step = header.step();
        const std::array candidates{header.runId(), header.runName()};
        if (!step || (!candidates[0] && !candidates[1])) return {};
        std::array<bool, 2> names{};
        std::array<std::unordered_map<std::int64_t, std::string>, 2> firstOfStep;
        std::ifstream text(m_path, std::ios::binary);
        CsvReader reader(text);
        std::vector<std::string> fields;
        reader.next(fields);  // the header
        while (reader.next(fields)) {
            rowRead(0);
            const auto at = m_numbers.step(cell(fields, step));
            bool undecided = false;
            for (std::size_t i = 0; i < candidates.size(); ++i) {
                const auto value = cell(fields, candidates[i]);
                if (at && !value.empty() && !names[i])
                    names[i] = !m_numbers.number(value) ||
                               firstOfStep[i].try_emplace(*at, value).first->second != value;
                undecided |= candidates[i] && !names[i];
            }
            if (!undecided) break;
        }
        return {names[0] ? candidates[0] : std::nullopt, names[1] ? candidates[1] : std::nullopt};
    }

    /// Tells a column that counts rows, from 0 or 1, from one that does not.
    class RowCounter {
    public:
        void add(double value) {
            if (m_rows == 0) m_begin = value;
            m_counts &= value == m_begin + static_cast<double>(m_rows++) && (m_begin == 0 || m_begin == 1);
        }
        bool counts() const { return m_counts && m_rows > 0; }
        std::int64_t begin() const { return static_cast<std::int64_t>(m_begin); }

    private:
        bool m_counts = true;
        double m_begin = 0;
        std::int64_t m_rows = 0;
    };

    struct WideRun {
        std::string name;
        std::map<std::size_t, std::vector<tracking::MetricPoint>> columns;
        RowCounter firstColumn;
    };

    void readWideForm(const Header& header) {
        const auto step = header.step(), time = header.time();
        const auto naming = runColumns(header);
        std::map<std::string, WideRun> runs;
        std::vector<std::int64_t> texts(header.names().size());
        RowCounter firstColumn;
        std::int64_t nameless = 0;
        std::vector<std::string> fields;
        for (std::int64_t row = 0; m_reader.next(fields); ++row) {
            const auto at = step ? m_numbers.step(cell(fields, step)) : std::optional(row);
            if (!at) {
                damaged("the step is not an integer");
                rowRead(0);
                continue;
            }
            const auto when = m_numbers.time(cell(fields, time)).value_or(0);
            const std::string called(unescapeCsvField(cell(fields, naming.key())));
            if (naming.key() && called.empty()) ++nameless;
            auto& run = runs[called];
            if (run.name.empty()) run.name = unescapeCsvField(cell(fields, naming.name));
            std::int64_t points = 0;
            for (std::size_t i = 0; i < texts.size(); ++i) {
                const auto text = cell(fields, i);
                if (i == step || i == time || naming.contains(i) || text.empty()) continue;
                if (const auto value = m_numbers.number(text)) {
                    run.columns[i].push_back({*at, when, *value});
                    if (i == 0) {
                        firstColumn.add(*value);
                        run.firstColumn.add(*value);
                    }
                    ++points;
                } else {
                    ++texts[i];
                }
            }
            rowRead(points);
        }
        leaveOutRowNumbers(header, firstColumn, runs);
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (texts[i] > 0)
                m_sink.addSkipped("cells of column " + header.names()[i] + " in " + m_path.string(),
                                  "not numbers", texts[i]);
        std::set<std::size_t> kept;
        for (const auto& [called, run] : runs)
            for (const auto& [column, points] : run.columns) kept.insert(column);
        for (const auto column : kept)
            if (header.isUnnamed(column))
                m_sink.note("Column " + std::to_string(column + 1) + " of " + m_path.string() +
                            " has no name; it is called " + header.names()[column] + ".");
        noteColumnsThatComeAgain(header, kept);
        if (kept.empty())
            return m_sink.addSkipped(
                m_path.string(),
                "no column holds numbers; a step column and metric columns, perhaps with a column run, or "
                "columns run, key, step and value are accepted");
        if (nameless > 0)
            m_sink.note(m_path.string() + ": " + std::to_string(nameless) +
                        (nameless == 1 ? " line names" : " lines name") + " no run; the run is called " +
                        m_path.stem().string() + ".");
        takeRuns(header, naming, std::move(runs), time.has_value());
    }

    void takeRuns(const Header& header, const RunColumns& naming, std::map<std::string, WideRun>&& runs,
                  bool timed) {
        std::int64_t withoutNumbers = 0;
        for (auto& [called, run] : runs) {
            SourceRun found;
            for (auto& [column, points] : run.columns)
                found.histories[header.names()[column]] = std::move(points);
            if (found.histories.empty()) {
                ++withoutNumbers;
                continue;
            }
            nameRun(found.run, called, run.name, naming.key().has_value());
            take(std::move(found), timed);
        }
        if (withoutNumbers > 0)
            m_sink.addSkipped("runs of " + m_path.string(), "their lines hold no numbers", withoutNumbers);
    }

    /// `called`: what tells the run from the others of the file, where the file tells them apart.
    void nameRun(tracking::Run& run, const std::string& called, std::string_view name, bool isOneOfMany) {
        run.id = !isOneOfMany   ? derivedRunId({"csv", m_path.string()})
                 : isId(called) ? called
                                : derivedRunId({"csv", m_path.string(), called});
        run.name = name.empty() ? called : name;
        if (run.name.empty()) run.name = m_path.stem().string();
    }

    /// What `kept` has not held no numbers.
    void noteColumnsThatComeAgain(const Header& header, const std::set<std::size_t>& kept) {
        std::set<std::string> names;
        for (const auto column : kept) names.insert(header.names()[column]);
        for (const auto& [name, others] : header.again()) {
            std::vector<std::string> here;
            for (const auto& other : others)
                if (names.contains(other)) here.push_back(other);
            noteColumnThatComesAgain(
                name, others.size(),
                (others.size() == 1 ? "the second " : "the others ") +
                    (here.empty() ? (others.size() == 1 ? std::string("holds") : "hold") + " no numbers"
                                  : (others.size() == 1 ? "is" : "are") + std::string(" kept as ") +
                                        join(here, " and ")));
        }
    }

    void noteColumnThatComesAgain(const std::string& name, std::size_t others, const std::string& outcome) {
        m_sink.note(m_path.string() + ": column " + name + " appears " +
                    (others == 1 ? "twice" : std::to_string(others + 1) + " times") + "; " + outcome + ".");
    }

    /// A first column without a name that counts the rows, of the file or of each run, is the index that
    /// pandas writes: the step where there is no other, and no metric.
    void leaveOutRowNumbers(const Header& header, const RowCounter& ofFile,
                            std::map<std::string, WideRun>& runs) {
        const auto countsItsRows = [](const auto& run) {
            return !run.second.columns.contains(0) || run.second.firstColumn.counts();
        };
        if (!header.isUnnamed(0) ||
            std::ranges::none_of(runs, [](const auto& run) { return run.second.columns.contains(0); }))
            return;
        if (!ofFile.counts() && !std::ranges::all_of(runs, countsItsRows)) return;
        for (auto& [called, run] : runs) {
            if (!header.step())
                for (auto& [column, points] : run.columns)
                    for (auto& point : points) point.step += ofFile.begin();
            run.columns.erase(0);
        }
        m_sink.note("Column 1 of " + m_path.string() + " is an unnamed row index; it is " +
                    (header.step() ? "no metric." : "the step."));
    }

    void readLongForm(const Header& header) {
        const auto key = header.find({"key", "metric"}), value = header.find({"value"});
        const auto id = header.runId(), name = header.runName();
        const auto step = header.step(), time = header.time();
        for (const auto& [repeated, others] : header.again())
            noteColumnThatComesAgain(repeated, others.size(), "the first is read");
        std::map<std::string, SourceRun> runs;
        std::vector<std::string> fields;
        while (m_reader.next(fields)) {
            const auto number = m_numbers.number(cell(fields, value));
            const auto at = step ? m_numbers.step(cell(fields, step)) : std::optional<std::int64_t>(0);
            if (cell(fields, key).empty() || !number || !at) {
                damaged("a line is run, key, step and value");
                rowRead(0);
                continue;
            }
            const std::string called(unescapeCsvField(cell(fields, id ? id : name)));
            auto& found = runs[called];
            if (found.run.id.empty()) nameRun(found.run, called, unescapeCsvField(cell(fields, name)), true);
            found.histories[std::string(unescapeCsvField(cell(fields, key)))].push_back(
                {*at, m_numbers.time(cell(fields, time)).value_or(0), *number});
            rowRead(1);
        }
        for (auto& [called, found] : runs) take(std::move(found), time.has_value());
    }

    fs::path m_path;
    ImportSink& m_sink;
    std::ifstream m_text;
    CsvReader m_reader;
    Numbers m_numbers;
    std::int64_t m_rows = 0, m_unreported = 0, m_firstDamaged = 0;
};

}  // namespace

bool isCsvFile(const fs::path& file) {
    const auto extension = lowered(file.extension().string());
    return extension == ".csv" || extension == ".tsv";
}

bool hasStepColumn(const fs::path& csvFile) {
    std::ifstream text(csvFile, std::ios::binary);
    CsvReader reader(text);
    std::vector<std::string> fields;
    if (!text || !reader.next(fields)) return false;
    const Header header(std::move(fields));
    return header.step() || header.isLongForm();
}

void readCsv(const fs::path&, const Places& files, ImportSink& sink) {
    for (const auto& file : files) CsvFile(file, sink).read();
}

}  // namespace dailies::exchange
