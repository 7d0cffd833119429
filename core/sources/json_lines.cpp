// Files of JSON objects, one a line, as hand-written loops and several frameworks log.
#include "core/base/text.h"
#include "core/sources/json_row.h"
#include "core/sources/lines.h"
#include "core/sources/path_names.h"
#include "core/sources/registry.h"

namespace dailies::sources {

namespace {

class JsonLines : public Source {
public:
    std::string_view name() const override { return "JSON lines"; }

    std::string_view delay() const override {
        return "A line is here once the program flushes it; Python does so every 8 KiB unless it is told to.";
    }

    bool recognizes(std::string_view path) const override {
        return path.ends_with(".jsonl") || path.ends_with(".ndjson");
    }

protected:
    void readRecords(Reader& reader) const override {
        Lines lines(reader, Lines::Ends::LineFeed);
        for (std::string_view line; lines.next(line);) readJsonRow(trim(line), reader.readMs(), reader.out());
    }
};

}  // namespace

const Source& jsonLines() {
    static const JsonLines source;
    return source;
}

}  // namespace dailies::sources
