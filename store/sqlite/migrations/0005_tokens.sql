-- Who may use a server. A secret is not here, only its hash. Times are 0 where
-- there is none.
CREATE TABLE tokens (
    id      TEXT PRIMARY KEY,
    owner   TEXT NOT NULL,
    name    TEXT NOT NULL,
    scopes  TEXT NOT NULL, -- with commas between them
    hash    BLOB NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    used    BIGINT NOT NULL,
    revoked BIGINT NOT NULL,
    cookie  BIGINT NOT NULL, -- 1: a browser's
    parent  TEXT NOT NULL -- the token that it is revoked with; '' for none
);
CREATE INDEX tokens_of_parent ON tokens (parent) WHERE parent <> '';
