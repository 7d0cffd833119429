#include "core/curation/clip_table.h"

#include "core/base/counts.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/curation/clip_list.h"
#include "core/curation/clip_record.h"
#include "core/curation/curated_origin.h"

#include <set>
#include <vector>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

/// What the first columns say, or what no table can show.
const std::set<std::string> kLeftOut = {"caption", "fps", "width", "height", "file", "hashes"};

/// An object whose keys are the columns, in their order.
Json rowOf(const Json& line, const fs::path& base, ClipTableFormat format) {
    const auto clip = parseClipRecord(line);
    const auto file = line.value("file", std::string());
    const bool isCsv = format == ClipTableFormat::Csv;
    Json row = {{isCsv ? "path" : "video_path", file.empty() ? file : (base / file).string()},
                {isCsv ? "text" : "caption", clip.caption},
                {"num_frames", clip.frames()},
                {"height", clip.crop.height},
                {"width", clip.crop.width},
                {"aspect_ratio", double(clip.crop.height) / clip.crop.width},
                {"fps", clip.fps},
                {"resolution", clip.crop.height * clip.crop.width}};
    for (const auto& [key, value] : line.items())
        if (!kLeftOut.contains(key)) row[key] = value;
    return row;
}

std::string cellOf(const Json& value) {
    if (value.is_null()) return {};
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_float()) return csvNumber(value.get<double>());
    if (!value.is_array()) return value.dump();
    std::vector<std::string> parts;
    for (const auto& part : value) parts.push_back(cellOf(part));
    return join(parts, " ");
}

std::string csvOf(const std::vector<Json>& rows, CsvEscaping escaping) {
    std::vector<std::string> columns;
    std::set<std::string> seen;
    for (const auto& row : rows)
        for (const auto& [key, value] : row.items())
            if (seen.insert(key).second) columns.push_back(key);
    std::string text;
    const auto add = [&](std::vector<std::string> cells) {
        for (auto& cell : cells) cell = csvField(cell, escaping);
        text += join(cells, ",") + "\r\n";
    };
    add(columns);
    for (const auto& row : rows) {
        std::vector<std::string> cells;
        for (const auto& column : columns) {
            const auto found = row.find(column);
            cells.push_back(found == row.end() ? std::string() : cellOf(*found));
        }
        add(std::move(cells));
    }
    return text;
}

std::string jsonLinesOf(const std::vector<Json>& rows) {
    std::string text;
    for (const auto& row : rows) text += row.dump() + "\n";
    return text;
}

}  // namespace

std::string WrittenClipTable::text() const {
    auto said = pluralize(static_cast<long long>(clips), "clip", "clips");
    if (withoutFile > 0)
        said += ", " + grouped(static_cast<long long>(withoutFile)) +
                " of them without a file of their own (dailies-train curate --write-clips writes them)";
    return said;
}

WrittenClipTable writeClipTable(const fs::path& folder, const fs::path& file, const ClipTableOptions& options,
                                const std::stop_token& stop) {
    const auto list = readClipList(folder);
    const auto origin = loadCuratedOrigin(folder);
    const auto base = origin ? fs::path(origin->folder) : fs::absolute(folder).lexically_normal();
    WrittenClipTable written;
    std::vector<Json> rows;
    for (const auto& line : split(list, '\n')) {
        if (stop.stop_requested()) throw Cancelled();
        if (trim(line).empty()) continue;
        const auto json = parseJson(line, (folder / kClipListFile).string());
        if (!options.dropped && json.value("verdict", "") != "keep") continue;
        rows.push_back(rowOf(json, base, options.format));
        ++written.clips;
        written.withoutFile += !json.contains("file");
    }
    writeFileAtomically(
        file, options.format == ClipTableFormat::Csv ? csvOf(rows, options.text) : jsonLinesOf(rows));
    return written;
}

}  // namespace dailies::curation
