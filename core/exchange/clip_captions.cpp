#include "core/exchange/clip_captions.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/exchange/csv.h"
#include "core/video/caption_beside.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>

namespace dailies::exchange {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAmbiguous = std::numeric_limits<std::size_t>::max();
constexpr std::array<std::string_view, 7> kVideoColumns = {"file",  "file_name",  "filename", "path",
                                                           "video", "video_path", "name"};
constexpr std::array<std::string_view, 3> kPromptColumns = {"prompt", "caption", "text"};

/// Of what JSON says: a number may stand as text.
std::optional<std::int64_t> numberOf(const Json& value) {
    if (value.is_number_integer() && value >= 0) return value.get<std::int64_t>();
    return value.is_string() ? parseCount(trim(value.get<std::string>())) : std::nullopt;
}

std::string textOf(const Json& object, auto&& keys) {
    for (const auto key : keys)
        if (const auto at = object.find(std::string(key)); at != object.end() && at->is_string())
            return video::captionLine(at->get<std::string>());
    return {};
}

std::string withoutEnding(const std::string& path) {
    return (fs::path(path).parent_path() / fs::path(path).stem()).string();
}

}  // namespace

CaptionTable::CaptionTable(const fs::path& file) : m_file(fs::absolute(file).lexically_normal()) {
    lowered(m_file.extension().string()) == ".jsonl" ? readJsonLines() : readCsv();
}

std::optional<CaptionTable> CaptionTable::in(const fs::path& folder) {
    std::error_code failure;
    for (const char* name : {"prompts", "captions", "metadata"})
        for (const char* ending : {".csv", ".jsonl"}) {
            const auto file = folder / (std::string(name) + ending);
            if (!fs::is_regular_file(file, failure)) continue;
            try {
                return CaptionTable(file);
            } catch (const InputError&) {  // a table of something else
            }
        }
    return std::nullopt;
}

void CaptionTable::readCsv() {
    std::ifstream in(m_file, std::ios::binary);
    if (!in) throw InputError("Cannot read " + sanitizedText(m_file.string()) + ".");
    CsvReader csv(in);
    std::vector<std::string> fields;
    std::map<std::string, std::size_t> columns;
    if (csv.next(fields))
        for (std::size_t i = 0; i < fields.size(); ++i) columns.emplace(lowered(fields[i]), i);
    const auto column = [&](auto&& names) {
        for (const auto name : names)
            if (const auto at = columns.find(std::string(name)); at != columns.end())
                return std::optional(at->second);
        return std::optional<std::size_t>();
    };
    const auto video = column(kVideoColumns);
    if (!video)
        throw InputError(sanitizedText(m_file.string()) + " has no column that names videos.",
                         "Name one of its columns file, path or video.");
    const auto prompt = column(kPromptColumns);
    const auto model = column(std::array{"model"}), seed = column(std::array{"seed"});
    const auto step = column(std::array{"step"});
    const auto field = [&](std::optional<std::size_t> at) {
        return at && *at < fields.size() ? std::string_view(fields[*at]) : std::string_view();
    };
    while (csv.next(fields))
        add(std::string(trim(field(video))), {.prompt = video::captionLine(field(prompt)),
                                              .model = video::captionLine(field(model)),
                                              .step = parseCount(trim(field(step))),
                                              .seed = parseCount(trim(field(seed)))});
}

void CaptionTable::readJsonLines() {
    std::ifstream in(m_file, std::ios::binary);
    if (!in) throw InputError("Cannot read " + sanitizedText(m_file.string()) + ".");
    for (std::string line; std::getline(in, line);) {
        const Json json = Json::parse(line, nullptr, false);
        if (!json.is_object()) continue;
        const auto number = [&](const char* key) {
            const auto at = json.find(key);
            return at == json.end() ? std::nullopt : numberOf(*at);
        };
        add(textOf(json, kVideoColumns), {.prompt = textOf(json, kPromptColumns),
                                          .model = textOf(json, std::array{"model"}),
                                          .step = number("step"),
                                          .seed = number("seed")});
    }
    if (m_rows.empty())
        throw InputError(sanitizedText(m_file.string()) + " has no line that names a video.",
                         "Each line is an object with file_name and prompt.");
}

void CaptionTable::add(const std::string& video, ClipCaption caption) {
    if (video.empty()) return;
    const auto row = m_rows.size();
    m_rows.push_back(std::move(caption));
    const auto path = (m_file.parent_path() / video).lexically_normal().string();
    m_byPath.emplace(path, row);
    m_byPath.emplace(withoutEnding(path), row);
    for (const std::string& name : {fs::path(video).filename().string(), fs::path(video).stem().string()})
        if (const auto [at, isNew] = m_byName.emplace(name, row); !isNew && at->second != row)
            at->second = kAmbiguous;
}

const ClipCaption* CaptionTable::find(const fs::path& video) const {
    const auto path = fs::absolute(video).lexically_normal().string();
    for (const std::string& key : {path, withoutEnding(path)})
        if (const auto at = m_byPath.find(key); at != m_byPath.end()) return &m_rows[at->second];
    for (const std::string& key : {video.filename().string(), video.stem().string()})
        if (const auto at = m_byName.find(key); at != m_byName.end() && at->second != kAmbiguous)
            return &m_rows[at->second];
    return nullptr;
}

}  // namespace dailies::exchange
