-- Times are nanoseconds since 1970. Strings that PostgreSQL cannot store as text
-- are escaped (see words.go).

-- The processes that share this schema. An id is used once: deleting the row of a
-- dead process fences it off permanently.
CREATE TABLE nodes (
    id          TEXT COLLATE "C" PRIMARY KEY,
    started     BIGINT NOT NULL,
    lease_until BIGINT NOT NULL, -- by the clock of this database; 0: the node has left
    name        TEXT NOT NULL DEFAULT '',
    version     TEXT NOT NULL DEFAULT '',
    heard       BIGINT NOT NULL DEFAULT 0, -- time of the last renewal of the lease
    draining    BOOLEAN NOT NULL DEFAULT false -- a draining node gets no new turns
);

-- The number of each node's last commit. Numbers are used once, so that the other
-- nodes can detect cheaply whether there is anything new.
CREATE SEQUENCE mark_numbers;
CREATE TABLE marks (
    node TEXT COLLATE "C" PRIMARY KEY,
    mark BIGINT NOT NULL,
    at   BIGINT NOT NULL
) WITH (fillfactor = 50);

-- additional_dirs is a JSON array, or '' if there are none; effort is the reasoning
-- effort of the model, or '' for the configured one.
CREATE TABLE sessions (
    id              TEXT COLLATE "C" PRIMARY KEY,
    dir             TEXT COLLATE "C" NOT NULL,
    owner           TEXT COLLATE "C" NOT NULL, -- '' for sessions of this machine's user
    title           TEXT NOT NULL,
    agent           TEXT NOT NULL, -- hosted agent; '' for Bellcord's own
    model           TEXT NOT NULL,
    mode            TEXT NOT NULL,
    created         BIGINT NOT NULL,
    updated         BIGINT NOT NULL,
    additional_dirs TEXT NOT NULL DEFAULT '',
    effort          TEXT NOT NULL DEFAULT '',
    auto_title      BOOLEAN NOT NULL DEFAULT false -- made from a prompt or by an agent: clearing the conversation removes the title
);
CREATE INDEX sessions_by_update ON sessions (updated DESC, id DESC);
CREATE INDEX sessions_by_owner ON sessions (owner, updated DESC, id DESC);

-- The head of each session's log: the number and the hash of its last event. The
-- row is also the lock of the session: every writer takes it first. Every append
-- rewrites it, so it is separate from the row of the session, and small.
CREATE TABLE tails (
    session  TEXT COLLATE "C" PRIMARY KEY,
    last_seq BIGINT NOT NULL DEFAULT 0,
    hash     BYTEA NOT NULL DEFAULT ''
) WITH (fillfactor = 50);

-- The row of a turn decides every race about it.
CREATE TABLE turns (
    id         TEXT COLLATE "C" PRIMARY KEY,
    session    TEXT COLLATE "C" NOT NULL,
    state      TEXT COLLATE "C" NOT NULL, -- queued | running | ended
    node       TEXT COLLATE "C" NOT NULL, -- the process that has the turn
    taken      BOOLEAN NOT NULL DEFAULT false, -- from a dead node, which cannot end it
    fence      BIGINT NOT NULL, -- raised by every claim; a write with an older one is refused
    claimed    BIGINT NOT NULL DEFAULT 0, -- time of the start
    applied    BIGINT NOT NULL, -- number of the last append, so that none is applied twice
    first_seq  BIGINT NOT NULL,
    accepted   BIGINT NOT NULL,
    stop       TEXT, -- the recorded cause, as JSON
    stop_mode  TEXT,
    receipt    TEXT, -- as JSON
    stopped_by BIGINT -- request time of the stop that ended the turn
) WITH (fillfactor = 70);
-- An index, not only a lock, limits a session to one running turn.
CREATE UNIQUE INDEX turns_running ON turns (session) WHERE state = 'running';
CREATE INDEX turns_unended ON turns (node) WHERE state <> 'ended';
-- The home of a session is the node of its newest turn.
CREATE INDEX turns_of_session ON turns (session, accepted);
-- The stop of a scope finds the turns that it ended before it was recorded.
CREATE INDEX turns_stopped_by ON turns (stopped_by) WHERE stopped_by IS NOT NULL;
-- The last receipts are found without reading all turns.
CREATE INDEX turns_ended ON turns (accepted DESC, id DESC) WHERE receipt IS NOT NULL;

