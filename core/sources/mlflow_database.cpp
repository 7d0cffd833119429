// MLflow's SQLite store (MLFLOW_TRACKING_URI=sqlite:///mlflow.db, its default). Its file is no log, but its
// metrics are: rows are only added. So what is read of it are not its bytes but its rows (see
// remote/follow/source_reader.cpp), as lines of JSON, and the offset is the rowid of the last one.
#include "core/sources/lines.h"
#include "core/sources/path_names.h"
#include "core/sources/registry.h"
#include "core/sources/wandb_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace dailies::sources {

namespace {

/// As MLflow stores infinity.
constexpr double kInfinite = 1.7976931348623157e308;

/// That are one here: a requeued job's attempts, or runs inside another.
constexpr std::int64_t kMostRuns = 8;

class MlflowDatabase : public Source {
public:
    std::string_view name() const override { return "MLflow database"; }

    std::string_view delay() const override { return "MLflow has each value in its database at once."; }

    bool recognizes(std::string_view path) const override { return isMlflowDatabase(path); }

protected:
    void readRecords(Reader& reader) const override {
        std::int64_t last = reader.offset();
        Lines lines(reader, Lines::Ends::LineFeed);
        for (std::string_view line; lines.next(line);) {
            const ForeignJson row = lenientJson(line);
            if (!row.is_array() || row.empty() || !row[0].is_string()) continue;
            const auto& kind = row[0].get_ref<const std::string&>();
            if (kind == "metric" && row.size() == 6) {
                if (const auto rowid = readMetric(row, reader)) last = std::max(last, *rowid);
            } else if (kind == "runs" && row.size() == 2 && row[1].is_number_integer()) {
                const auto runs = row[1].get<std::int64_t>();
                if (runs > kMostRuns)
                    return reader.stop("many runs",
                                       "it holds " + std::to_string(runs) +
                                           " runs, and is not read; `dailies import` takes them.");
                if (runs > 1)
                    reader.problem("runs",
                                   "it holds several runs, which are read as one; `dailies import` keeps "
                                   "them apart.");
            } else if (row.size() == 3 && row[1].is_string() && row[2].is_string()) {
                const auto key = row[1].get<std::string>();
                if (kind == "param") reader.out().param(key, row[2].get<std::string>());
                if (kind == "tag") reader.out().tag(key, row[2].get<std::string>());
            }
        }
        reader.moveTo(last);
    }

private:
    /// ["metric", rowid, timestamp, value, step, key]; the value is null where it is no number.
    static std::optional<std::int64_t> readMetric(const ForeignJson& row, Reader& reader) {
        for (const int i : {1, 2, 4})
            if (!row[static_cast<std::size_t>(i)].is_number_integer()) return std::nullopt;
        if (!row[5].is_string()) return std::nullopt;
        double value = row[3].is_number() ? row[3].get<double>() : std::numeric_limits<double>::quiet_NaN();
        if (std::fabs(value) >= kInfinite) value = std::copysign(HUGE_VAL, value);
        reader.out().point(row[5].get<std::string>(),
                           {row[4].get<std::int64_t>(), row[2].get<std::int64_t>(), value});
        return row[1].get<std::int64_t>();
    }
};

}  // namespace

bool isMlflowDatabase(std::string_view path) {
    const auto name = fileNameOf(path);
    return name == "mlflow.db" || name == "mlruns.db";
}

const Source& mlflowDatabase() {
    static const MlflowDatabase source;
    return source;
}

}  // namespace dailies::sources
