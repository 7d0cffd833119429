-- Version 2, its other part: restarts and saved views.

-- The curves' copy serves histories too, a third of this index's size.
DROP INDEX IF EXISTS dailies_metrics_history;

CREATE TABLE dailies_restarts (
    run_uuid  TEXT NOT NULL,
    attempt   INTEGER NOT NULL,
    from_step INTEGER NOT NULL,
    time      INTEGER NOT NULL,
    PRIMARY KEY (run_uuid, attempt)
) WITHOUT ROWID;

-- experiment_id -1: views of all experiments together.
CREATE TABLE dailies_views (
    experiment_id INTEGER NOT NULL,
    name          TEXT NOT NULL,
    content       TEXT NOT NULL,
    changed_time  INTEGER NOT NULL,
    PRIMARY KEY (experiment_id, name)
) WITHOUT ROWID;
