-- What people want to know of a node, and that it takes leave: one that drains
-- gets nothing new.
ALTER TABLE nodes ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN version TEXT NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN heard BIGINT NOT NULL DEFAULT 0; -- when it last renewed its lease
ALTER TABLE nodes ADD COLUMN draining BOOLEAN NOT NULL DEFAULT false;

-- A session's home is the node of its newest turn.
DROP INDEX turns_of_session;
CREATE INDEX turns_of_session ON turns (session, accepted);
