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
