// events.jsonl, which dailies-train writes, and programs that import dailies.py. Of runs that Dailies
// launched it is read with all that it holds (core/events, Store::ingest); this is for a run that is only
// watched.
#include "core/base/error.h"
#include "core/events/event.h"
#include "core/sources/lines.h"
#include "core/sources/path_names.h"
#include "core/sources/registry.h"

#include <cmath>
#include <optional>
#include <variant>

namespace dailies::sources {

namespace {

std::optional<events::Event> eventOf(std::string_view line) {
    try {
        return events::decode(line);
    } catch (const InputError&) {
        return std::nullopt;  // torn by a kill
    }
}

class DailiesEvents : public Source {
public:
    std::string_view name() const override { return "Dailies"; }

    std::string_view delay() const override { return "Each line is written at once."; }

    bool recognizes(std::string_view path) const override { return fileNameOf(path) == "events.jsonl"; }

protected:
    void readRecords(Reader& reader) const override {
        Lines lines(reader, Lines::Ends::LineFeed);
        for (std::string_view line; lines.next(line);)
            if (const auto event = eventOf(line)) read(*event, reader);
    }

private:
    static void read(const events::Event& event, Reader& reader) {
        const auto timeMs = std::llround(event.time * 1000);
        auto& out = reader.out();
        if (const auto* metrics = std::get_if<events::Metrics>(&event.payload)) {
            for (const auto& [key, value] : metrics->values) out.point(key, {metrics->step, timeMs, value});
        } else if (const auto* resume = std::get_if<events::Resume>(&event.payload)) {
            out.voidFrom(resume->fromStep + 1);
        } else if (const auto* clip = std::get_if<events::Clip>(&event.payload)) {
            out.media({.key = clip->path,
                       .path = clip->path,
                       .caption = clip->prompt,
                       .type = "video-file",
                       .step = clip->step,
                       .timestampMs = timeMs,
                       .seed = clip->seed,
                       .inputs = clip->inputs,
                       .perFrame = clip->perFrame});
        } else if (const auto* end = std::get_if<events::End>(&event.payload)) {
            out.end({end->status == "failed" ? 1 : 0, timeMs});
        }
    }
};

}  // namespace

const Source& dailiesEvents() {
    static const DailiesEvents source;
    return source;
}

}  // namespace dailies::sources
