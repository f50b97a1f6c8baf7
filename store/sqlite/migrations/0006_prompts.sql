-- A turn's row is written anew with every append; its prompt may be long, and
-- never changes once it runs.
CREATE TABLE prompts (
    turn   TEXT PRIMARY KEY,
    prompt TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO prompts (turn, prompt) SELECT id, prompt FROM turns;
ALTER TABLE turns DROP COLUMN prompt;
