-- The store's id and the number of its commits. The data directory has both in
-- the file store.id, so that a database that was lost, replaced or cut back is
-- noticed at the next start.
CREATE TABLE identity (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    id      TEXT NOT NULL,
    commits BIGINT NOT NULL
);
