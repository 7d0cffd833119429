#include "core/curation/curate.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/curation/clip_files.h"
#include "core/curation/film_analysis.h"
#include "core/curation/film_files.h"
#include "core/curation/film_store.h"
#include "core/curation/share_out.h"
#include "core/curation/shared_work.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFilmFolder = "films";
constexpr const char* kListItem = "list";

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

fs::path sharedFolderOf(const CurateOptions& options) {
    return sharedFolder(options.out / kFilmFolder, options.sharedBy);
}

/// The work of one call.
class Curation {
public:
    Curation(const CurateOptions& options, const std::function<void(const CurateProgress&)>& onProgress,
             const std::stop_token& stop)
        : m_options(options),
          m_onProgress(onProgress),
          m_stop(stop),
          m_store(options.out / kFilmFolder),
          m_files(stop),
          m_films(m_files.find(options.films, options.out)),
          m_notes{.corrections = loadCorrections(options.out), .answers = loadScorerAnswers(options.out)},
          m_results(m_films.size()) {
        m_progress.films = m_films.size();
    }

    ClipListSummary run() {
        if (!m_options.sharedBy.empty()) {
            removeOldShares(m_options.out / kFilmFolder);
            m_shared.emplace(sharedFolderOf(m_options));
            scoreTogether();
        }
        shareOut(m_films.size(), m_options.threads,
                 [&, order = longestFirst()](std::size_t i) { takeFilm(order[i]); });
        ClipListSummary summary;
        auto clips = collect(summary);
        markDuplicates(clips, m_options.config.duplicates);
        writeFiles(clips);
        if (!m_shared) return writeList(clips, std::move(summary));
        together({kListItem}, [&](std::size_t) {
            writeList(clips, summary);
            return std::string();
        });
        return ClipListSummary::fromJson(parseJson(readFile(m_options.out / kSummaryFile), kSummaryFile));
    }

private:
    template <class Work>
    void together(const std::vector<std::string>& items, const Work& work,
                  std::size_t CurateProgress::*done = nullptr) {
        const auto onOpen = [&](std::size_t open) {
            if (done) report([&](CurateProgress& progress) { progress.*done = items.size() - open; });
        };
        const auto onWaiting = [&](std::size_t open) {
            report([&](CurateProgress& progress) { progress.waiting = open; });
        };
        workTogether(*m_shared, items, m_options.threads, work, m_stop, {onOpen, onWaiting});
    }

    /// Ends with every film's scores in the store, or its problem known.
    void scoreTogether() {
        std::vector<std::string> ids;
        const auto order = longestFirst();
        for (const auto number : order) {
            try {
                ids.push_back(idOf(m_films[number]));
            } catch (const Error&) {
                ids.emplace_back();  // said when its turn comes to be read
            }
        }
        together(
            ids,
            [&](std::size_t i) -> std::string {
                const auto& film = m_films[order[i]];
                const auto began = std::chrono::steady_clock::now();
                const auto scored = score(film, ids[i]);
                const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
                if (!scored.wasKept)
                    saveCost(sharedFolderOf(m_options), ids[i],
                             {utf8Of(film), m_worker, took.count(), m_options.threads});
                finish(film, scored);
                return scored.problem;
            },
            &CurateProgress::filmsDone);
    }

