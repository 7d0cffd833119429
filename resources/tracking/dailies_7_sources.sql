-- Version 7, files of foreign programs that are read while they are written (core/sources).

-- How far each file has been read, and by which source; path is relative to the run directory. stopped: nothing behind the offset can
-- be read. state: what the reader needs to go on, JSON. attempt: of the run, that writes the file.
CREATE TABLE dailies_sources (
    run_uuid TEXT NOT NULL,
    path     TEXT NOT NULL,
    source   TEXT NOT NULL,  -- "TensorBoard"
    offset   INTEGER NOT NULL,
    stopped  INTEGER NOT NULL,
    state    TEXT NOT NULL,
    attempt  INTEGER NOT NULL,
    PRIMARY KEY (run_uuid, path)
) WITHOUT ROWID;

-- Metrics that came from the files of one folder: a writer that says that it resumes there makes points of these alone void. attempt:
-- the newest that wrote the metric; from_step: the step at which it began to, from which on older attempts' points are void.
CREATE TABLE dailies_source_keys (
    run_uuid  TEXT NOT NULL,
    key       TEXT NOT NULL,
    folder    TEXT NOT NULL,
    attempt   INTEGER NOT NULL,
    from_step INTEGER NOT NULL,
    PRIMARY KEY (run_uuid, key, folder)
) WITHOUT ROWID;
