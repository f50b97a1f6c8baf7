-- What ended turns used, by model. It has no part in a session's deletion.
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
    exact       BIGINT NOT NULL, -- 1: as the model told it
    PRIMARY KEY (turn, model)
);
CREATE INDEX spending_by_time ON spending (at);
CREATE INDEX spending_of_session ON spending (session);
