#include "core/curation/curate.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/curation/clip_files.h"
#include "core/curation/film_analysis.h"
#include "core/curation/film_store.h"
#include "core/curation/find_films.h"
#include "core/curation/share_out.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

struct FilmClips {
    std::vector<ClipRecord> clips;
    int damagedFrames = 0;
    std::optional<std::string> problem;
};

bool isUtf8(const std::string& text) {
    try {
        Json(text).dump();
        return true;
    } catch (const Json::type_error&) {
        return false;
    }
}

std::string utf8Of(const std::string& text) {
    return isUtf8(text) ? text : sanitizedText(text);
}

/// The work of one call.
class Curation {
public:
    Curation(const CurateOptions& options, const std::function<void(const CurateProgress&)>& onProgress,
             const std::stop_token& stop)
        : m_options(options),
          m_onProgress(onProgress),
          m_stop(stop),
          m_store(options.out / "films"),
          m_films(findFilms(options.films, options.out)),
          m_corrections(loadCorrections(options.out)),
          m_results(m_films.size()) {
        m_progress.films = m_films.size();
    }

    ClipListSummary run() {
        const auto order = longestFirst();
        shareOut(order.size(), m_options.threads, [&](std::size_t i) { takeFilm(order[i]); });
        ClipListSummary summary;
        auto clips = collect(summary);
        markDuplicates(clips, m_options.config.duplicates);
        if (m_options.writeClips) writeFiles(clips);
        saveCurationConfig(m_options.out, m_options.config);
        return writeClipList(m_options.out, clips, m_options.config.verdict, m_corrections,
                             m_options.writeClips ? clipFilesIn(m_options.out) : std::set<std::string>(),
                             std::move(summary));
    }

private:
    /// Lest all threads wait for one at the end.
    std::vector<std::size_t> longestFirst() const {
        std::vector<std::size_t> order(m_films.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::vector<std::uintmax_t> bytes;
        std::error_code missing;
        for (const auto& film : m_films) bytes.push_back(fs::file_size(film, missing));
        std::ranges::stable_sort(order, std::ranges::greater(), [&](auto i) { return bytes[i]; });
        return order;
    }

    void takeFilm(std::size_t number) {
        if (m_stop.stop_requested()) throw Cancelled();
        const auto& film = m_films[number];
        auto& result = m_results[number];
        std::string id;
        std::optional<FilmScores> scores;
        bool wasKept = false;
        try {
            if (!isUtf8(film.string()))
                throw Error("Its name is no valid UTF-8, which JSON could not say.", "Rename the file.");
            id = FilmStore::idOf(film);
            scores = m_store.load(id);
            wasKept = scores.has_value();
            if (!scores)
                scores = analyseFilm(
                    film, [this](int frames) { addFrames(frames); }, m_stop);
        } catch (const Error& error) {
            result.problem = error.full();
        }
        if (scores) {
            // that OUT cannot be written is no fault of a film, and ends the work
            if (!wasKept) m_store.save(id, *scores);
            result.damagedFrames = static_cast<int>(scores->damaged.size());
            result.clips = clipsOf(*scores, id, film.string(), m_options.config.cuts);
        }
        finish(film, result, wasKept);
    }

    std::vector<ClipRecord> collect(ClipListSummary& summary) {
        std::vector<ClipRecord> clips;
        summary.films = static_cast<int>(m_films.size());
        for (std::size_t i = 0; i < m_films.size(); ++i) {
            auto& result = m_results[i];
            summary.damagedFrames += result.damagedFrames;
            if (result.problem)
                summary.failed.push_back({utf8Of(m_films[i].string()), utf8Of(*result.problem)});
            std::ranges::move(result.clips, std::back_inserter(clips));
        }
        return clips;
    }

    void writeFiles(const std::vector<ClipRecord>& clips) {
        std::vector<ClipRecord> kept;
        std::map<std::string, std::vector<ClipRecord>> byFilm;
        for (const auto& clip : clips)
            if (verdictOf(clip, m_options.config.verdict, correctionOf(m_corrections, clip.id)).keep) {
                kept.push_back(clip);
                byFilm[clip.source].push_back(clip);
            }
        const auto folder = m_options.out / kClipFolder;
        m_progress.clips = kept.size();
        removeOtherClipFiles(folder, kept);
        const std::vector<std::pair<std::string, std::vector<ClipRecord>>> films(byFilm.begin(),
                                                                                 byFilm.end());
        shareOut(films.size(), m_options.threads, [&](std::size_t i) {
            writeClipFiles(
                films[i].first, films[i].second, folder, [this] { addClip(); }, m_stop);
        });
    }

    void addFrames(int frames) {
        const std::lock_guard lock(m_mutex);
        m_progress.framesDecoded += frames;
        m_onProgress(m_progress);
    }

    void addClip() {
        const std::lock_guard lock(m_mutex);
        ++m_progress.clipsWritten;
        m_onProgress(m_progress);
    }

    void finish(const fs::path& film, const FilmClips& result, bool wasKept) {
        const std::lock_guard lock(m_mutex);
        ++m_progress.filmsDone;
        m_progress.kept += wasKept;
        auto progress = m_progress;
        progress.finished = film.string();
        progress.problem = result.problem.value_or("");
        m_onProgress(progress);
    }

    const CurateOptions& m_options;
    const std::function<void(const CurateProgress&)>& m_onProgress;
    const std::stop_token& m_stop;
    FilmStore m_store;
    std::vector<fs::path> m_films;
    Corrections m_corrections;
    std::vector<FilmClips> m_results;  ///< each written by the thread that took its film

    std::mutex m_mutex;  ///< of what follows
    CurateProgress m_progress;
};

}  // namespace

ClipListSummary curate(const CurateOptions& options,
                       const std::function<void(const CurateProgress&)>& onProgress,
                       const std::stop_token& stop) {
    return Curation(options, onProgress, stop).run();
}

}  // namespace dailies::curation
