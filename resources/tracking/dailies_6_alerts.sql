-- Version 6, what a person is to be told of (core/alerts).

-- alert_key: an alert is raised once under its key. run_uuid '': it is about a cluster. time: unix ms.
CREATE TABLE dailies_alerts (
    alert_id     INTEGER PRIMARY KEY,
    alert_key    TEXT NOT NULL UNIQUE,
    kind         TEXT NOT NULL,  -- "failed", "stuck", "diverged", "finished", "disk"
    run_uuid     TEXT NOT NULL,
    title        TEXT NOT NULL,
    text         TEXT NOT NULL,
    time         INTEGER NOT NULL,
    acknowledged INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX dailies_alerts_of_run ON dailies_alerts (run_uuid);

-- Runs that ended before this moment (unix ms) are history: nobody is to be told of them now.
CREATE TABLE dailies_alerts_since (time INTEGER NOT NULL);
INSERT INTO dailies_alerts_since VALUES (CAST(strftime('%s', 'now') AS INTEGER) * 1000);
