-- Version 8, what clips were made from, and what is known of each of their frames.

-- clip: the path of the clip that was made; path: of the clip that it was made from, in the same run's directory. Clips of all steps
-- may be made from one file. local_path: of the mirrored file, '' until it has come.
CREATE TABLE dailies_clip_inputs (
    run_uuid   TEXT NOT NULL,
    clip       TEXT NOT NULL,
    name       TEXT NOT NULL,  -- "reference", "poses"
    step       INTEGER NOT NULL,
    path       TEXT NOT NULL,
    local_path TEXT NOT NULL,
    PRIMARY KEY (run_uuid, clip, name)
) WITHOUT ROWID;
CREATE INDEX dailies_clip_inputs_path ON dailies_clip_inputs (run_uuid, path);

-- numbers: a JSON array, one a frame.
CREATE TABLE dailies_clip_curves (
    run_uuid TEXT NOT NULL,
    clip     TEXT NOT NULL,
    name     TEXT NOT NULL,  -- "pose_error"
    step     INTEGER NOT NULL,
    numbers  TEXT NOT NULL,
    PRIMARY KEY (run_uuid, clip, name)
) WITHOUT ROWID;
