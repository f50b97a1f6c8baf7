-- Secrets that the nodes share. They are written once; nobody but the database's
-- user may read them. 'bus' signs the messages between nodes.
CREATE TABLE secrets (
    name   TEXT COLLATE "C" PRIMARY KEY,
    secret BYTEA NOT NULL
);
REVOKE ALL ON secrets FROM PUBLIC;
