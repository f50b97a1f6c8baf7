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
