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
