-- Who does a session's work: another program's agent, or our own.
ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
