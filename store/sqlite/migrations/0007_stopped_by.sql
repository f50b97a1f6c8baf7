-- When the stop was asked for that ended a turn: a stop of a scope finds by it
-- the turns that it had ended before it was on record itself.
ALTER TABLE turns ADD COLUMN stopped_by INTEGER;
CREATE INDEX turns_stopped_by ON turns (stopped_by) WHERE stopped_by IS NOT NULL;
