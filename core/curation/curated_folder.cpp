#include "core/curation/curated_folder.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curation/clip_files.h"
#include "core/curation/share_out.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_map>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLinesPerShare = 2048;

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool isBlank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// What a line holds; `why` where it is no clip.
struct ReadLine {
    std::optional<ClipRecord> clip;
    bool kept = false;
    std::string why;
};

ReadLine readLine(std::string_view line, const std::function<void(Json)>& onParsed = {}) {
    ReadLine read;
    try {
        Json json = Json::parse(line);
        read.clip = parseClipRecord(json);
        const auto verdict = json.find("verdict");
        read.kept = verdict != json.end() && *verdict == "keep";
        if (onParsed) onParsed(std::move(json));
    } catch (const Error& error) {
        read.why = error.full();
    } catch (const Json::exception&) {
        read.why = "This is no JSON.";
    }
    return read;
}

std::vector<ReadLine> readLines(const std::vector<std::string_view>& lines, const std::stop_token& stop) {
    std::vector<ReadLine> read(lines.size());
    const auto shares = (lines.size() + kLinesPerShare - 1) / kLinesPerShare;
    shareOut(shares, std::max(1U, std::thread::hardware_concurrency()), [&](std::size_t share) {
        if (stop.stop_requested()) throw Cancelled();
        const auto end = std::min(lines.size(), (share + 1) * kLinesPerShare);
        for (auto i = share * kLinesPerShare; i < end; ++i)
            if (!isBlank(lines[i])) read[i] = readLine(lines[i]);
    });
    return read;
}

/// Of a few clips that are waited for: the folder may hold 100,000 files.
std::set<std::string> clipFilesOf(const CuratedFolder& curated, const char* below) {
    std::set<std::string> names;
    std::error_code unknown;
    for (const auto& clip : curated.clips)
        if (fs::exists(curated.folder / below / clipFileName(clip), unknown))
            names.insert(clipFileName(clip));
    return names;
}

void findFilmsOf(CuratedFolder& curated) {
    struct Film {
        bool isThere = true, isMissed = false;
    };
    std::unordered_map<std::string, Film> films;
    for (const auto& clip : curated.clips) {
        const auto name = clipFileName(clip);
        if (curated.files.contains(name)) continue;
        const auto [found, isNew] = films.emplace(clip.source, Film());
        auto& film = found->second;
        std::error_code unknown;
        if (isNew) film.isThere = fs::exists(clip.source, unknown);
        if (film.isThere) continue;
        curated.absentFilms.insert(clip.source);
        if (film.isMissed || curated.previews.contains(name)) continue;
        film.isMissed = true;
        curated.missingFilms.push_back(clip.source);
    }
}

/// What summary.json says of films, which clips.jsonl does not; nothing where it cannot be read.
ClipListSummary filmsOf(const fs::path& folder) {
    try {
        const auto all = ClipListSummary::fromJson(parseJson(readFile(folder / kSummaryFile), kSummaryFile));
        ClipListSummary films;
        films.films = all.films;
        films.failed = all.failed;
        films.damagedFrames = all.damagedFrames;
        return films;
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

CuratedFolder loadCuratedFolder(const fs::path& folder, std::size_t atMost, const std::stop_token& stop) {
    CuratedFolder curated;
    curated.folder = folder;
    const std::string text = readClipList(folder, atMost);
    curated.config = loadCurationConfig(folder);
    curated.corrections = loadCorrections(folder);
    auto lines = readLines(linesOf(text), stop);
    curated.clips.reserve(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        auto& line = lines[i];
        if (!line.clip) {
            if (!line.why.empty()) curated.unread.push_back({i + 1, std::move(line.why)});
            continue;
        }
        const auto correction = correctionOf(curated.corrections, line.clip->id);
        curated.otherVerdicts += verdictOf(*line.clip, curated.config.verdict, correction).keep != line.kept;
        curated.clips.push_back(std::move(*line.clip));
    }
    for (auto [below, names] :
         {std::pair{kClipFolder, &curated.files}, std::pair{kPreviewFolder, &curated.previews}})
        *names = atMost == 0 ? clipFilesIn(folder, below) : clipFilesOf(curated, below);
    curated.origin = loadCuratedOrigin(folder);
    findFilmsOf(curated);
    return curated;
}

std::vector<ClipRecord> keptClips(const CuratedFolder& curated) {
    std::vector<ClipRecord> kept;
    for (const auto& clip : curated.clips)
        if (verdictOf(clip, curated.config.verdict, correctionOf(curated.corrections, clip.id)).keep)
            kept.push_back(clip);
    return kept;
}

SavedFolder saveChanges(const fs::path& folder, const FolderChanges& changes, const std::stop_token& stop) {
    const std::string text = readClipList(folder, 0);
    auto config = loadCurationConfig(folder);
    config.verdict = changes.rules;
    ClipNotes notes{.corrections = loadCorrections(folder),
                    .captions = loadCaptions(folder),
                    .answers = loadScorerAnswers(folder)};
    for (const auto& [id, correction] : changes.corrections) {
        if (correction == Correction::None)
            notes.corrections.erase(id);
        else
            notes.corrections[id] = correction;
    }
    auto origin = loadCuratedOrigin(folder);
    auto files = clipFilesIn(folder);
    if (origin) files.insert(origin->files.begin(), origin->files.end());
    for (const auto& [id, written] : changes.captions)
        notes.captions[id] = {.text = written, .status = CaptionStatus::ByHand, .timeMs = unixMillis()};
    ClipListWriter writer(changes.rules, notes, std::move(files), filmsOf(folder));
    std::vector<ClipRecord> described;
    for (const auto line : linesOf(text)) {
        if (stop.stop_requested()) throw Cancelled();
        Json json;
        const auto read = readLine(line, [&](Json parsed) { json = std::move(parsed); });
        if (!read.clip) {
            writer.addUnread(line);
            continue;
        }
        writer.add(*read.clip, std::move(json));
        if (changes.captions.contains(read.clip->id)) described.push_back(*read.clip);
    }
    if (origin) {
        origin->unsent = true;
        saveCuratedOrigin(folder, *origin);
    }
    // What people decided first: cut off after it, curating or saving again makes the rest.
    saveCurationConfig(folder, config);
    saveCorrections(folder, notes.corrections);
    if (!changes.captions.empty()) saveCaptions(folder, notes.captions);
    writeCaptionFiles(folder, described, notes.captions);
    auto summary = writer.write(folder);
    return {std::move(summary), std::move(notes.corrections)};
}

}  // namespace dailies::curation
