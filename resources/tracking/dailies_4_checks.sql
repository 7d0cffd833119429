-- Version 4, what the automatic checks found in clips (core/quality/clip_checks.h).

-- A clip that was checked, and by which revision of the checks; a clip without findings is here alone.
CREATE TABLE dailies_checked_clips (
    run_uuid TEXT NOT NULL,
    path     TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (run_uuid, path)
) WITHOUT ROWID;

-- Frames count from 0; severity 1: worth a look, 2: nothing worth judging.
CREATE TABLE dailies_findings (
    finding_id  INTEGER PRIMARY KEY,
    run_uuid    TEXT NOT NULL,
    path        TEXT NOT NULL,
    "check"     TEXT NOT NULL,
    severity    INTEGER NOT NULL,
    first_frame INTEGER NOT NULL,
    last_frame  INTEGER NOT NULL,
    text        TEXT NOT NULL
);
CREATE INDEX dailies_findings_of_clip ON dailies_findings (run_uuid, path);
