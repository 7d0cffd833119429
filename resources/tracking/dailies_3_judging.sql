-- Version 3, what people think of clips. A clip is named by its run and its path there, not by a row of dailies_clips:
-- a resume retracts clips and makes them again, and a person's judgement outlives that.

-- Judgements as they were made. None is changed; one that was taken back keeps its row, so that it can be brought back.
CREATE TABLE dailies_judgements (
    judgement_id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_uuid     TEXT NOT NULL,
    path         TEXT NOT NULL,
    author       TEXT NOT NULL,
    time         INTEGER NOT NULL,
    verdict      TEXT NOT NULL,  -- JSON: {"stars":4}, {"rejected":true}, {"tags":[…]}, {"note":{…}}, {"removed_note":"…"}
    undone       INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX dailies_judgements_of_run ON dailies_judgements (run_uuid);

CREATE TABLE dailies_seen (
    run_uuid TEXT NOT NULL,
    author   TEXT NOT NULL,
    path     TEXT NOT NULL,
    time     INTEGER NOT NULL,
    PRIMARY KEY (run_uuid, author, path)
) WITHOUT ROWID;

CREATE TABLE dailies_arenas (
    arena_id     TEXT NOT NULL PRIMARY KEY,
    title        TEXT NOT NULL,
    field        TEXT NOT NULL,  -- JSON: who takes part, and with which clips
    seed         INTEGER NOT NULL,
    author       TEXT NOT NULL,
    created_time INTEGER NOT NULL
) WITHOUT ROWID;

-- The runs of an arena, so that it is found from each of them.
CREATE TABLE dailies_arena_runs (
    run_uuid TEXT NOT NULL,
    arena_id TEXT NOT NULL,
    PRIMARY KEY (run_uuid, arena_id)
) WITHOUT ROWID;

-- Indices are those of the arena's field; outcome is left, right, tie or both_bad.
CREATE TABLE dailies_choices (
    choice_id       INTEGER PRIMARY KEY AUTOINCREMENT,
    arena_id        TEXT NOT NULL,
    subject         INTEGER NOT NULL,
    left_contestant INTEGER NOT NULL,
    right_contestant INTEGER NOT NULL,
    outcome         TEXT NOT NULL,
    author          TEXT NOT NULL,
    time            INTEGER NOT NULL
);
CREATE INDEX dailies_choices_of_arena ON dailies_choices (arena_id);
