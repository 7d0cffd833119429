// W&B's offline run files (wandb/offline-run-…/run-<id>.wandb), which its clients since 0.24 write while the
// run goes on.
#include "core/sources/path_names.h"
#include "core/sources/reader.h"
#include "core/sources/registry.h"
#include "core/sources/wandb_records.h"
#include "core/sources/wandb_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <proto/wandb_record.pb.h>
#include <string>

namespace dailies::sources {

namespace {

constexpr std::size_t kMostAxes = 1'000;  // they travel in the file's cursor
constexpr double kMaxStep = 9e15;         // up to which a double tells whole numbers apart

template <class Number>
Number stateNumber(const Json& state, const char* name) {
    const auto found = state.find(name);
    return found != state.end() && found->is_number() ? found->get<Number>() : Number{};
}

/// Reads the records of one chunk into the reader's findings. What later records need of earlier ones is kept
/// in the cursor's state.
class RunFile {
public:
    explicit RunFile(Source::Reader& reader)
        : m_reader(reader),
          m_axes(reader.state().value("axes", Json::object()), kMostAxes),
          m_lastOf(reader.state().value("axis", Json::object())),
          m_startMs(stateNumber<std::int64_t>(reader.state(), "start")),
          m_timeMs(stateNumber<std::int64_t>(reader.state(), "time")),
          m_step(stateNumber<std::int64_t>(reader.state(), "step")) {}

