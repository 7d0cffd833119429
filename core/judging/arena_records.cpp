#include "core/judging/arena_records.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/judging/judging_version.h"
#include "core/tracking/curve_rewriter.h"
#include "core/tracking/database.h"
#include "core/tracking/run_rows.h"

#include <array>
#include <cstdio>
#include <utility>

namespace dailies::judging {

namespace {

constexpr std::array<std::pair<Outcome, const char*>, 4> kOutcomes{{{Outcome::Left, "left"},
                                                                    {Outcome::Right, "right"},
                                                                    {Outcome::Tie, "tie"},
                                                                    {Outcome::BothBad, "both_bad"}}};

std::string toText(Outcome outcome) {
    for (const auto& [value, text] : kOutcomes)
        if (value == outcome) return text;
    return "tie";
}

Outcome outcomeFromText(const std::string& word) {
    for (const auto& [value, text] : kOutcomes)
        if (word == text) return value;
    throw InputError("\"" + sanitizedText(word) + "\" is not a match outcome.",
                     "A newer Dailies may have written it.");
}

Json toJson(const Roster& roster) {
    Json subjects = Json::array(), contestants = Json::array();
    for (const PromptSeed& subject : roster.subjects)
        subjects.push_back({{"prompt", subject.prompt}, {"seed", subject.seed}});
    for (const Contestant& contestant : roster.contestants) {
        contestants.push_back(
            {{"run", contestant.runId}, {"step", contestant.step}, {"clips", contestant.paths}});
        if (!contestant.owners.empty()) contestants.back()["clip_runs"] = contestant.owners;
    }
    return {{"subjects", std::move(subjects)}, {"contestants", std::move(contestants)}};
}

Roster fieldFromJson(const Json& json) {
    try {
        Roster roster;
        for (const Json& subject : json.at("subjects"))
            roster.subjects.push_back(
                {subject.at("prompt").get<std::string>(), subject.at("seed").get<std::int64_t>()});
        for (const Json& contestant : json.at("contestants")) {
            roster.contestants.push_back({contestant.at("run").get<std::string>(),
                                          contestant.at("step").get<std::int64_t>(),
                                          contestant.at("clips").get<std::vector<std::string>>()});
            if (const auto owners = contestant.find("clip_runs"); owners != contestant.end())
                roster.contestants.back().owners = owners->get<std::vector<std::string>>();
        }
        return roster;
    } catch (const Json::exception&) {
        throw InputError("The arena record has an unknown format.", "A newer Dailies may have written it.");
    }
}

constexpr const char* kColumns = "a.arena_id, a.title, a.field, a.seed, a.author, a.created_time";

ArenaRecord arenaOf(const SQLite::Statement& row) {
    return {row.getColumn(0).getString(),
            row.getColumn(1).getString(),
            fieldFromJson(parseJson(row.getColumn(2).getString(), "an arena")),
            static_cast<std::uint64_t>(row.getColumn(3).getInt64()),
            row.getColumn(4).getString(),
            row.getColumn(5).getInt64()};
}

std::vector<Choice> readChoices(SQLite::Database& db, const std::string& arenaId) {
    std::vector<Choice> choices;
    SQLite::Statement query(
        db,
        "SELECT subject, left_contestant, right_contestant, outcome, author, time, choice_id "
        "FROM dailies_choices WHERE arena_id = ? ORDER BY choice_id");
    query.bind(1, arenaId);
    while (query.executeStep())
        choices.push_back(
            {{query.getColumn(0).getInt(), query.getColumn(1).getInt(), query.getColumn(2).getInt()},
             outcomeFromText(query.getColumn(3).getString()),
             query.getColumn(4).getString(),
             query.getColumn(5).getInt64(),
             query.getColumn(6).getInt64()});
    return choices;
}

ArenaRecord requireArena(SQLite::Database& db, const std::string& arenaId) {
    SQLite::Statement query(
        db, std::string("SELECT ") + kColumns + " FROM dailies_arenas a WHERE a.arena_id = ?");
    query.bind(1, arenaId);
    if (!query.executeStep())
        throw Error("There is no arena " + sanitizedText(arenaId) + " in the tracking store.",
                    "Begin a new one.");
    return arenaOf(query);
}

std::string ordinal(int place) {
    const int tens = place % 100;
    if (tens >= 11 && tens <= 13) return std::to_string(place) + "th";
    const char* const endings[] = {"th", "st", "nd", "rd"};
    return std::to_string(place) + (place % 10 <= 3 ? endings[place % 10] : "th");
}

/// Writes the strengths to the arena's runs; those that were deleted for ever are passed over.
void renewStrengths(tracking::Database& database, SQLite::Database& db, const std::string& arenaId) {
    const ArenaRecord record = requireArena(db, arenaId);
    const Arena arena(record.roster, record.seed, readChoices(db, arenaId));
    const std::int64_t timeMs = arena.choices().empty() ? 0 : arena.choices().back().timeMs;
    const auto ranking = arena.strengths().ranking();
    tracking::CurveRewriter curves(database.statements());
    SQLite::Statement exists(db, "SELECT 1 FROM runs WHERE run_uuid = ?");
    for (std::size_t place = 0; place < ranking.size(); ++place) {
        const Contestant& run = record.roster.contestants[static_cast<std::size_t>(ranking[place])];
        exists.bind(1, run.runId);
        const bool there = exists.executeStep();
        exists.reset();
        if (!there) continue;
        auto points = curves.points(run.runId, mirror::kArena);
        std::erase_if(points, [&](const auto& point) { return point.step == run.step; });
        if (arena.choices().empty()) {
            curves.replace(run.runId, mirror::kArena, points);
            tracking::removeTag(db, {run.runId}, mirror::kArenaTag);
            continue;
        }
        const double strength = arena.strengths().strength[static_cast<std::size_t>(ranking[place])];
        points.push_back({run.step, timeMs, strength});
        curves.replace(run.runId, mirror::kArena, points);
        char numbers[64];
        std::snprintf(numbers, sizeof numbers, "%.2f ± %.2f", strength,
                      kZ95 * arena.strengths().standardError(ranking[place]));
        tracking::writeTag(db, run.runId, mirror::kArenaTag,
                           std::string(numbers) + " (" + ordinal(static_cast<int>(place) + 1) + " of " +
                               std::to_string(ranking.size()) + ", " +
                               std::to_string(arena.choices().size()) +
                               (arena.choices().size() == 1 ? " bout)" : " matches)"));
    }
    curves.finish();
}

}  // namespace

void addArena(tracking::Store& store, const ArenaRecord& arena) {
    Arena(arena.roster, arena.seed);  // refuses a roster in which nobody meets
    store.database().write([&](SQLite::Database& db) {
        SQLite::Statement insert(db,
                                 "INSERT INTO dailies_arenas (arena_id, title, field, seed, author, "
                                 "created_time) VALUES (?, ?, ?, ?, "
                                 "?, ?)");
        SQLite::bind(insert, arena.id, sanitizedText(arena.title),
                     toJson(arena.roster).dump(-1, ' ', false, Json::error_handler_t::replace),
                     static_cast<std::int64_t>(arena.seed), sanitizedText(arena.author), arena.createdMs);
        insert.exec();
        SQLite::Statement member(
            db, "INSERT OR IGNORE INTO dailies_arena_runs (run_uuid, arena_id) VALUES (?, ?)");
        for (const Contestant& contestant : arena.roster.contestants) {
            tracking::requireRun(db, contestant.runId);
            SQLite::bind(member, contestant.runId, arena.id);
            member.exec();
            member.reset();
        }
    });
}

std::vector<ArenaRecord> arenasOf(const tracking::Store& store, const std::vector<std::string>& runIds) {
    if (!store.hasSchemaVersion(kJudgingVersion)) return {};
    return store.database().read([&](SQLite::Database& db) {
        std::vector<ArenaRecord> arenas;
        SQLite::Statement query(
            db,
            std::string("SELECT ") + kColumns +
                " FROM dailies_arenas a WHERE a.arena_id IN (SELECT arena_id FROM dailies_arena_runs WHERE "
                "run_uuid IN (SELECT value FROM json_each(?))) ORDER BY a.created_time DESC, a.arena_id");
        query.bind(1, tracking::idList(runIds));
        while (query.executeStep()) arenas.push_back(arenaOf(query));
        return arenas;
    });
}

std::vector<Choice> choicesOf(const tracking::Store& store, const std::string& arenaId) {
    if (!store.hasSchemaVersion(kJudgingVersion)) return {};
    return store.database().read([&](SQLite::Database& db) { return readChoices(db, arenaId); });
}

std::int64_t addChoice(tracking::Store& store, const std::string& arenaId, const Choice& choice) {
    store.prepareCurves();
    tracking::Database& database = store.database();
    return database.write([&](SQLite::Database& db) {
        requireArena(db, arenaId);
        SQLite::Statement insert(db,
                                 "INSERT INTO dailies_choices (arena_id, subject, left_contestant, "
                                 "right_contestant, outcome, author, time) VALUES (?, ?, ?, ?, ?, ?, ?)");
        SQLite::bind(insert, arenaId, choice.match.subject, choice.match.left, choice.match.right,
                     toText(choice.outcome), sanitizedText(choice.author), choice.timeMs);
        insert.exec();
        const std::int64_t id = db.getLastInsertRowid();
        renewStrengths(database, db, arenaId);
        return id;
    });
}

void removeChoice(tracking::Store& store, const std::string& arenaId, std::int64_t choiceId) {
    store.prepareCurves();
    tracking::Database& database = store.database();
    database.write([&](SQLite::Database& db) {
        SQLite::Statement remove(db, "DELETE FROM dailies_choices WHERE arena_id = ? AND choice_id = ?");
        SQLite::bind(remove, arenaId, choiceId);
        remove.exec();
        renewStrengths(database, db, arenaId);
    });
}

}  // namespace dailies::judging
