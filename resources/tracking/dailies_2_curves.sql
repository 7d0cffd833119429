-- Version 2, one part: the curves' own copy of the points with its pyramid. A store that may not be written has these tables in a
-- cache file.

-- A metric of a run, and its points in the order (step, timestamp, value): `sealed` of them lie in dailies_curve_rows, those
-- after them in `tail`. A point is 24 bytes, little-endian: int64 step, int64 timestamp, float64 value.
CREATE TABLE dailies_curves (
    curve_id INTEGER PRIMARY KEY,
    run_uuid TEXT NOT NULL,
    key      TEXT NOT NULL,
    sealed   INTEGER NOT NULL,
    tail     BLOB NOT NULL,
    UNIQUE (run_uuid, key)
);

-- row_id = curve_id << 32 | level << 28 | number. Level 0 holds points, 168 a row; level L holds buckets of 16^L points each
-- (core/tracking/curve.h), 46 a row. Rows other than the last of a level are full.
CREATE TABLE dailies_curve_rows (
    row_id INTEGER PRIMARY KEY,
    items  BLOB NOT NULL
);

-- One row: up to which rowid of `metrics` the curves are complete, and the point that lies there. Another program that
-- wrote points left greater rowids; one that rebuilt or emptied the table left another point, or none, at this rowid.
CREATE TABLE dailies_curves_seen (
    seen      INTEGER NOT NULL,
    run_uuid  TEXT NOT NULL,
    key       TEXT NOT NULL,
    step      INTEGER NOT NULL,
    timestamp INTEGER NOT NULL
);
INSERT INTO dailies_curves_seen (seen, run_uuid, key, step, timestamp) VALUES (0, '', '', 0, 0);
