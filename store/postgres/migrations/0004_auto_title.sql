-- Whether a session's title was made from a prompt or by an agent. Clearing the
-- conversation removes such a title. Titles of existing sessions are kept.
ALTER TABLE sessions ADD COLUMN auto_title BOOLEAN NOT NULL DEFAULT false;
