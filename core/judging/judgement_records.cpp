#include "core/judging/judgement_records.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/judging/judging_version.h"
#include "core/tracking/curve_rewriter.h"
#include "core/tracking/database.h"
#include "core/tracking/run_rows.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

namespace dailies::judging {

namespace {

constexpr std::size_t kLongestTag = 5'000;  ///< characters; MLflow's column holds 8,000

/// A clip as the mirror needs it.
struct JudgedClip {
    std::int64_t step = 0;
    std::string prompt;
    std::int64_t seed = 0;
};

Judgement judgementOf(const SQLite::Statement& row) {
    return {{row.getColumn(0).getString(), row.getColumn(1).getString()},
            row.getColumn(2).getString(),
            row.getColumn(3).getInt64(),
            reviewActionFromJson(parseJson(row.getColumn(4).getString(), "a judgement of a clip"))};
}

/// `newest` gets the time of each clip's newest judgement.
Reviews reviewsOf(SQLite::Database& db, const std::vector<std::string>& runIds,
                  std::map<ClipKey, std::int64_t>* newest = nullptr) {
    Reviews reviews;
    SQLite::Statement query(
        db,
        "SELECT run_uuid, path, author, time, verdict FROM dailies_judgements WHERE "
        "run_uuid IN (SELECT value FROM json_each(?)) AND undone = 0 ORDER BY judgement_id");
    query.bind(1, tracking::idList(runIds));
    while (query.executeStep()) {
        const Judgement judgement = judgementOf(query);
        reviews[judgement.clip].apply(judgement);
        if (newest) (*newest)[judgement.clip] = judgement.timeMs;
    }
    std::erase_if(reviews, [](const auto& entry) { return entry.second.empty(); });
    return reviews;
}

std::map<std::string, JudgedClip> clipsOf(SQLite::Database& db, const std::string& runId) {
    std::map<std::string, JudgedClip> clips;
    SQLite::Statement query(db, "SELECT path, step, prompt, seed FROM dailies_clips WHERE run_uuid = ?");
    query.bind(1, runId);
    while (query.executeStep())
        clips[query.getColumn(0).getString()] = {
            query.getColumn(1).getInt64(), query.getColumn(2).getString(), query.getColumn(3).getInt64()};
    return clips;
}

/// What a run's reviews come to.
class Summary {
public:
    void add(const ClipReview& review, const JudgedClip& clip, std::int64_t timeMs) {
        ++m_clips;
        m_rejected += review.isRejected();
        for (const auto& tag : review.tags()) m_tags.insert(tag);
        for (const auto& [author, opinion] : review.opinions) m_authors.insert(author);
        for (const Note& note : review.notes) {
            m_authors.insert(note.author);
            m_notes.emplace_back(clip.step, clip.prompt, clip.seed, &note);
        }
        if (const auto rating = review.rating()) {
            Step& step = m_steps[clip.step];
            step.sum += *rating;
            ++step.clips;
            step.timeMs = std::max(step.timeMs, timeMs);
        }
    }

    std::vector<tracking::MetricPoint> ratings() const {
        std::vector<tracking::MetricPoint> points;
        for (const auto& [number, step] : m_steps)
            points.push_back({number, step.timeMs, step.sum / step.clips});
        return points;
    }

    std::map<std::string, std::string> tags() const {
        return {{mirror::kRatingTag, rating()},
                {mirror::kRejectedTag,
                 m_rejected == 0 ? ""
                                 : std::to_string(m_rejected) + " of " + pluralize(m_clips, "clip", "clips")},
                {mirror::kTagsTag, join({m_tags.begin(), m_tags.end()}, ", ")},
                {mirror::kNotesTag, notes()},
                {mirror::kAuthorsTag, join({m_authors.begin(), m_authors.end()}, ", ")}};
    }

private:
    struct Step {
        double sum = 0;
        int clips = 0;
        std::int64_t timeMs = 0;
    };

    std::string rating() const {
        double sum = 0;
        int clips = 0;
        for (const auto& [number, step] : m_steps) {
            sum += step.sum;
            clips += step.clips;
        }
        if (clips == 0) return {};
        char text[32];
        std::snprintf(text, sizeof text, "%.2f of 5 (", sum / clips);
        return text + pluralize(static_cast<std::size_t>(clips), "clip", "clips") + ")";
    }