-- Every append rewrites the row of a turn. Its prompt can be long and does not
-- change while the turn runs, so it has a table of its own.
CREATE TABLE prompts (
    turn   TEXT COLLATE "C" PRIMARY KEY,
    prompt TEXT NOT NULL -- as JSON, without images
);

-- Partitioned by session, not by time: a session is always read and deleted alone,
-- which touches one partition, and (session, seq) stays a key that the database
-- enforces. A body is JSON, kept byte for byte. hash is the SHA-256 of the event
-- before it and of the other columns.
CREATE TABLE events (
    session TEXT COLLATE "C" NOT NULL,
    seq     BIGINT NOT NULL,
    turn    TEXT COLLATE "C" NOT NULL, -- '' for events of the session
    kind    TEXT COLLATE "C" NOT NULL,
    at      BIGINT NOT NULL,
    body    BYTEA NOT NULL,
    hash    BYTEA NOT NULL,
    PRIMARY KEY (session, seq)
) PARTITION BY HASH (session);
DO $$
BEGIN
    FOR i IN 0..15 LOOP
        EXECUTE format('CREATE TABLE events_%s PARTITION OF events FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
    END LOOP;
END $$;

-- Stops whose turn has not arrived. A stop with an owner waits for a turn of that
-- owner; '' for a turn of any owner.
CREATE TABLE intents (
    turn  TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    cause TEXT NOT NULL, -- as JSON
    at    BIGINT NOT NULL,
    PRIMARY KEY (turn, owner)
);
-- An owner's oldest are found without reading all of them.
CREATE INDEX intents_of_owner ON intents (owner, at, turn);

-- Usage of ended turns, by model. Deleting a session keeps its rows.
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
    exact       BOOLEAN NOT NULL, -- true: reported by the model; false: estimated
    PRIMARY KEY (turn, session, model)
);
CREATE INDEX spending_by_time ON spending (at);
CREATE INDEX spending_of_session ON spending (session);
CREATE INDEX spending_of_owner ON spending (owner, at);

-- Access tokens of a server. Only the hash of a secret is stored. A time is 0 if
-- the event has not happened.
CREATE TABLE tokens (
    id      TEXT COLLATE "C" PRIMARY KEY,
    owner   TEXT NOT NULL,
    name    TEXT NOT NULL,
    scopes  TEXT NOT NULL, -- separated by commas
    hash    BYTEA NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    used    BIGINT NOT NULL,
    revoked BIGINT NOT NULL,
    cookie  BOOLEAN NOT NULL, -- the token of a browser
    parent  TEXT COLLATE "C" NOT NULL -- revoking this token revokes the row's token; '' for none
);
CREATE INDEX tokens_of_parent ON tokens (parent) WHERE parent <> '';

-- Secrets that the nodes share, written once. Only the database's user can read
-- them. 'bus' signs the messages between nodes.
CREATE TABLE secrets (
    name   TEXT COLLATE "C" PRIMARY KEY,
    secret BYTEA NOT NULL
);
REVOKE ALL ON secrets FROM PUBLIC;

-- Copies of conversations that can be read by a link. Only the hash of a link's
-- secret is stored.
CREATE TABLE shares (
    id      TEXT COLLATE "C" PRIMARY KEY,
    owner   TEXT NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    title   TEXT NOT NULL,
    hash    BYTEA NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    content BYTEA NOT NULL
);
CREATE INDEX shares_of_session ON shares (session);

-- Browsers that receive messages while the page is closed. The key that signs
-- these messages is in secrets.
CREATE TABLE push_subscriptions (
    id         TEXT COLLATE "C" PRIMARY KEY,
    owner      TEXT NOT NULL,
    token      TEXT NOT NULL,
    endpoint   TEXT NOT NULL,
    public_key BYTEA NOT NULL,
    auth       BYTEA NOT NULL,
    questions  BOOLEAN NOT NULL,
    ends       BOOLEAN NOT NULL,
    created    BIGINT NOT NULL
);
CREATE INDEX push_subscriptions_of_owner ON push_subscriptions (owner);
