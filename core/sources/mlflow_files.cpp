// MLflow's file store (MLFLOW_TRACKING_URI=file:…): a file for each metric, param and tag of a run, named by
// its key.
#include "core/base/text.h"
#include "core/sources/lines.h"
#include "core/sources/mlflow_line.h"
#include "core/sources/registry.h"

#include <algorithm>
#include <optional>
#include <string>

namespace dailies::sources {

namespace {

enum class Holds { Metric, Param, Tag };

/// What a file of the store holds, and under which key; a key may hold slashes.
struct Place {
    Holds holds = Holds::Metric;
    std::string_view key;
};

bool isRunFolder(std::string_view name) {
    return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Of "mlruns/0/<run>/metrics/train/loss": the metric train/loss.
std::optional<Place> placeOf(std::string_view path) {
    while (!path.empty()) {
        const auto slash = path.find('/');
        if (slash == std::string_view::npos) return std::nullopt;
        const bool isRun = isRunFolder(path.substr(0, slash));
        path.remove_prefix(slash + 1);
        if (!isRun) continue;
        constexpr std::pair<std::string_view, Holds> kFolders[] = {
            {"metrics/", Holds::Metric}, {"params/", Holds::Param}, {"tags/", Holds::Tag}};
        for (const auto& [folder, holds] : kFolders)
            if (path.starts_with(folder) && path.size() > folder.size())
                return Place{holds, path.substr(folder.size())};
        return std::nullopt;
    }
    return std::nullopt;
}

class MlflowFiles : public Source {
public:
    std::string_view name() const override { return "MLflow"; }

    std::string_view delay() const override { return "MLflow has each value in its file at once."; }

    bool recognizes(std::string_view path) const override { return placeOf(path).has_value(); }

protected:
    void readRecords(Reader& reader) const override {
        const auto place = placeOf(reader.path());
        if (!place) return;
        const std::string key(place->key);
        if (place->holds != Holds::Metric) return readText(reader, *place, key);
        Lines lines(reader, Lines::Ends::LineFeed);
        for (std::string_view line; lines.next(line);) {
            if (const auto point = parseMlflowLine(line))
                reader.out().point(key, *point);
            else
                reader.problem("lines", "a line is not \"timestamp value step\", and is not read.");
        }
    }

private:
    /// The whole file is the value, without a line end: it is whole once it did not grow from one reading to
    /// the next. Later changes do not come in.
    static void readText(Reader& reader, const Place& place, const std::string& key) {
        constexpr const char* kSeen = "seen";
        if (reader.rest().empty() || reader.offset() > 0) return;
        auto& state = reader.state();
        const auto size = reader.rest().size();
        if (state.value(kSeen, std::size_t{0}) != size) {
            state[kSeen] = size;
            return;
        }
        state.erase(kSeen);
        const std::string text(reader.rest());
        reader.consume(size);
        if (place.holds == Holds::Param)
            reader.out().param(key, text);
        else
            reader.out().tag(key, text);
    }
};

}  // namespace

const Source& mlflowFiles() {
    static const MlflowFiles source;
    return source;
}

}  // namespace dailies::sources
