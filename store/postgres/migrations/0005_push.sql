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
