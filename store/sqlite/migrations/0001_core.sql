-- The processes that share this database. An id is used once: taking a dead
-- process's row away fences it off for good.
CREATE TABLE nodes (
    id      TEXT PRIMARY KEY,
    started BIGINT NOT NULL
);

CREATE TABLE sessions (
    id      TEXT PRIMARY KEY,
    dir     TEXT NOT NULL,
    title   TEXT NOT NULL,
    model   TEXT NOT NULL,
    mode    TEXT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL
);
CREATE INDEX sessions_by_update ON sessions (updated DESC);

-- The row of a turn decides every race about it.
CREATE TABLE turns (
    id        TEXT PRIMARY KEY,
    session   TEXT NOT NULL,
    state     TEXT NOT NULL, -- queued | running | ended
    node      TEXT NOT NULL, -- whose it is
    taken     BIGINT NOT NULL DEFAULT 0, -- 1: taken over from a dead node, to be ended by this one
    fence     BIGINT NOT NULL, -- raised by every claim; a write with an older one is refused
    claimed   BIGINT NOT NULL DEFAULT 0, -- when it was started
    applied   BIGINT NOT NULL, -- number of its last append, so that one is never applied twice
    first_seq BIGINT NOT NULL,
    accepted  BIGINT NOT NULL,
    prompt    TEXT NOT NULL,
    stop      TEXT, -- the cause on record
    stop_mode TEXT,
    receipt   TEXT
);
-- One running turn per session, by index and not by lock.
CREATE UNIQUE INDEX turns_running ON turns (session) WHERE state = 'running';
CREATE INDEX turns_unended ON turns (node) WHERE state <> 'ended';
CREATE INDEX turns_of_session ON turns (session);

CREATE TABLE events (
    session TEXT NOT NULL,
    seq     BIGINT NOT NULL,
    turn    TEXT NOT NULL,
    kind    TEXT NOT NULL,
    at      BIGINT NOT NULL,
    body    TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) WITHOUT ROWID;

-- Stops for turns that have not come.
CREATE TABLE intents (
    turn  TEXT PRIMARY KEY,
    cause TEXT NOT NULL,
    at    BIGINT NOT NULL
);
