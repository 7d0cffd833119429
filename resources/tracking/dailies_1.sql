-- Version 1 of Dailies' own tables, beside MLflow's in the same file.
-- None refers to MLflow's tables by FOREIGN KEY: MLflow's migrations drop and rebuild tables, which would delete or refuse.

CREATE TABLE dailies_schema (
    version INTEGER NOT NULL
);
INSERT INTO dailies_schema (version) VALUES (1);

-- How far a run's events.jsonl has been read; attempt is the newest of which it is known from which step it went on.
CREATE TABLE dailies_ingest (
    run_uuid TEXT NOT NULL PRIMARY KEY,
    offset   INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    attempt  INTEGER NOT NULL
) WITHOUT ROWID;

-- Metrics that came from events.jsonl: a resume retracts points of these alone, never what people or tools added.
CREATE TABLE dailies_metric_keys (
    run_uuid TEXT NOT NULL,
    key      TEXT NOT NULL,
    PRIMARY KEY (run_uuid, key)
) WITHOUT ROWID;

CREATE TABLE dailies_sweeps (
    sweep_id      TEXT NOT NULL PRIMARY KEY,
    name          TEXT NOT NULL,
    cluster       TEXT NOT NULL,
    experiment_id INTEGER NOT NULL,
    yaml          TEXT NOT NULL,
    script        TEXT NOT NULL,
    job_id        TEXT NOT NULL,
    created_time  INTEGER NOT NULL
);

CREATE TABLE dailies_attempts (
    run_uuid   TEXT NOT NULL,
    job        TEXT NOT NULL,
    restarts   INTEGER NOT NULL,
    state      TEXT NOT NULL,
    reason     TEXT NOT NULL,
    exit_code  TEXT NOT NULL,
    node       TEXT NOT NULL,
    start_time INTEGER NOT NULL,
    end_time   INTEGER NOT NULL,
    PRIMARY KEY (run_uuid, job, restarts)
);

CREATE TABLE dailies_clips (
    run_uuid   TEXT NOT NULL,
    path       TEXT NOT NULL,
    step       INTEGER NOT NULL,
    prompt     TEXT NOT NULL,
    seed       INTEGER NOT NULL,
    frames     INTEGER NOT NULL,
    height     INTEGER NOT NULL,
    width      INTEGER NOT NULL,
    fps        REAL NOT NULL,
    adherence  REAL,
    local_path TEXT NOT NULL,
    PRIMARY KEY (run_uuid, path)
);
CREATE INDEX dailies_clips_to_fetch ON dailies_clips (step) WHERE local_path = '';

CREATE TABLE dailies_checkpoints (
    run_uuid TEXT NOT NULL,
    step     INTEGER NOT NULL,
    path     TEXT NOT NULL,
    bytes    INTEGER NOT NULL,
    PRIMARY KEY (run_uuid, step)
);

CREATE TABLE dailies_messages (
    message_id INTEGER PRIMARY KEY,
    run_uuid   TEXT NOT NULL,
    time       INTEGER NOT NULL,
    level      TEXT NOT NULL,
    text       TEXT NOT NULL
);
CREATE INDEX dailies_messages_of_run ON dailies_messages (run_uuid, time);
