// metrics.csv of Lightning's CSVLogger. Rows are appended, but when there is a new metric the file is written
// anew with the longer header, and a logger that starts again in the same folder begins it anew.
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/sources/json_row.h"
#include "core/sources/lines.h"
#include "core/sources/path_names.h"
#include "core/sources/registry.h"
#include "core/sources/tfrecord.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace dailies::sources {

namespace {

std::vector<std::string> fieldsOf(std::string_view line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    for (auto& field : fields) field = trim(std::move(field));
    return fields;
}

std::optional<std::int64_t> stepInField(const std::string& field) {
    const auto value = parseNumber(field);  // pandas writes a column with gaps as 12.0
    if (!value || *value != std::floor(*value) || std::fabs(*value) > 9e15) return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

class LightningCsv : public Source {
public:
    std::string_view name() const override { return "CSV"; }

    std::string_view delay() const override {
        return "Lightning's CSVLogger writes its rows every 100 steps (flush_logs_every_n_steps).";
    }

    bool recognizes(std::string_view path) const override { return fileNameOf(path) == "metrics.csv"; }

    std::size_t headBytes() const override { return std::size_t{1} << 16; }

protected:
    void readRecords(Reader& reader) const override {
        const auto length = reader.head().find('\n');
        if (length == std::string_view::npos) {
            if (reader.head().size() >= headBytes())
                reader.stop("header", "its first line is longer than 64 KiB; it is not read.");
            return;
        }
        const auto header = reader.head().substr(0, length);
        auto& state = reader.state();
        const auto mark = crc32c(header);
        if (const auto known = state.find("header"); known != state.end() && *known != mark)
            return reader.beginAnew(Json{{"known_rows", state.value("rows", std::int64_t{0})}});
        state["header"] = mark;

        const auto names = fieldsOf(header);
        const auto step = std::find_if(names.begin(), names.end(), isStepName);
        if (step == names.end()) return reader.stop("no step", "it has no column of steps; it is not read.");
        Lines lines(reader, Lines::Ends::LineFeed);
        std::string_view line;
        if (reader.offset() == 0) lines.next(line);  // the header
        while (lines.next(line)) readRow(reader, names, static_cast<std::size_t>(step - names.begin()), line);
    }

private:
    static void readRow(Reader& reader, const std::vector<std::string>& names, std::size_t stepColumn,
                        std::string_view line) {
        auto& state = reader.state();
        const auto row = state.value("rows", std::int64_t{0});
        state["rows"] = row + 1;
        if (row < state.value("known_rows", std::int64_t{0})) return;  // written again with a longer header
        const auto fields = fieldsOf(line);
        if (fields.size() > names.size())
            return reader.problem("long rows", "a row has more fields than the header; it is not read.");
        const auto step = stepColumn < fields.size() ? stepInField(fields[stepColumn]) : std::nullopt;
        if (!step) return;
        if (reader.wasBegunAnew()) reader.out().voidFrom(*step);
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (i != stepColumn)
                if (const auto value = parseNumber(fields[i]))
                    reader.out().point(names[i], {*step, reader.readMs(), *value});
    }
};

}  // namespace

const Source& lightningCsv() {
    static const LightningCsv source;
    return source;
}

}  // namespace dailies::sources
