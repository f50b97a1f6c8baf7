-- Times are nanoseconds since 1970.

-- The processes that share this database. An id is used once: deleting the row
-- of a dead process fences it off permanently.
CREATE TABLE nodes (
    id      TEXT PRIMARY KEY,
    started BIGINT NOT NULL
);

-- additional_dirs is a JSON array, or '' if there are none; effort is the reasoning
-- effort of the model, or '' for the configured one.
CREATE TABLE sessions (
    id              TEXT PRIMARY KEY,
    dir             TEXT NOT NULL,
    title           TEXT NOT NULL,
    model           TEXT NOT NULL,
    mode            TEXT NOT NULL,
    created         BIGINT NOT NULL,
    updated         BIGINT NOT NULL,
    agent           TEXT NOT NULL, -- hosted agent; '' for Bellcord's own
    owner           TEXT NOT NULL, -- '' for sessions of this machine's user
    additional_dirs TEXT NOT NULL DEFAULT '',
    effort          TEXT NOT NULL DEFAULT '',
    auto_title      INTEGER NOT NULL DEFAULT 0 -- made from a prompt or by an agent: clearing the conversation removes the title
);
CREATE INDEX sessions_by_update ON sessions (updated DESC);
CREATE INDEX sessions_by_owner ON sessions (owner, updated DESC);

-- The row of a turn decides every race about it.
CREATE TABLE turns (
    id         TEXT PRIMARY KEY,
    session    TEXT NOT NULL,
    state      TEXT NOT NULL, -- queued | running | ended
    node       TEXT NOT NULL, -- the process that has the turn
    taken      BIGINT NOT NULL DEFAULT 0, -- 1: taken over from a dead node, which cannot end it
    fence      BIGINT NOT NULL, -- raised by every claim; a write with an older one is refused
    claimed    BIGINT NOT NULL DEFAULT 0, -- time of the start
    applied    BIGINT NOT NULL, -- number of the last append, so that none is applied twice
    first_seq  BIGINT NOT NULL,
    accepted   BIGINT NOT NULL,
    stop       TEXT, -- the recorded cause, as JSON
    stop_mode  TEXT,
    receipt    TEXT, -- as JSON
    stopped_by INTEGER -- request time of the stop that ended the turn
);
-- An index, not a lock, limits a session to one running turn.
CREATE UNIQUE INDEX turns_running ON turns (session) WHERE state = 'running';
CREATE INDEX turns_unended ON turns (node) WHERE state <> 'ended';
CREATE INDEX turns_of_session ON turns (session);
-- The stop of a scope finds the turns that it ended before it was recorded.
CREATE INDEX turns_stopped_by ON turns (stopped_by) WHERE stopped_by IS NOT NULL;
-- The last receipts are found without reading all turns.
CREATE INDEX turns_ended ON turns (accepted DESC, id DESC) WHERE receipt IS NOT NULL;

-- Every append rewrites the row of a turn. Its prompt can be long and does not
-- change while the turn runs, so it has a table of its own.
CREATE TABLE prompts (
    turn   TEXT PRIMARY KEY,
    prompt TEXT NOT NULL -- as JSON, without images
) WITHOUT ROWID;

-- hash is the SHA-256 of the event before it and of the other columns.
CREATE TABLE events (
    session TEXT NOT NULL,
    seq     BIGINT NOT NULL,
    turn    TEXT NOT NULL, -- '' for events of the session
    kind    TEXT NOT NULL,
    at      BIGINT NOT NULL,
    body    TEXT NOT NULL, -- as JSON
    hash    BLOB NOT NULL,
    PRIMARY KEY (session, seq)
) WITHOUT ROWID;

-- Stops whose turn has not arrived. A stop with an owner waits for a turn of that
-- owner; '' for a turn of any owner.
CREATE TABLE intents (
    turn  TEXT NOT NULL,
    owner TEXT NOT NULL,
    cause TEXT NOT NULL, -- as JSON
    at    BIGINT NOT NULL,
    PRIMARY KEY (turn, owner)
);
-- Expired ones, and an owner's oldest, are found without reading all of them.
CREATE INDEX intents_of_owner ON intents (owner, at, turn);
CREATE INDEX intents_by_time ON intents (at);

-- Usage of ended turns, by model. Deleting a session keeps its rows.
CREATE TABLE spending (
    turn        TEXT NOT NULL,
    session     TEXT NOT NULL,
    model       TEXT NOT NULL,
    at          BIGINT NOT NULL,
    input       BIGINT NOT NULL,
    cache_read  BIGINT NOT NULL,
    cache_write BIGINT NOT NULL,
    output      BIGINT NOT NULL,
    cost        BIGINT NOT NULL, -- in billionths of a dollar
    exact       BIGINT NOT NULL, -- 1: reported by the model; 0: estimated
    owner       TEXT NOT NULL,
    PRIMARY KEY (turn, model)
);
CREATE INDEX spending_by_time ON spending (at);
CREATE INDEX spending_of_session ON spending (session);
CREATE INDEX spending_of_owner ON spending (owner, at);

-- Access tokens of a server. Only the hash of a secret is stored. A time is 0 if
-- the event has not happened.
CREATE TABLE tokens (
    id      TEXT PRIMARY KEY,
    owner   TEXT NOT NULL,
    name    TEXT NOT NULL,
    scopes  TEXT NOT NULL, -- separated by commas
    hash    BLOB NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    used    BIGINT NOT NULL,
    revoked BIGINT NOT NULL,
    cookie  BIGINT NOT NULL, -- 1: the token of a browser
    parent  TEXT NOT NULL -- revoking this token revokes the row's token; '' for none
);
CREATE INDEX tokens_of_parent ON tokens (parent) WHERE parent <> '';

-- The id of the store and the number of its commits. The file store.id in the
-- data directory has both, so that a lost, replaced or truncated database is
-- detected at the next start.
CREATE TABLE identity (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    id      TEXT NOT NULL,
    commits BIGINT NOT NULL
);

-- Copies of conversations that can be read by a link. Only the hash of a link's
-- secret is stored.
CREATE TABLE shares (
    id      TEXT PRIMARY KEY,
    owner   TEXT NOT NULL,
    session TEXT NOT NULL,
    title   TEXT NOT NULL,
    hash    BLOB NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    content BLOB NOT NULL
);
CREATE INDEX shares_of_session ON shares (session);

-- Browsers that receive messages while the page is closed, and the key that signs
-- these messages (in secrets).
CREATE TABLE push_subscriptions (
    id         TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,
    token      TEXT NOT NULL,
    endpoint   TEXT NOT NULL,
    public_key BLOB NOT NULL,
    auth       BLOB NOT NULL,
    questions  INTEGER NOT NULL,
    ends       INTEGER NOT NULL,
    created    BIGINT NOT NULL
);
CREATE INDEX push_subscriptions_of_owner ON push_subscriptions (owner);
CREATE TABLE secrets (
    name   TEXT PRIMARY KEY,
    secret BLOB NOT NULL
);