    /// Lest all threads wait for one at the end.
    std::vector<std::size_t> longestFirst() {
        std::vector<std::size_t> order(m_films.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::vector<std::uintmax_t> bytes;
        for (const auto& film : m_films) bytes.push_back(m_files.bytesOf(film));
        std::ranges::stable_sort(order, std::ranges::greater(), [&](auto i) { return bytes[i]; });
        return order;
    }

    struct Scored {
        std::optional<FilmScores> scores;  ///< none: there is a problem
        std::string problem = {};
        bool wasKept = false;  ///< the film was decoded before
    };

    /// Decodes the film where the store does not have it yet, and puts it there.
    Scored score(const std::string& film, const std::string& id) {
        Scored scored;
        std::unique_ptr<FilmFiles::Open> opened;
        try {
            scored.scores = m_store.load(id);
            scored.wasKept = scored.scores.has_value();
            if (!scored.wasKept) opened = m_files.open(film);
            if (!scored.wasKept)
                scored.scores = analyseFilm(
                    opened->file(), [this](int frames) { addFrames(frames); }, m_stop);
        } catch (const Error& error) {
            scored.problem = opened ? opened->named(error.full()) : error.full();
            return scored;
        }
        // that OUT cannot be written is no fault of a film, and ends the work
        if (!scored.wasKept) m_store.save(id, *scored.scores);
        return scored;
    }

    /// Throws `Error` for a film that is not there or cannot be named.
    std::string idOf(const std::string& film) {
        if (!isUtf8(film))
            throw Error("Its name is no valid UTF-8, which JSON could not say.", "Rename the file.");
        return m_files.idOf(film);
    }

    void takeFilm(std::size_t number) {
        if (m_stop.stop_requested()) throw Cancelled();
        const auto& film = m_films[number];
        auto& result = m_results[number];
        std::string id, problem;
        try {
            id = idOf(film);
        } catch (const Error& error) {
            problem = error.full();
        }
        const bool isKnown = m_shared && !id.empty() && m_shared->hasEnded(id);
        if (isKnown) problem = m_shared->problemOf(id);
        const auto scored = problem.empty() ? score(film, id) : Scored{.scores = {}, .problem = problem};
        if (!scored.problem.empty()) result.problem = scored.problem;
        if (scored.scores) {
            result.damagedFrames = static_cast<int>(scored.scores->damaged.size());
            result.clips = clipsOf(*scored.scores, id, film, m_options.config.cuts);
            if (const auto caption = m_files.captionOf(film))
                for (auto& clip : result.clips) clip.caption = utf8Of(*caption);
        }
        if (!isKnown) finish(film, scored);
    }

    std::vector<ClipRecord> collect(ClipListSummary& summary) {
        std::vector<ClipRecord> clips;
        summary.films = static_cast<int>(m_films.size());
        for (std::size_t i = 0; i < m_films.size(); ++i) {
            auto& result = m_results[i];
            summary.damagedFrames += result.damagedFrames;
            if (result.problem) summary.failed.push_back({utf8Of(m_films[i]), utf8Of(*result.problem)});
            std::ranges::move(result.clips, std::back_inserter(clips));
        }
        for (auto& clip : clips) takeAnswers(clip, m_notes.answers);
        return clips;
    }

    void writeFiles(const std::vector<ClipRecord>& clips) {
        std::vector<ClipRecord> kept;
        if (m_options.writeClips)
            std::ranges::copy_if(clips, std::back_inserter(kept), [&](const ClipRecord& clip) {
                return verdictOf(clip, m_options.config.verdict, correctionOf(m_notes.corrections, clip.id))
                    .keep;
            });
        m_progress.clips = kept.size() + (m_options.writePreviews ? clips.size() : 0);
        if (m_options.writeClips) writeInto(kClipFolder, kept, writeClipFiles);
        if (m_options.writePreviews) writeInto(kPreviewFolder, clips, writePreviewFiles);
    }

    /// A file for each of the clips and no others, film by film.
    template <class Write>
    void writeInto(const std::string& name, const std::vector<ClipRecord>& clips, const Write& writeFilm) {
        std::map<std::string, std::vector<ClipRecord>> byFilm;
        for (const auto& clip : clips) byFilm[clip.source].push_back(clip);
        const auto folder = m_options.out / name;
        removeOtherClipFiles(folder, clips);
        const std::vector<std::pair<std::string, std::vector<ClipRecord>>> films(byFilm.begin(),
                                                                                 byFilm.end());
        const auto write = [&](std::size_t i) {
            writeFilm(
                m_files, films[i].first, films[i].second, folder, [this] { addClip(); }, m_stop);
            return std::string();
        };
        if (!m_shared) {
            shareOut(films.size(), m_options.threads, write);
            return;
        }
        std::vector<std::string> items;
        for (const auto& [source, ofFilm] : films)
            items.push_back(name + "-" + ofFilm.front().id.substr(0, ofFilm.front().id.find('-')));
        together(items, write);
    }

    ClipListSummary writeList(const std::vector<ClipRecord>& clips, ClipListSummary summary) {
        saveCurationConfig(m_options.out, m_options.config);
        m_notes.captions = loadCaptions(m_options.out);
        const auto files = m_options.writeClips ? clipFilesIn(m_options.out) : std::set<std::string>();
        writeCaptionFiles(m_options.out, clips, m_notes.captions);
        return writeClipList(m_options.out, clips, m_options.config.verdict, m_notes, files,
                             std::move(summary));
    }

    void addFrames(int frames) {
        report([&](CurateProgress& progress) { progress.framesDecoded += frames; });
    }

    void addClip() {
        report([](CurateProgress& progress) { ++progress.clipsWritten; });
    }

    void finish(const std::string& film, const Scored& scored) {
        const std::lock_guard lock(m_mutex);
        ++m_progress.filmsDone;
        m_progress.kept += scored.wasKept;
        m_progress.own += !scored.wasKept && scored.scores.has_value();
        auto progress = m_progress;
        progress.finished = film;
        progress.problem = scored.problem;
        m_onProgress(progress);
    }

    template <class Change>
    void report(const Change& change) {
        const std::lock_guard lock(m_mutex);
        m_progress.waiting = 0;
        change(m_progress);
        m_onProgress(m_progress);
    }

    const CurateOptions& m_options;
    const std::function<void(const CurateProgress&)>& m_onProgress;
    const std::stop_token& m_stop;
    FilmStore m_store;
    FilmFiles m_files;
    std::vector<std::string> m_films;  ///< paths and URLs
    ClipNotes m_notes;
    std::vector<FilmClips> m_results;  ///< each written by the thread that took its film
    std::optional<SharedWork> m_shared;
    const std::string m_worker = newId();

    std::mutex m_mutex;  ///< of what follows
    CurateProgress m_progress;
};

}  // namespace

Balance balanceOf(const CurateOptions& options) {
    return balanceOf(loadCosts(sharedFolderOf(options)));
}

ClipListSummary curate(const CurateOptions& options,
                       const std::function<void(const CurateProgress&)>& onProgress,
                       const std::stop_token& stop) {
    return Curation(options, onProgress, stop).run();
}

}  // namespace dailies::curation
