-- What people want to know of a node, and that it takes leave: one that drains
-- gets nothing new.
ALTER TABLE nodes ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN version TEXT NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN heard BIGINT NOT NULL DEFAULT 0; -- when it last renewed its lease
ALTER TABLE nodes ADD COLUMN draining BOOLEAN NOT NULL DEFAULT false;

-- A session's home is the node of its newest turn.
DROP INDEX turns_of_session;
CREATE INDEX turns_of_session ON turns (session, accepted);

-- When the stop was asked for that ended a turn: a stop of a scope finds by it
-- the turns that it had ended before it was on record itself.
ALTER TABLE turns ADD COLUMN stopped_by BIGINT;
CREATE INDEX turns_stopped_by ON turns (stopped_by) WHERE stopped_by IS NOT NULL;