    std::string notes() const {
        auto ordered = m_notes;
        std::ranges::stable_sort(ordered, {}, [](const auto& entry) {
            return std::tie(std::get<0>(entry), std::get<1>(entry), std::get<2>(entry));
        });
        std::string lines;
        for (const auto& [step, prompt, seed, note] : ordered) {
            std::string frames = std::to_string(note->firstFrame + 1);  // people count frames from 1
            if (note->lastFrame > note->firstFrame) frames += "–" + std::to_string(note->lastFrame + 1);
            const std::string line = "- step " + std::to_string(step) + ", " + prompt + ", seed " +
                                     std::to_string(seed) + ", frame " + frames + ": " +
                                     (note->text.empty() ? "(drawing)" : note->text) + " — " + note->author +
                                     "\n";
            if (lines.size() + line.size() > kLongestTag) return lines + "- …\n";
            lines += line;
        }
        return lines;
    }

    std::size_t m_clips = 0;
    int m_rejected = 0;
    std::set<std::string> m_tags, m_authors;
    std::vector<std::tuple<std::int64_t, std::string, std::int64_t, const Note*>> m_notes;
    std::map<std::int64_t, Step> m_steps;
};

void renewSummary(tracking::Database& database, SQLite::Database& db, const std::string& runId) {
    std::map<ClipKey, std::int64_t> newest;
    const Reviews reviews = reviewsOf(db, {runId}, &newest);
    const auto clips = clipsOf(db, runId);
    Summary summary;
    for (const auto& [key, review] : reviews)
        if (const auto clip = clips.find(key.path); clip != clips.end())
            summary.add(review, clip->second, newest.at(key));

    for (const auto& [key, value] : summary.tags()) {
        if (value.empty())
            tracking::removeTag(db, {runId}, key);
        else
            tracking::writeTag(db, runId, key, value);
    }
    tracking::CurveRewriter curves(database.statements());
    if (const auto ratings = summary.ratings(); ratings != curves.points(runId, mirror::kRating))
        curves.replace(runId, mirror::kRating, ratings);
    curves.finish();
}

}  // namespace

std::int64_t record(tracking::Store& store, const Judgement& judgement) {
    const Judgement made = validate(judgement);
    store.prepareCurves();  // what is much takes several transactions
    tracking::Database& database = store.database();
    return database.write([&](SQLite::Database& db) {
        tracking::requireRun(db, made.clip.runId);
        SQLite::Statement insert(
            db,
            "INSERT INTO dailies_judgements (run_uuid, path, author, time, verdict) VALUES (?, ?, ?, ?, ?)");
        SQLite::bind(insert, made.clip.runId, made.clip.path, made.author, made.timeMs,
                     toJson(made.action).dump(-1, ' ', false, Json::error_handler_t::replace));
        insert.exec();
        const std::int64_t id = db.getLastInsertRowid();
        renewSummary(database, db, made.clip.runId);
        return id;
    });
}

void setRetracted(tracking::Store& store, std::int64_t judgementId, bool retracted) {
    store.prepareCurves();
    tracking::Database& database = store.database();
    database.write([&](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT run_uuid FROM dailies_judgements WHERE judgement_id = ?");
        query.bind(1, judgementId);
        if (!query.executeStep())
            throw Error(
                "There is no judgement number " + std::to_string(judgementId) + " in the tracking store.",
                "Its run was permanently deleted.");
        const std::string runId = query.getColumn(0).getString();
        SQLite::Statement update(db, "UPDATE dailies_judgements SET undone = ? WHERE judgement_id = ?");
        SQLite::bind(update, retracted ? 1 : 0, judgementId);
        update.exec();
        renewSummary(database, db, runId);
    });
}

Reviews readReviews(const tracking::Store& store, const std::vector<std::string>& runIds) {
    if (!store.hasSchemaVersion(kJudgingVersion)) return {};
    return store.database().read([&](SQLite::Database& db) { return reviewsOf(db, runIds); });
}

std::set<ClipKey> judgedClips(const tracking::Store& store) {
    if (!store.hasSchemaVersion(kJudgingVersion)) return {};
    return store.database().read([](SQLite::Database& db) {
        std::set<ClipKey> judged;
        const std::string contestant = "json_extract(a.field, '$.contestants[' || c.";
        const auto compared = [&](const std::string& side) {
            return "SELECT " + contestant + side + "_contestant || '].run'), " + contestant + side +
                   "_contestant || '].clips[' || c.subject || ']') FROM dailies_choices c "
                   "JOIN dailies_arenas a ON a.arena_id = c.arena_id";
        };
        SQLite::Statement query(db, "SELECT run_uuid, path FROM dailies_judgements WHERE undone = 0 UNION " +
                                        compared("left") + " UNION " + compared("right"));
        while (query.executeStep())
            judged.insert({query.getColumn(0).getString(), query.getColumn(1).getString()});
        return judged;
    });
}

}  // namespace dailies::judging
