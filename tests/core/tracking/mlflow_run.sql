-- One run as MLflow's client logs it.
INSERT INTO experiments (experiment_id, name, artifact_location, lifecycle_stage, creation_time, last_update_time)
VALUES (1, 'vd-sweep', 'file:///data/arts/1', 'active', 1700000000000, 1700000000000);
INSERT INTO runs (run_uuid, name, source_type, source_name, entry_point_name, user_id, status, start_time, end_time,
                  source_version, lifecycle_stage, artifact_uri, experiment_id)
VALUES ('0123456789abcdef0123456789abcdef', 'trial-000', 'JOB', '', '', 'me', 'RUNNING', 1700000000000, NULL, '', 'active',
        'file:///data/arts/1/0123456789abcdef0123456789abcdef/artifacts', 1);
INSERT INTO params ("key", value, run_uuid) VALUES ('lr', '1e-4', '0123456789abcdef0123456789abcdef');
INSERT INTO tags ("key", value, run_uuid) VALUES ('mlflow.runName', 'trial-000', '0123456789abcdef0123456789abcdef');
INSERT INTO metrics ("key", value, timestamp, run_uuid, step, is_nan)
VALUES ('loss', 0.5, 1700000001000, '0123456789abcdef0123456789abcdef', 1, 0),
       ('loss', 0.0, 1700000002000, '0123456789abcdef0123456789abcdef', 2, 1);
INSERT INTO latest_metrics ("key", value, timestamp, step, is_nan, run_uuid)
VALUES ('loss', 0.0, 1700000002000, 2, 1, '0123456789abcdef0123456789abcdef');
