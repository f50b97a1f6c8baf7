-- Whose a session is; '' for whoever has the machine.
ALTER TABLE sessions ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_by_owner ON sessions (owner, updated DESC);
ALTER TABLE spending ADD COLUMN owner TEXT NOT NULL DEFAULT '';

-- An early stop waits for a turn of its owner's only; '' for anybody's.
CREATE TABLE promises (
    turn  TEXT NOT NULL,
    owner TEXT NOT NULL,
    cause TEXT NOT NULL,
    at    BIGINT NOT NULL,
    PRIMARY KEY (turn, owner)
);
INSERT INTO promises (turn, owner, cause, at) SELECT turn, '', cause, at FROM intents;
DROP TABLE intents;
ALTER TABLE promises RENAME TO intents;
