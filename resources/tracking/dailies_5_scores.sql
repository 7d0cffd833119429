-- Version 5, what scorers said of clips (dailies-train score).

-- path '': of all the clips of the step together. A value that is NULL was not given; problem says why. time: unix ms.
CREATE TABLE dailies_scores (
    run_uuid TEXT NOT NULL,
    step     INTEGER NOT NULL,
    path     TEXT NOT NULL,
    metric   TEXT NOT NULL,  -- "score/aesthetic", "score/clip/similarity"
    scorer   TEXT NOT NULL,  -- "aesthetic", "clip"
    value    REAL,
    problem  TEXT NOT NULL,
    time     INTEGER NOT NULL,
    PRIMARY KEY (run_uuid, step, path, metric)
) WITHOUT ROWID;
