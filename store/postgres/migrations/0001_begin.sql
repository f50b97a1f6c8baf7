-- Times are nanoseconds since 1970. Words that PostgreSQL cannot hold as text
-- are written as the program's own escapes (see words.go).

-- The processes that share this schema. An id is used once: taking a dead
-- process's row away fences it off for good.
CREATE TABLE nodes (
    id          TEXT COLLATE "C" PRIMARY KEY,
    started     BIGINT NOT NULL,
    lease_until BIGINT NOT NULL -- by this database's clock; 0: it has left
);

-- The last thing that each node committed, in numbers that are used once, so
-- that the others can tell cheaply whether there is anything new.
CREATE SEQUENCE mark_numbers;
CREATE TABLE marks (
    node TEXT COLLATE "C" PRIMARY KEY,
    mark BIGINT NOT NULL,
    at   BIGINT NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE sessions (
    id      TEXT COLLATE "C" PRIMARY KEY,
    dir     TEXT COLLATE "C" NOT NULL,
    owner   TEXT COLLATE "C" NOT NULL, -- '' for whoever has the machine
    title   TEXT NOT NULL,
    agent   TEXT NOT NULL, -- '' is our own
    model   TEXT NOT NULL,
    mode    TEXT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL
);
CREATE INDEX sessions_by_update ON sessions (updated DESC, id DESC);
CREATE INDEX sessions_by_owner ON sessions (owner, updated DESC, id DESC);

-- The end of each session's log. Its row is the session's lock, too: whoever
-- writes anything of a session holds it first. It is apart from the session
-- because it is written with every append, and this way that stays small.
CREATE TABLE tails (
    session  TEXT COLLATE "C" PRIMARY KEY,
    last_seq BIGINT NOT NULL
) WITH (fillfactor = 50);

-- The row of a turn decides every race about it.
CREATE TABLE turns (
    id        TEXT COLLATE "C" PRIMARY KEY,
    session   TEXT COLLATE "C" NOT NULL,
    state     TEXT COLLATE "C" NOT NULL, -- queued | running | ended
    node      TEXT COLLATE "C" NOT NULL, -- whose it is
    taken     BOOLEAN NOT NULL DEFAULT false, -- from a dead node, to be ended by this one
    fence     BIGINT NOT NULL, -- raised by every claim; a write with an older one is refused
    claimed   BIGINT NOT NULL DEFAULT 0, -- when it was started
    applied   BIGINT NOT NULL, -- number of its last append, so that one is never applied twice
    first_seq BIGINT NOT NULL,
    accepted  BIGINT NOT NULL,
    stop      TEXT, -- the cause on record
    stop_mode TEXT,
    receipt   TEXT
) WITH (fillfactor = 70);
-- One running turn per session, by index and not by lock alone.
CREATE UNIQUE INDEX turns_running ON turns (session) WHERE state = 'running';
CREATE INDEX turns_unended ON turns (node) WHERE state <> 'ended';
CREATE INDEX turns_of_session ON turns (session);

-- A turn's row is written anew with every append; its prompt may be long, and
-- never changes once it runs.
CREATE TABLE prompts (
    turn   TEXT COLLATE "C" PRIMARY KEY,
    prompt TEXT NOT NULL
);

-- By session, not by time: a session is always read and deleted alone, which
-- then meets one partition, and (session, seq) stays a key that the database
-- enforces. A body is JSON, kept as the bytes that it was.
CREATE TABLE events (
    session TEXT COLLATE "C" NOT NULL,
    seq     BIGINT NOT NULL,
    turn    TEXT COLLATE "C" NOT NULL,
    kind    TEXT COLLATE "C" NOT NULL,
    at      BIGINT NOT NULL,
    body    BYTEA NOT NULL,
    PRIMARY KEY (session, seq)
) PARTITION BY HASH (session);
DO $$
BEGIN
    FOR i IN 0..15 LOOP
        EXECUTE format('CREATE TABLE events_%s PARTITION OF events FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
    END LOOP;
END $$;

-- Stops for turns that have not come: for a turn of the owner's only; '' for
-- anybody's.
CREATE TABLE intents (
    turn  TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    cause TEXT NOT NULL,
    at    BIGINT NOT NULL,
    PRIMARY KEY (turn, owner)
);

-- What ended turns used, by model. It has no part in a session's deletion.
CREATE TABLE spending (
    turn        TEXT COLLATE "C" NOT NULL,
    session     TEXT COLLATE "C" NOT NULL,
    model       TEXT COLLATE "C" NOT NULL,
    owner       TEXT COLLATE "C" NOT NULL,
    at          BIGINT NOT NULL,
    input       BIGINT NOT NULL,
    cache_read  BIGINT NOT NULL,
    cache_write BIGINT NOT NULL,
    output      BIGINT NOT NULL,
    cost        BIGINT NOT NULL, -- in billionths of a dollar
    exact       BOOLEAN NOT NULL, -- as the model told it
    PRIMARY KEY (turn, session, model)
);
CREATE INDEX spending_by_time ON spending (at);
CREATE INDEX spending_of_session ON spending (session);

-- Who may use a server. A secret is not here, only its hash. Times are 0 where
-- there is none.
CREATE TABLE tokens (
    id      TEXT COLLATE "C" PRIMARY KEY,
    owner   TEXT NOT NULL,
    name    TEXT NOT NULL,
    scopes  TEXT NOT NULL, -- with commas between them
    hash    BYTEA NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    used    BIGINT NOT NULL,
    revoked BIGINT NOT NULL,
    cookie  BOOLEAN NOT NULL, -- a browser's
    parent  TEXT COLLATE "C" NOT NULL -- the token that it is revoked with; '' for none
);
CREATE INDEX tokens_of_parent ON tokens (parent) WHERE parent <> '';
