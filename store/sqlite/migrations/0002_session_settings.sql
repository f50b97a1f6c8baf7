-- Further directories of a session, as a JSON array, or '' if there are none; and
-- the reasoning effort of its model, or '' for the configured one.
ALTER TABLE sessions ADD COLUMN additional_dirs TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN effort TEXT NOT NULL DEFAULT '';
