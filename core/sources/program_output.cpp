// What programs print: progress bars, dicts, pairs and JSON, among everything else that stands in a log.
#include "core/base/text.h"
#include "core/rules/output_rule.h"
#include "core/sources/json_row.h"
#include "core/sources/lines.h"
#include "core/sources/output_lines.h"
#include "core/sources/path_names.h"
#include "core/sources/registry.h"

#include <optional>
#include <string>

namespace dailies::sources {

namespace {

constexpr std::size_t kMostBars = 16;  // that are followed at once

/// What was printed and waits for what makes it sure, kept in the file's cursor.
class Printed {
public:
    explicit Printed(Source::Reader& reader) : m_reader(reader) {}

    void line(std::string_view text, char end) {
        if (const auto bar = parseProgressBar(text)) return on(*bar, end);
        if (text.starts_with('{')) {
            if (readJsonRow(text, m_reader.readMs(), m_reader.out())) return;
            if (const auto row = parsePythonDict(text)) return on(*row);
        }
        if (const auto row = parsePairs(text)) add(*row->step, row->values);
    }

private:
    /// tqdm shows a step first with the values of the one before, and again once the program sets the new
    /// ones: the last time that it is shown it is right.
    void on(const ProgressBar& bar, char end) {
        auto& state = m_reader.state();
        state["bar"] = bar.step;
        // Hugging Face's Trainer takes the bar away, prints its dict without a step, and shows the bar again,
        // then at the dict's step
        addWaitingDict();
        if (bar.values.empty()) return;
        auto& bars = state["bars"];
        if (!bars.is_object()) bars = Json::object();
        if (const auto shown = bars.find(bar.description); shown != bars.end()) {
            if (shown->at("step") != bar.step) add(*shown);
        } else if (bars.size() >= kMostBars) {
            add(bars.front());
            bars.erase(bars.begin());
        }
        bars[bar.description] = Json{{"step", bar.step}, {"values", toJson(bar.values)}};
        if (end != '\n') return;
        add(bars[bar.description]);
        bars.erase(bar.description);
    }

    void on(const OutputRow& row) {
        if (row.step) return add(*row.step, row.values);
        addWaitingDict();
        m_reader.state()["dict"] = toJson(row.values);
    }

    void addWaitingDict() {
        auto& state = m_reader.state();
        const auto waiting = state.find("dict");
        if (waiting == state.end()) return;
        if (const auto bar = state.find("bar"); bar != state.end())
            add(Json{{"step", *bar}, {"values", *waiting}});
        else
            m_reader.problem("no step", "it prints numbers without a step, which are not read.");
        state.erase("dict");
    }

    static Json toJson(const NamedValues& values) {
        Json object = Json::object();
        for (const auto& [key, value] : values) object[key] = numberToJson(value);
        return object;
    }

    void add(const Json& shown) {
        NamedValues values;
        for (const auto& [key, value] : shown.at("values").items())
            values.emplace_back(key, numberFromJson(value));
        add(shown.at("step").get<std::int64_t>(), values);
    }

    void add(std::int64_t step, const NamedValues& values) {
        for (const auto& [key, value] : values) m_reader.out().point(key, {step, m_reader.readMs(), value});
    }

    Source::Reader& m_reader;
};

/// Lines that the user's rule reads.
class RuledLines {
public:
    RuledLines(Source::Reader& reader, const rules::OutputRule& rule) : m_reader(reader), m_rule(rule) {}

    void line(std::string_view text, char end) {
        const auto row = m_rule.read(text);
        if (!row) return;
        auto& state = m_reader.state();
        if (!row->notANumber.empty())
            m_reader.problem("rule numbers", "the rule for its output finds \"" +
                                                 sanitizedText(row->notANumber) +
                                                 "\" where a number should be; it is not read.");
        if (row->step) state[kStep] = *row->step;
        if (row->values.empty()) return;
        if (!state.contains(kStep))
            return m_reader.problem(
                "rule step",
                "the rule for its output finds metrics before the first step, which are not read.");
        const auto step = state[kStep].get<std::int64_t>();
        auto& shown = state[kShown];
        if (shown.is_object() && shown.at("step") != step) addShown();
        for (const auto& [key, value] : row->values) {
            // a line that another is written over, as of a progress bar, counts once its step has passed
            if (end == '\r') {
                shown["step"] = step;
                shown["values"][key] = numberToJson(value);
                continue;
            }
            if (shown.is_object()) shown["values"].erase(key);
            m_reader.out().point(key, {step, m_reader.readMs(), value});
        }
        if (!shown.is_object()) state.erase(kShown);
    }

private:
    static constexpr const char* kStep = "step";
    static constexpr const char* kShown = "shown";

    void addShown() {
        auto& shown = m_reader.state()[kShown];
        for (const auto& [key, value] : shown.at("values").items())
            m_reader.out().point(
                key, {shown.at("step").get<std::int64_t>(), m_reader.readMs(), numberFromJson(value)});
        shown = nullptr;
    }

    Source::Reader& m_reader;
    const rules::OutputRule& m_rule;
};

class ProgramOutput : public Source {
public:
    std::string_view name() const override { return "Output"; }

    std::string_view delay() const override {
        return "Python writes what it prints every 8 KiB, or at once with PYTHONUNBUFFERED=1; the values of "
               "a "
               "progress bar come when it moves on.";
    }

    bool givesWay() const override { return true; }

    bool recognizes(std::string_view path) const override {
        if (isBelow(path, "wandb") || isBelow(path, "mlruns"))
            return false;  // the same again, or the tracker's own
        return path.ends_with(".out") || path.ends_with(".err") || path.ends_with(".log");
    }

protected:
    void readRecords(Reader& reader) const override {
        Lines lines(reader, Lines::Ends::LineFeedOrCarriageReturn);
        if (const auto* rule = reader.outputRule()) {
            RuledLines ruled(reader, *rule);
            for (std::string_view line; lines.next(line);) ruled.line(plainText(line), lines.end());
            return;
        }
        Printed printed(reader);
        for (std::string_view line; lines.next(line);) {
            if (line.empty() || !mayHoldMetrics(line)) continue;
            const auto plain = plainText(line);
            printed.line(trim(std::string_view(plain)), lines.end());
        }
    }

private:
    /// Quick, because nearly all of a log is something else.
    static bool mayHoldMetrics(std::string_view line) {
        for (const auto* word : {"%|", "it [", "{", "tep", "ter", "TEP", "TER"})
            if (line.find(word) != std::string_view::npos) return true;
        return false;
    }
};

}  // namespace

const Source& programOutput() {
    static const ProgramOutput source;
    return source;
}

}  // namespace dailies::sources
