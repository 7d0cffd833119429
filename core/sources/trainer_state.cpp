// Hugging Face's Trainer leaves all that it logged in trainer_state.json, in the folder of each checkpoint
// and at the end in that of its output: each file is written once and whole, and repeats the ones before.
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/sources/path_names.h"
#include "core/sources/reader.h"
#include "core/sources/registry.h"
#include "core/sources/wandb_values.h"

#include <cmath>
#include <optional>
#include <string>

namespace dailies::sources {

namespace {

/// The whole numbers of steps are at most these, in floating point, too.
constexpr double kMostSteps = 9e15;

class TrainerState : public Source {
public:
    std::string_view name() const override { return "Trainer state"; }

    std::string_view delay() const override {
        return "Hugging Face's Trainer writes it with each checkpoint.";
    }

    /// To the trackers that the Trainer reports to at once.
    bool givesWay() const override { return true; }

    bool recognizes(std::string_view path) const override { return fileNameOf(path) == "trainer_state.json"; }

protected:
    /// It is whole once it is JSON: no beginning of an object is one.
    void readRecords(Reader& reader) const override {
        const auto text = reader.rest();
        const bool isBlank = trim(text).empty();
        if (reader.offset() > 0) {
            if (isBlank) return reader.consume(text.size());
            return reader.beginAnew();  // written again
        }
        if (isBlank) return;
        if (text.size() >= static_cast<std::size_t>(kLongestRecord) * 2)
            return reader.stop("long", "it is longer than 8 MiB and is not read.");
        const ForeignJson state = lenientJson(text);
        if (state.is_null() && !trim(text).starts_with('{'))
            return reader.stop("damage", "it is no JSON, and is not read.");
        if (state.is_null()) return;
        reader.consume(text.size());
        reader.out().findings().onlyMissing = true;
        const auto history = state.is_object() ? state.find("log_history") : state.end();
        if (!state.is_object() || history == state.end() || !history->is_array())
            return reader.problem("history", "it has no log_history.");
        for (const auto& entry : *history) readEntry(entry, reader);
    }

private:
    /// Python's NaN and Infinity have come as texts.
    static std::optional<double> numberOf(const ForeignJson& value) {
        if (value.is_number()) return value.get<double>();
        return value.is_string() ? parseNumber(value.get_ref<const std::string&>()) : std::nullopt;
    }

    static void readEntry(const ForeignJson& entry, Reader& reader) {
        if (!entry.is_object()) return;
        const auto said = entry.find("step");
        if (said == entry.end() || !said->is_number()) return;
        const double step = said->get<double>();
        if (step != std::floor(step) || std::fabs(step) > kMostSteps) return;
        for (const auto& [key, value] : entry.items())
            if (const auto number = numberOf(value); number && key != "step")
                reader.out().point(key, {static_cast<std::int64_t>(step), reader.readMs(), *number});
    }
};

}  // namespace

const Source& trainerState() {
    static const TrainerState source;
    return source;
}

}  // namespace dailies::sources
