-- The schema as it was before the names changed, with the turns of one session of
-- the fake model from that time.

CREATE TABLE nodes (
    id          TEXT COLLATE "C" PRIMARY KEY,
    started     BIGINT NOT NULL,
    lease_until BIGINT NOT NULL
);

CREATE SEQUENCE mark_numbers;
CREATE TABLE marks (
    node TEXT COLLATE "C" PRIMARY KEY,
    mark BIGINT NOT NULL,
    at   BIGINT NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE sessions (
    id      TEXT COLLATE "C" PRIMARY KEY,
    dir     TEXT COLLATE "C" NOT NULL,
    owner   TEXT COLLATE "C" NOT NULL,
    title   TEXT NOT NULL,
    agent   TEXT NOT NULL,
    model   TEXT NOT NULL,
    mode    TEXT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL
);
CREATE INDEX sessions_by_update ON sessions (updated DESC, id DESC);
CREATE INDEX sessions_by_owner ON sessions (owner, updated DESC, id DESC);

CREATE TABLE tails (
    session  TEXT COLLATE "C" PRIMARY KEY,
    last_seq BIGINT NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE turns (
    id        TEXT COLLATE "C" PRIMARY KEY,
    session   TEXT COLLATE "C" NOT NULL,
    state     TEXT COLLATE "C" NOT NULL,
    node      TEXT COLLATE "C" NOT NULL,
    taken     BOOLEAN NOT NULL DEFAULT false,
    fence     BIGINT NOT NULL,
    claimed   BIGINT NOT NULL DEFAULT 0,
    applied   BIGINT NOT NULL,
    first_seq BIGINT NOT NULL,
    accepted  BIGINT NOT NULL,
    stop      TEXT,
    stop_mode TEXT,
    receipt   TEXT
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX turns_running ON turns (session) WHERE state = 'running';
CREATE INDEX turns_unended ON turns (node) WHERE state <> 'ended';
CREATE INDEX turns_of_session ON turns (session);

CREATE TABLE prompts (
    turn   TEXT COLLATE "C" PRIMARY KEY,
    prompt TEXT NOT NULL
);

CREATE TABLE events (
    session TEXT COLLATE "C" NOT NULL,
    seq     BIGINT NOT NULL,
    turn    TEXT COLLATE "C" NOT NULL,
    kind    TEXT COLLATE "C" NOT NULL,
    at      BIGINT NOT NULL,
    body    BYTEA NOT NULL,
    PRIMARY KEY (session, seq)
) PARTITION BY HASH (session);
DO $$
BEGIN
    FOR i IN 0..15 LOOP
        EXECUTE format('CREATE TABLE events_%s PARTITION OF events FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
    END LOOP;
END $$;

CREATE TABLE intents (
    turn  TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    cause TEXT NOT NULL,
    at    BIGINT NOT NULL,
    PRIMARY KEY (turn, owner)
);

CREATE TABLE spending (
    turn        TEXT COLLATE "C" NOT NULL,
    session     TEXT COLLATE "C" NOT NULL,
    model       TEXT COLLATE "C" NOT NULL,
    owner       TEXT COLLATE "C" NOT NULL,
    at          BIGINT NOT NULL,
    input       BIGINT NOT NULL,
    cache_read  BIGINT NOT NULL,
    cache_write BIGINT NOT NULL,
    output      BIGINT NOT NULL,
    cost        BIGINT NOT NULL,
    exact       BOOLEAN NOT NULL,
    PRIMARY KEY (turn, session, model)
);
CREATE INDEX spending_by_time ON spending (at);
CREATE INDEX spending_of_session ON spending (session);

CREATE TABLE tokens (
    id      TEXT COLLATE "C" PRIMARY KEY,
    owner   TEXT NOT NULL,
    name    TEXT NOT NULL,
    scopes  TEXT NOT NULL,
    hash    BYTEA NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    used    BIGINT NOT NULL,
    revoked BIGINT NOT NULL,
    cookie  BOOLEAN NOT NULL,
    parent  TEXT COLLATE "C" NOT NULL
);
CREATE INDEX tokens_of_parent ON tokens (parent) WHERE parent <> '';
ALTER TABLE nodes ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN version TEXT NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN heard BIGINT NOT NULL DEFAULT 0;
ALTER TABLE nodes ADD COLUMN draining BOOLEAN NOT NULL DEFAULT false;

DROP INDEX turns_of_session;
CREATE INDEX turns_of_session ON turns (session, accepted);

ALTER TABLE turns ADD COLUMN stopped_by BIGINT;
CREATE INDEX turns_stopped_by ON turns (stopped_by) WHERE stopped_by IS NOT NULL;
CREATE TABLE secrets (
    name   TEXT COLLATE "C" PRIMARY KEY,
    secret BYTEA NOT NULL
);
REVOKE ALL ON secrets FROM PUBLIC;
CREATE TABLE schema_version AS SELECT 3::bigint AS version;
INSERT INTO sessions (id, dir, owner, title, agent, model, mode, created, updated) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f','/work','admin','[think 5] [say hello] [usage 100 20]','','fake/fake','full',1794847599627431371,1794847699237535943);
INSERT INTO tails (session, last_seq) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',94);
INSERT INTO turns (id, session, state, node, fence, claimed, applied, first_seq, accepted, stop, stop_mode, receipt, stopped_by) VALUES ('01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e540-eb98-7b64-b065-a265b368b21b',1,1794847599638470914,3,2,1794847599630689771,NULL,NULL,'{"turn":"01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:39.630689771Z","started":"2026-11-16T16:46:39.646510506Z","stream_closed":"2026-11-16T16:46:39.664611115Z","settled":"2026-11-16T16:46:39.664648394Z"},"calls":{"finished":0},"processes":{},"usage":{"input":100,"output":20,"exact":true},"spent":[{"model":"fake/fake","input":100,"output":20,"exact":true}],"kept":{"text":107,"thought":44,"results":0}}',NULL);
INSERT INTO turns (id, session, state, node, fence, claimed, applied, first_seq, accepted, stop, stop_mode, receipt, stopped_by) VALUES ('01a1e540-f01b-7d82-a60f-5d1a30ff055b','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e540-f02a-7c50-a3ef-3b911c0c16df',1,1794847600785807269,2,11,1794847600772312959,NULL,NULL,'{"turn":"01a1e540-f01b-7d82-a60f-5d1a30ff055b","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:40.772312959Z","started":"2026-11-16T16:46:40.822477341Z","stream_closed":"2026-11-16T16:46:40.839535805Z","settled":"2026-11-16T16:46:40.839575846Z"},"calls":{"finished":0},"processes":{},"usage":{"input":143,"output":9,"exact":true},"spent":[{"model":"fake/fake","input":143,"output":9,"exact":true}],"kept":{"text":138,"thought":0,"results":0}}',NULL);
INSERT INTO turns (id, session, state, node, fence, claimed, applied, first_seq, accepted, stop, stop_mode, receipt, stopped_by) VALUES ('01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e540-f45c-78b3-8d23-11115571720b',1,1794847601865804121,4,18,1794847601860356761,NULL,NULL,'{"turn":"01a1e540-f45c-7f3d-ba8f-7bffa6f2823c","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:41.860356761Z","started":"2026-11-16T16:46:41.870413111Z","stream_closed":"2026-11-16T16:46:42.0281938Z","settled":"2026-11-16T16:46:42.028241406Z"},"calls":{"finished":0},"processes":{},"usage":{"input":180,"output":5,"exact":true},"spent":[{"model":"fake/fake","input":180,"output":5,"exact":true}],"kept":{"text":119,"thought":0,"results":0}}',NULL);
INSERT INTO turns (id, session, state, node, fence, claimed, applied, first_seq, accepted, stop, stop_mode, receipt, stopped_by) VALUES ('01a1e541-7881-7116-b197-ee07684ad226','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e541-7882-7427-ba9f-a48b697f6c66',1,1794847635651230323,7,27,1794847635634015219,NULL,NULL,'{"turn":"01a1e541-7881-7116-b197-ee07684ad226","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:47:15.634015219Z","started":"2026-11-16T16:47:15.664687011Z","stream_closed":"2026-11-16T16:47:15.798734812Z","settled":"2026-11-16T16:47:15.798865037Z"},"calls":{"finished":1},"processes":{},"usage":{"input":452,"output":15,"exact":true},"spent":[{"model":"fake/fake","input":452,"output":15,"exact":true}],"kept":{"text":121,"thought":0,"results":1}}',NULL);
INSERT INTO turns (id, session, state, node, fence, claimed, applied, first_seq, accepted, stop, stop_mode, receipt, stopped_by) VALUES ('01a1e542-4deb-7507-a9e6-1ea90504f9ad','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e542-4dec-75b2-9bb2-b7fba74536a2',1,1794847690275042081,4,41,1794847690267939451,'{"kind":"person","by":"Ctrl-C","from":"run","at":"2026-11-16T16:48:16.141732426Z"}','','{"turn":"01a1e542-4deb-7507-a9e6-1ea90504f9ad","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"stopped","cause":{"kind":"person","by":"Ctrl-C","from":"run","at":"2026-11-16T16:48:16.141732426Z"},"won":"stop","times":{"accepted":"2026-11-16T16:48:10.267939451Z","started":"2026-11-16T16:48:10.277106736Z","requested":"2026-11-16T16:48:16.141732426Z","stream_closed":"2026-11-16T16:48:10.335223852Z","process_gone":"2026-11-16T16:48:16.206447108Z","settled":"2026-11-16T16:48:16.20655903Z"},"calls":{"finished":0,"stopped":[{"call":"call_00000001_0","name":"shell"}]},"processes":{"ended":[{"pid":29105,"name":"echo started; sleep 100","how":"asked"},{"pid":29106,"name":"sleep 100","how":"asked"}],"proof":"cgroup"},"queue":"hold","usage":{"input":274,"output":11,"exact":true},"spent":[{"model":"fake/fake","input":274,"output":11,"exact":true}],"kept":{"text":0,"thought":0,"results":0}}',1794847696141732426);
INSERT INTO turns (id, session, state, node, fence, claimed, applied, first_seq, accepted, stop, stop_mode, receipt, stopped_by) VALUES ('01a1e542-692f-7176-a834-c5f14b720f1d','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e542-692f-723f-9a46-baef8b6b7423',1,1794847697235532333,39,52,1794847697225156044,'{"kind":"deadline","by":"deadline","from":"hub","why":"2s","at":"2026-11-16T16:48:19.237371602Z","queue":"next"}','','{"turn":"01a1e542-692f-7176-a834-c5f14b720f1d","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"stopped","cause":{"kind":"deadline","by":"deadline","from":"hub","why":"2s","at":"2026-11-16T16:48:19.237371602Z","queue":"next"},"won":"stop","times":{"accepted":"2026-11-16T16:48:17.225156044Z","started":"2026-11-16T16:48:17.236306887Z","requested":"2026-11-16T16:48:19.237371602Z","stream_closed":"2026-11-16T16:48:19.237492365Z","settled":"2026-11-16T16:48:19.237535943Z"},"calls":{"finished":0},"processes":{},"queue":"next","usage":{"input":1373,"output":90,"exact":false},"spent":[{"model":"fake/fake","input":1373,"output":90,"exact":false}],"kept":{"text":358,"thought":0,"results":0}}',1794847699237371602);
INSERT INTO prompts (turn, prompt) VALUES ('01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','{"text":"[think 5] [say hello] [usage 100 20]","steps":100,"on_disconnect":"stop"}');
INSERT INTO prompts (turn, prompt) VALUES ('01a1e540-f01b-7d82-a60f-5d1a30ff055b','{"text":"[shell echo one; echo two]","steps":100,"on_disconnect":"stop"}');
INSERT INTO prompts (turn, prompt) VALUES ('01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','{"text":"[slow 3] hi","deadline":20000000000,"steps":3,"on_disconnect":"stop"}');
INSERT INTO prompts (turn, prompt) VALUES ('01a1e541-7881-7116-b197-ee07684ad226','{"text":"[tool shell {\"command\":\"echo one; echo two\"}]","steps":100,"on_disconnect":"stop"}');
INSERT INTO prompts (turn, prompt) VALUES ('01a1e542-4deb-7507-a9e6-1ea90504f9ad','{"text":"[tool shell {\"command\":\"echo started; sleep 100\"}]","steps":100,"on_disconnect":"stop"}');
INSERT INTO prompts (turn, prompt) VALUES ('01a1e542-692f-7176-a834-c5f14b720f1d','{"text":"[slow 100]","deadline":2000000000,"steps":100,"tokens":50000,"on_disconnect":"stop"}');
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',1,'','configured',1794847599630692895,convert_to('{"title":"[think 5] [say hello] [usage 100 20]"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',2,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','prompted',1794847599630689771,convert_to('{"text":"[think 5] [say hello] [usage 100 20]","steps":100,"on_disconnect":"stop"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',3,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','started',1794847599638470914,convert_to('{}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',4,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','step_started',1794847599647375012,convert_to('{"step":1,"model":"fake/fake","input":1163}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',5,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','thought',1794847599663963299,convert_to('{"text":"thought1"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',6,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','thought',1794847599664239315,convert_to('{"text":" thought2 thought3 thought4 thought5"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',7,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','said',1794847599664239315,convert_to('{"text":"[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\nhello"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',8,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','step_ended',1794847599664239315,convert_to('{"finish":"stop","usage":{"input":100,"output":20,"exact":true}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',9,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','ended',1794847599664648394,convert_to('{"receipt":{"turn":"01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:39.630689771Z","started":"2026-11-16T16:46:39.646510506Z","stream_closed":"2026-11-16T16:46:39.664611115Z","settled":"2026-11-16T16:46:39.664648394Z"},"calls":{"finished":0},"processes":{},"usage":{"input":100,"output":20,"exact":true},"spent":[{"model":"fake/fake","input":100,"output":20,"exact":true}],"kept":{"text":107,"thought":44,"results":0}}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',10,'','configured',1794847600772238508,convert_to('{"model":"fake/fake","mode":"full"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',11,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','prompted',1794847600772312959,convert_to('{"text":"[shell echo one; echo two]","steps":100,"on_disconnect":"stop"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',12,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','started',1794847600785807269,convert_to('{}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',13,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','step_started',1794847600823829899,convert_to('{"step":1,"model":"fake/fake","input":1196}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',14,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','said',1794847600839097743,convert_to('{"text":"[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\nYou said: [shell echo one; echo two]"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',15,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','step_ended',1794847600839097743,convert_to('{"finish":"stop","usage":{"input":143,"output":9,"exact":true}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',16,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','ended',1794847600839575846,convert_to('{"receipt":{"turn":"01a1e540-f01b-7d82-a60f-5d1a30ff055b","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:40.772312959Z","started":"2026-11-16T16:46:40.822477341Z","stream_closed":"2026-11-16T16:46:40.839535805Z","settled":"2026-11-16T16:46:40.839575846Z"},"calls":{"finished":0},"processes":{},"usage":{"input":143,"output":9,"exact":true},"spent":[{"model":"fake/fake","input":143,"output":9,"exact":true}],"kept":{"text":138,"thought":0,"results":0}}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',17,'','configured',1794847601860229845,convert_to('{"model":"fake/fake","mode":"full"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',18,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','prompted',1794847601860356761,convert_to('{"text":"[slow 3] hi","deadline":20000000000,"steps":3,"on_disconnect":"stop"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',19,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','started',1794847601865804121,convert_to('{}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',20,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','step_started',1794847601872397081,convert_to('{"step":1,"model":"fake/fake","input":1233}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',21,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','said',1794847601910396300,convert_to('{"text":"[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\nword1"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',22,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','said',1794847601974475247,convert_to('{"text":" word2"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',23,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','said',1794847602027731402,convert_to('{"text":" word3"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',24,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','step_ended',1794847602027731402,convert_to('{"finish":"stop","usage":{"input":180,"output":5,"exact":true}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',25,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','ended',1794847602028241406,convert_to('{"receipt":{"turn":"01a1e540-f45c-7f3d-ba8f-7bffa6f2823c","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:41.860356761Z","started":"2026-11-16T16:46:41.870413111Z","stream_closed":"2026-11-16T16:46:42.0281938Z","settled":"2026-11-16T16:46:42.028241406Z"},"calls":{"finished":0},"processes":{},"usage":{"input":180,"output":5,"exact":true},"spent":[{"model":"fake/fake","input":180,"output":5,"exact":true}],"kept":{"text":119,"thought":0,"results":0}}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',26,'','configured',1794847635633847680,convert_to('{"model":"fake/fake","mode":"full"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',27,'01a1e541-7881-7116-b197-ee07684ad226','prompted',1794847635634015219,convert_to('{"text":"[tool shell {\"command\":\"echo one; echo two\"}]","steps":100,"on_disconnect":"stop"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',28,'01a1e541-7881-7116-b197-ee07684ad226','started',1794847635651230323,convert_to('{}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',29,'01a1e541-7881-7116-b197-ee07684ad226','step_started',1794847635671108769,convert_to('{"step":1,"model":"fake/fake","input":1274}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',30,'01a1e541-7881-7116-b197-ee07684ad226','called',1794847635720233069,convert_to('{"call":"call_00000001_0","name":"shell","args":{"command":"echo one; echo two"}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',31,'01a1e541-7881-7116-b197-ee07684ad226','step_ended',1794847635720233069,convert_to('{"finish":"tool_calls","usage":{"input":221,"output":10,"exact":true}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',32,'01a1e541-7881-7116-b197-ee07684ad226','call_started',1794847635720233069,convert_to('{"call":"call_00000001_0"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',33,'01a1e541-7881-7116-b197-ee07684ad226','call_output',1794847635757235681,convert_to('{"call":"call_00000001_0","text":"one\ntwo\n"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',34,'01a1e541-7881-7116-b197-ee07684ad226','call_ended',1794847635763962489,convert_to('{"call":"call_00000001_0","fate":"finished","text":"one\ntwo\n"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',35,'01a1e541-7881-7116-b197-ee07684ad226','step_started',1794847635766045705,convert_to('{"step":2,"model":"fake/fake","input":1285}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',36,'01a1e541-7881-7116-b197-ee07684ad226','said',1794847635785785200,convert_to('{"text":"[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\nResults:"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',37,'01a1e541-7881-7116-b197-ee07684ad226','said',1794847635786108155,convert_to('{"text":" 1\none\ntwo\n"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',38,'01a1e541-7881-7116-b197-ee07684ad226','step_ended',1794847635786108155,convert_to('{"finish":"stop","usage":{"input":231,"output":5,"exact":true}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',39,'01a1e541-7881-7116-b197-ee07684ad226','ended',1794847635798865037,convert_to('{"receipt":{"turn":"01a1e541-7881-7116-b197-ee07684ad226","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:47:15.634015219Z","started":"2026-11-16T16:47:15.664687011Z","stream_closed":"2026-11-16T16:47:15.798734812Z","settled":"2026-11-16T16:47:15.798865037Z"},"calls":{"finished":1},"processes":{},"usage":{"input":452,"output":15,"exact":true},"spent":[{"model":"fake/fake","input":452,"output":15,"exact":true}],"kept":{"text":121,"thought":0,"results":1}}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',40,'','configured',1794847690267836122,convert_to('{"model":"fake/fake","mode":"full"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',41,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','prompted',1794847690267939451,convert_to('{"text":"[tool shell {\"command\":\"echo started; sleep 100\"}]","steps":100,"on_disconnect":"stop"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',42,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','started',1794847690275042081,convert_to('{}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',43,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','step_started',1794847690279549993,convert_to('{"step":1,"model":"fake/fake","input":1328}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',44,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','called',1794847690335268176,convert_to('{"call":"call_00000001_0","name":"shell","args":{"command":"echo started; sleep 100"}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',45,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','step_ended',1794847690335268176,convert_to('{"finish":"tool_calls","usage":{"input":274,"output":11,"exact":true}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',46,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','call_started',1794847690335268176,convert_to('{"call":"call_00000001_0"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',47,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','call_output',1794847690419988999,convert_to('{"call":"call_00000001_0","text":"started\n"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',48,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','stop_asked',1794847696141732426,convert_to('{"cause":{"kind":"person","by":"Ctrl-C","from":"run","at":"2026-11-16T16:48:16.141732426Z"}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',49,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','call_ended',1794847696206457346,convert_to('{"call":"call_00000001_0","fate":"stopped","text":"[output so far]\nstarted\n\n[stopped while running; it may have had effects]","processes":{"ended":[{"pid":29105,"name":"echo started; sleep 100","how":"asked"},{"pid":29106,"name":"sleep 100","how":"asked"}],"proof":"cgroup"}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',50,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','ended',1794847696206559030,convert_to('{"receipt":{"turn":"01a1e542-4deb-7507-a9e6-1ea90504f9ad","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"stopped","cause":{"kind":"person","by":"Ctrl-C","from":"run","at":"2026-11-16T16:48:16.141732426Z"},"won":"stop","times":{"accepted":"2026-11-16T16:48:10.267939451Z","started":"2026-11-16T16:48:10.277106736Z","requested":"2026-11-16T16:48:16.141732426Z","stream_closed":"2026-11-16T16:48:10.335223852Z","process_gone":"2026-11-16T16:48:16.206447108Z","settled":"2026-11-16T16:48:16.20655903Z"},"calls":{"finished":0,"stopped":[{"call":"call_00000001_0","name":"shell"}]},"processes":{"ended":[{"pid":29105,"name":"echo started; sleep 100","how":"asked"},{"pid":29106,"name":"sleep 100","how":"asked"}],"proof":"cgroup"},"queue":"hold","usage":{"input":274,"output":11,"exact":true},"spent":[{"model":"fake/fake","input":274,"output":11,"exact":true}],"kept":{"text":0,"thought":0,"results":0}}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',51,'','configured',1794847697225070377,convert_to('{"model":"fake/fake","mode":"full"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',52,'01a1e542-692f-7176-a834-c5f14b720f1d','prompted',1794847697225156044,convert_to('{"text":"[slow 100]","deadline":2000000000,"steps":100,"tokens":50000,"on_disconnect":"stop"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',53,'01a1e542-692f-7176-a834-c5f14b720f1d','started',1794847697235532333,convert_to('{}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',54,'01a1e542-692f-7176-a834-c5f14b720f1d','step_started',1794847697238026544,convert_to('{"step":1,"model":"fake/fake","input":1373}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',55,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697292955896,convert_to('{"text":"[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\nword1"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',56,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697350487989,convert_to('{"text":" word2"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',57,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697409058203,convert_to('{"text":" word3"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',58,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697462477073,convert_to('{"text":" word4"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',59,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697513495587,convert_to('{"text":" word5"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',60,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697564137747,convert_to('{"text":" word6"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',61,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697615549949,convert_to('{"text":" word7"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',62,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697666207279,convert_to('{"text":" word8"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',63,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697716965473,convert_to('{"text":" word9"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',64,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697767970363,convert_to('{"text":" word10"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',65,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697818700672,convert_to('{"text":" word11"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',66,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697869612498,convert_to('{"text":" word12"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',67,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697926521154,convert_to('{"text":" word13"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',68,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697976855529,convert_to('{"text":" word14"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',69,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698034680140,convert_to('{"text":" word15"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',70,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698086501174,convert_to('{"text":" word16"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',71,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698137204210,convert_to('{"text":" word17"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',72,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698190488302,convert_to('{"text":" word18"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',73,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698241723398,convert_to('{"text":" word19"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',74,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698292435328,convert_to('{"text":" word20"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',75,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698343061061,convert_to('{"text":" word21"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',76,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698393948772,convert_to('{"text":" word22"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',77,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698446465812,convert_to('{"text":" word23"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',78,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698497415193,convert_to('{"text":" word24"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',79,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698548146822,convert_to('{"text":" word25"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',80,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698598994458,convert_to('{"text":" word26"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',81,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698649767652,convert_to('{"text":" word27"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',82,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698700340324,convert_to('{"text":" word28"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',83,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698751880023,convert_to('{"text":" word29"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',84,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698802681109,convert_to('{"text":" word30"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',85,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698853439254,convert_to('{"text":" word31"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',86,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698904209200,convert_to('{"text":" word32"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',87,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698955056320,convert_to('{"text":" word33"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',88,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847699006558946,convert_to('{"text":" word34"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',89,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847699057331917,convert_to('{"text":" word35"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',90,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847699108117888,convert_to('{"text":" word36"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',91,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847699158879229,convert_to('{"text":" word37"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',92,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847699214507999,convert_to('{"text":" word38"}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',93,'01a1e542-692f-7176-a834-c5f14b720f1d','stop_asked',1794847699237371602,convert_to('{"cause":{"kind":"deadline","by":"deadline","from":"hub","why":"2s","at":"2026-11-16T16:48:19.237371602Z","queue":"next"}}','UTF8'));
INSERT INTO events (session, seq, turn, kind, at, body) VALUES ('01a1e540-ec0b-748b-9784-9f93b222e95f',94,'01a1e542-692f-7176-a834-c5f14b720f1d','ended',1794847699237535943,convert_to('{"receipt":{"turn":"01a1e542-692f-7176-a834-c5f14b720f1d","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"stopped","cause":{"kind":"deadline","by":"deadline","from":"hub","why":"2s","at":"2026-11-16T16:48:19.237371602Z","queue":"next"},"won":"stop","times":{"accepted":"2026-11-16T16:48:17.225156044Z","started":"2026-11-16T16:48:17.236306887Z","requested":"2026-11-16T16:48:19.237371602Z","stream_closed":"2026-11-16T16:48:19.237492365Z","settled":"2026-11-16T16:48:19.237535943Z"},"calls":{"finished":0},"processes":{},"queue":"next","usage":{"input":1373,"output":90,"exact":false},"spent":[{"model":"fake/fake","input":1373,"output":90,"exact":false}],"kept":{"text":358,"thought":0,"results":0}}}','UTF8'));