    /// False when it is no record.
    bool read(std::string_view bytes) {
        wandb::Record record;
        if (!record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
        switch (record.record_type_case()) {
            case wandb::Record::kRun:
                on(record.run());
                break;
            case wandb::Record::kConfig:
                on(record.config());
                break;
            case wandb::Record::kHistory:
                on(record.history());
                break;
            case wandb::Record::kMetric:
                m_axes.add(record.metric());
                break;
            case wandb::Record::kStats:
                on(record.stats());
                break;
            case wandb::Record::kExit:
                m_timeMs = std::max(m_timeMs, m_startMs + std::int64_t{1'000} * record.exit().runtime());
                m_reader.out().end({record.exit().exit_code(), m_timeMs});
                break;
            case wandb::Record::kArtifact:
                m_reader.out().unread("artifacts");
                break;
            case wandb::Record::kSummary:  // the history's own values again
            case wandb::Record::RECORD_TYPE_NOT_SET:
                break;
        }
        return true;
    }

    void keep() {
        auto& state = m_reader.state();
        if (!m_axes.empty()) {
            state["axes"] = m_axes.state();
            state["axis"] = m_lastOf;
        }
        state["start"] = m_startMs;
        state["time"] = m_timeMs;
        state["step"] = m_step;
    }

private:
    void on(const wandb::Run& run) {
        const auto startMs = millis(run.start_time());
        if (m_startMs == 0 || (startMs > 0 && startMs < m_startMs)) m_startMs = startMs;
        for (const auto& [key, value] : tagsOf(run)) m_reader.out().tag(key, value);
        on(run.config());
    }

    void on(const wandb::Config& record) {
        ForeignJson config = ForeignJson::object();
        applyConfig(record, config);
        for (const auto& [key, value] : config.items())
            if (!key.starts_with('_'))
                flattenConfig(key, value, [&](const std::string& name, std::string text) {
                    m_reader.out().param(name, std::move(text));
                });
    }

    void on(const wandb::History& history) {
        Collector aside;
        FlatValues row(&aside);
        row.add(history);
        const auto numbers = row.numbers();
        auto step = history.step().num();
        std::optional<std::int64_t> ownStep;
        for (const auto& [key, value] : numbers) {
            if (isOwnStep(key) && value == std::floor(value) && value >= 0 && value <= kMaxStep)
                ownStep = static_cast<std::int64_t>(value);
            if (key == "_step" && std::fabs(value) <= kMaxStep) step = static_cast<std::int64_t>(value);
            if (key == "_timestamp" && value > 0 && value < 1e12)
                m_timeMs = static_cast<std::int64_t>(std::llround(value * 1000.0));
            if (m_axes.isAxis(key)) m_lastOf[key] = numberToJson(value);
        }
        if (ownStep) step = *ownStep;
        if (m_timeMs == 0) m_timeMs = m_reader.readMs();
        m_step = std::max(m_step, step);
        for (const auto& [key, value] : numbers)
            if (!key.starts_with('_')) m_reader.out().point(key, {stepOf(key, step), m_timeMs, value});
        auto media = row.media();
        for (auto& file : media) {
            file.step = step;
            file.timestampMs = m_timeMs;
            m_reader.out().media(std::move(file));
        }
        for (const auto& [what, count] : aside.takeUnread())
            if (media.empty() || what != FlatValues::kTexts) m_reader.out().unread(what);
    }

    /// A step that the program logs itself goes on after a requeue, where W&B's own begins at 0 again:
    /// offline it cannot know better.
    static bool isOwnStep(const std::string& key) {
        constexpr std::array<std::string_view, 4> kNames = {"global_step", "trainer/global_step",
                                                            "train/global_step", "step"};
        return std::find(kNames.begin(), kNames.end(), key) != kNames.end();
    }

    /// W&B draws some metrics over another one's value; a step of the store is a whole number.
    std::int64_t stepOf(const std::string& key, std::int64_t step) {
        const auto* axis = m_axes.of(key);
        if (!axis) return step;
        const auto at = m_lastOf.find(*axis);
        if (at == m_lastOf.end() || !at->is_number()) return step;
        const double value = at->get<double>();
        if (value == std::floor(value) && std::fabs(value) <= kMaxStep)
            return static_cast<std::int64_t>(value);
        m_reader.problem("fractional steps",
                         "a step metric has values that are not whole numbers; W&B's own step counts there.");
        return step;
    }

    /// The machine's load belongs to no step; it stands at the newest.
    void on(const wandb::Stats& stats) {
        FlatValues values(nullptr);
        values.add(stats);
        const auto timeMs = millis(stats.timestamp());
        for (const auto& [key, value] : values.numbers())
            if (!key.starts_with('_'))
                m_reader.out().point("system/" + key,
                                     {m_step, timeMs > 0 ? timeMs : m_reader.readMs(), value});
    }

    static std::int64_t millis(const wandb::Time& time) {
        if (time.seconds() < 0 || time.seconds() > std::int64_t{1'000'000'000'000}) return 0;
        return time.seconds() * 1'000 + time.nanos() / 1'000'000;
    }

    Source::Reader& m_reader;
    StepMetrics m_axes;
    Json m_lastOf;  ///< of each step metric
    std::int64_t m_startMs, m_timeMs, m_step;
};

class Wandb : public Source {
public:
    std::string_view name() const override { return "W&B"; }

    std::string_view mediaFolder() const override { return "files/"; }

    std::string_view delay() const override {
        return "Its writer flushes every 15 s; W&B before 0.24 writes the file when the program ends.";
    }

    bool recognizes(std::string_view path) const override { return fileNameOf(path).ends_with(".wandb"); }

protected:
    void readRecords(Reader& reader) const override {
        if (reader.offset() == 0) {
            if (reader.rest().size() < kWandbHeaderBytes) return;
            if (!isWandbHeader(reader.rest()))
                return reader.stop("header", "it is not a W&B run file (bad header), and is not read.");
            reader.consume(kWandbHeaderBytes);
        }
        using Kind = WandbRecords::Kind;
        RunFile file(reader);
        WandbRecords records(reader.rest(), static_cast<std::uint64_t>(reader.offset()));
        constexpr const char* kInside = "inside";  // of a record whose beginning was passed over
        auto& state = reader.state();
        const auto damaged = [&] {
            reader.problem("damage", "records are damaged near byte " + std::to_string(records.offset()) +
                                         " (a checksum does not fit); what can be read is.");
        };
        for (std::string_view record;;) {
            if (state.contains(kInside)) {
                if (!records.skipParts()) break;
                state.erase(kInside);
            }
            const auto kind = records.next(record, static_cast<std::size_t>(kLongestRecord));
            if (kind == Kind::Partial || (kind == Kind::Damaged && reader.endsInZeros())) break;
            if (kind == Kind::TooLong) {
                reader.problem("long records", "a record is longer than 4 MiB and is not read.");
                state[kInside] = true;
            } else if (kind == Kind::Damaged) {
                damaged();
                if (!records.skipBlock()) break;
                state[kInside] = true;
            } else if (!file.read(record)) {
                damaged();
            }
        }
        reader.consume(records.consumed());
        file.keep();
    }
};

}  // namespace

const Source& wandbRuns() {
    static const Wandb source;
    return source;
}

}  // namespace dailies::sources
