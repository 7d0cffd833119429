#include "core/curation/captions.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curation/clip_files.h"
#include "core/curation/clip_list.h"

#include <array>
#include <optional>
#include <set>
#include <utility>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, kCaptionStatuses> kStatusNames = {
    "written", "by hand", "truncated", "refused", "repeats", "empty", "failed"};

std::optional<CaptionStatus> statusFromText(const std::string& text) {
    for (std::size_t i = 0; i < kStatusNames.size(); ++i)
        if (text == kStatusNames[i]) return static_cast<CaptionStatus>(i);
    return std::nullopt;
}

std::string lineOf(const std::string& clipId, const Caption& caption) {
    Json json = {{"id", clipId}, {"caption", caption.text}, {"status", toText(caption.status)}};
    if (!caption.settings.empty()) json["settings"] = caption.settings;
    json["time"] = caption.timeMs;
    // a model may answer with anything
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<std::pair<std::string, Caption>> captionFromLine(const std::string& line) try {
    const Json json = Json::parse(line);
    const auto status = statusFromText(json.at("status"));
    if (!status) return std::nullopt;
    return std::pair(json.at("id").get<std::string>(),
                     Caption{json.at("caption"), *status, json.value("settings", std::string()),
                             json.value("time", std::int64_t{0})});
} catch (const Json::exception&) {
    return std::nullopt;
}

bool goesBefore(const Caption& one, const Caption& other) {
    const bool isByHand = one.status == CaptionStatus::ByHand;
    if (isByHand != (other.status == CaptionStatus::ByHand)) return isByHand;
    return one.timeMs >= other.timeMs;
}

}  // namespace

const char* toText(CaptionStatus status) {
    return kStatusNames[static_cast<std::size_t>(status)];
}

Captions loadCaptions(const fs::path& folder) {
    Captions captions;
    LineParts::read(folder, kCaptionFolder, [&](const std::string& line) {
        auto read = captionFromLine(line);
        if (!read) return;
        const auto [at, isNew] = captions.emplace(read->first, read->second);
        if (!isNew && goesBefore(read->second, at->second)) at->second = std::move(read->second);
    });
    return captions;
}

Captions loadFailedCaptions(const fs::path& folder) {
    auto captions = loadCaptions(folder);
    std::erase_if(captions, [](const auto& entry) {
        return entry.second.isUsable() || entry.second.status == CaptionStatus::ByHand;
    });
    return captions;
}

void saveCaptions(const fs::path& folder, const Captions& captions) {
    std::error_code unknown;
    if (captions.empty() && !fs::exists(folder / kCaptionsFile, unknown)) return;
    std::string lines;
    for (const auto& [id, caption] : captions) lines += lineOf(id, caption) + '\n';
    writeFileAtomically(folder / kCaptionsFile, lines);
}

void writeCaptionFiles(const fs::path& folder, const std::vector<ClipRecord>& clips,
                       const Captions& captions) {
    const auto files = clips.empty() ? std::set<std::string>() : clipFilesIn(folder);
    for (const auto& clip : clips) {
        const auto name = clipFileName(clip);
        if (!files.contains(name)) continue;
        const auto file = (folder / kClipFolder / name).replace_extension(".txt");
        const bool isThere = files.contains(file.filename().string());
        const auto entry = captions.find(clip.id);
        const bool isOurs = entry != captions.end();
        if (!isOurs && isThere) continue;
        const std::string text = !isOurs ? clip.caption : entry->second.isUsable() ? entry->second.text : "";
        std::error_code ignored;
        if (!text.empty() && !(isThere && readFile(file) == text))
            writeFileAtomically(file, text);
        else if (text.empty() && isOurs && entry->second.status == CaptionStatus::ByHand)
            fs::remove(file, ignored);
    }
}

CaptionLog::CaptionLog(const fs::path& folder) : m_folder(folder), m_parts(folder, kCaptionFolder) {}

void CaptionLog::add(const std::string& clipId, const Caption& caption) {
    m_parts.add(lineOf(clipId, caption));
}

Captions CaptionLog::merge() {
    auto captions = loadCaptions(m_folder);
    saveCaptions(m_folder, captions);
    m_parts.removeMerged();
    return captions;
}

}  // namespace dailies::curation
