CREATE TABLE nodes (
    id      TEXT PRIMARY KEY,
    started BIGINT NOT NULL
);
CREATE TABLE sessions (
    id      TEXT PRIMARY KEY,
    dir     TEXT NOT NULL,
    title   TEXT NOT NULL,
    model   TEXT NOT NULL,
    mode    TEXT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL
, agent TEXT NOT NULL DEFAULT '', owner TEXT NOT NULL DEFAULT '');
INSERT INTO sessions VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f','/work','[think 5] [say hello] [usage 100 20]','fake/fake','full',1794847599627431371,1794847699237535943,'','admin');
CREATE TABLE turns (
    id        TEXT PRIMARY KEY,
    session   TEXT NOT NULL,
    state     TEXT NOT NULL, -- queued | running | ended
    node      TEXT NOT NULL, -- whose it is
    taken     BIGINT NOT NULL DEFAULT 0, -- 1: taken over from a dead node, to be ended by this one
    fence     BIGINT NOT NULL, -- raised by every claim; a write with an older one is refused
    claimed   BIGINT NOT NULL DEFAULT 0, -- when it was started
    applied   BIGINT NOT NULL, -- number of its last append, so that one is never applied twice
    first_seq BIGINT NOT NULL,
    accepted  BIGINT NOT NULL,
    stop      TEXT, -- the cause on record
    stop_mode TEXT,
    receipt   TEXT
, stopped_by INTEGER);
INSERT INTO turns VALUES('01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e540-eb98-7b64-b065-a265b368b21b',0,1,1794847599638470914,3,2,1794847599630689771,NULL,NULL,'{"turn":"01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:39.630689771Z","started":"2026-11-16T16:46:39.646510506Z","stream_closed":"2026-11-16T16:46:39.664611115Z","settled":"2026-11-16T16:46:39.664648394Z"},"calls":{"finished":0},"processes":{},"usage":{"input":100,"output":20,"exact":true},"spent":[{"model":"fake/fake","input":100,"output":20,"exact":true}],"kept":{"text":107,"thought":44,"results":0}}',NULL);
INSERT INTO turns VALUES('01a1e540-f01b-7d82-a60f-5d1a30ff055b','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e540-f02a-7c50-a3ef-3b911c0c16df',0,1,1794847600785807269,2,11,1794847600772312959,NULL,NULL,'{"turn":"01a1e540-f01b-7d82-a60f-5d1a30ff055b","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:40.772312959Z","started":"2026-11-16T16:46:40.822477341Z","stream_closed":"2026-11-16T16:46:40.839535805Z","settled":"2026-11-16T16:46:40.839575846Z"},"calls":{"finished":0},"processes":{},"usage":{"input":143,"output":9,"exact":true},"spent":[{"model":"fake/fake","input":143,"output":9,"exact":true}],"kept":{"text":138,"thought":0,"results":0}}',NULL);
INSERT INTO turns VALUES('01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e540-f45c-78b3-8d23-11115571720b',0,1,1794847601865804121,4,18,1794847601860356761,NULL,NULL,'{"turn":"01a1e540-f45c-7f3d-ba8f-7bffa6f2823c","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:41.860356761Z","started":"2026-11-16T16:46:41.870413111Z","stream_closed":"2026-11-16T16:46:42.0281938Z","settled":"2026-11-16T16:46:42.028241406Z"},"calls":{"finished":0},"processes":{},"usage":{"input":180,"output":5,"exact":true},"spent":[{"model":"fake/fake","input":180,"output":5,"exact":true}],"kept":{"text":119,"thought":0,"results":0}}',NULL);
INSERT INTO turns VALUES('01a1e541-7881-7116-b197-ee07684ad226','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e541-7882-7427-ba9f-a48b697f6c66',0,1,1794847635651230323,7,27,1794847635634015219,NULL,NULL,'{"turn":"01a1e541-7881-7116-b197-ee07684ad226","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:47:15.634015219Z","started":"2026-11-16T16:47:15.664687011Z","stream_closed":"2026-11-16T16:47:15.798734812Z","settled":"2026-11-16T16:47:15.798865037Z"},"calls":{"finished":1},"processes":{},"usage":{"input":452,"output":15,"exact":true},"spent":[{"model":"fake/fake","input":452,"output":15,"exact":true}],"kept":{"text":121,"thought":0,"results":1}}',NULL);
INSERT INTO turns VALUES('01a1e542-4deb-7507-a9e6-1ea90504f9ad','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e542-4dec-75b2-9bb2-b7fba74536a2',0,1,1794847690275042081,4,41,1794847690267939451,'{"kind":"person","by":"Ctrl-C","from":"run","at":"2026-11-16T16:48:16.141732426Z"}','','{"turn":"01a1e542-4deb-7507-a9e6-1ea90504f9ad","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"stopped","cause":{"kind":"person","by":"Ctrl-C","from":"run","at":"2026-11-16T16:48:16.141732426Z"},"won":"stop","times":{"accepted":"2026-11-16T16:48:10.267939451Z","started":"2026-11-16T16:48:10.277106736Z","requested":"2026-11-16T16:48:16.141732426Z","stream_closed":"2026-11-16T16:48:10.335223852Z","process_gone":"2026-11-16T16:48:16.206447108Z","settled":"2026-11-16T16:48:16.20655903Z"},"calls":{"finished":0,"stopped":[{"call":"call_00000001_0","name":"shell"}]},"processes":{"ended":[{"pid":29105,"name":"echo started; sleep 100","how":"asked"},{"pid":29106,"name":"sleep 100","how":"asked"}],"proof":"cgroup"},"queue":"hold","usage":{"input":274,"output":11,"exact":true},"spent":[{"model":"fake/fake","input":274,"output":11,"exact":true}],"kept":{"text":0,"thought":0,"results":0}}',1794847696141732426);
INSERT INTO turns VALUES('01a1e542-692f-7176-a834-c5f14b720f1d','01a1e540-ec0b-748b-9784-9f93b222e95f','ended','01a1e542-692f-723f-9a46-baef8b6b7423',0,1,1794847697235532333,39,52,1794847697225156044,'{"kind":"deadline","by":"deadline","from":"hub","why":"2s","at":"2026-11-16T16:48:19.237371602Z","queue":"next"}','','{"turn":"01a1e542-692f-7176-a834-c5f14b720f1d","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"stopped","cause":{"kind":"deadline","by":"deadline","from":"hub","why":"2s","at":"2026-11-16T16:48:19.237371602Z","queue":"next"},"won":"stop","times":{"accepted":"2026-11-16T16:48:17.225156044Z","started":"2026-11-16T16:48:17.236306887Z","requested":"2026-11-16T16:48:19.237371602Z","stream_closed":"2026-11-16T16:48:19.237492365Z","settled":"2026-11-16T16:48:19.237535943Z"},"calls":{"finished":0},"processes":{},"queue":"next","usage":{"input":1373,"output":90,"exact":false},"spent":[{"model":"fake/fake","input":1373,"output":90,"exact":false}],"kept":{"text":358,"thought":0,"results":0}}',1794847699237371602);
CREATE TABLE events (
    session TEXT NOT NULL,
    seq     BIGINT NOT NULL,
    turn    TEXT NOT NULL,
    kind    TEXT NOT NULL,
    at      BIGINT NOT NULL,
    body    TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) WITHOUT ROWID;
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',1,'','configured',1794847599630692895,'{"title":"[think 5] [say hello] [usage 100 20]"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',2,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','prompted',1794847599630689771,'{"text":"[think 5] [say hello] [usage 100 20]","steps":100,"on_disconnect":"stop"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',3,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','started',1794847599638470914,'{}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',4,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','step_started',1794847599647375012,'{"step":1,"model":"fake/fake","input":1163}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',5,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','thought',1794847599663963299,'{"text":"thought1"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',6,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','thought',1794847599664239315,'{"text":" thought2 thought3 thought4 thought5"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',7,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','said',1794847599664239315,'{"text":"[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\nhello"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',8,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','step_ended',1794847599664239315,'{"finish":"stop","usage":{"input":100,"output":20,"exact":true}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',9,'01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','ended',1794847599664648394,'{"receipt":{"turn":"01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:39.630689771Z","started":"2026-11-16T16:46:39.646510506Z","stream_closed":"2026-11-16T16:46:39.664611115Z","settled":"2026-11-16T16:46:39.664648394Z"},"calls":{"finished":0},"processes":{},"usage":{"input":100,"output":20,"exact":true},"spent":[{"model":"fake/fake","input":100,"output":20,"exact":true}],"kept":{"text":107,"thought":44,"results":0}}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',10,'','configured',1794847600772238508,'{"model":"fake/fake","mode":"full"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',11,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','prompted',1794847600772312959,'{"text":"[shell echo one; echo two]","steps":100,"on_disconnect":"stop"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',12,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','started',1794847600785807269,'{}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',13,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','step_started',1794847600823829899,'{"step":1,"model":"fake/fake","input":1196}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',14,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','said',1794847600839097743,'{"text":"[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\nYou said: [shell echo one; echo two]"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',15,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','step_ended',1794847600839097743,'{"finish":"stop","usage":{"input":143,"output":9,"exact":true}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',16,'01a1e540-f01b-7d82-a60f-5d1a30ff055b','ended',1794847600839575846,'{"receipt":{"turn":"01a1e540-f01b-7d82-a60f-5d1a30ff055b","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:40.772312959Z","started":"2026-11-16T16:46:40.822477341Z","stream_closed":"2026-11-16T16:46:40.839535805Z","settled":"2026-11-16T16:46:40.839575846Z"},"calls":{"finished":0},"processes":{},"usage":{"input":143,"output":9,"exact":true},"spent":[{"model":"fake/fake","input":143,"output":9,"exact":true}],"kept":{"text":138,"thought":0,"results":0}}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',17,'','configured',1794847601860229845,'{"model":"fake/fake","mode":"full"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',18,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','prompted',1794847601860356761,'{"text":"[slow 3] hi","deadline":20000000000,"steps":3,"on_disconnect":"stop"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',19,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','started',1794847601865804121,'{}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',20,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','step_started',1794847601872397081,'{"step":1,"model":"fake/fake","input":1233}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',21,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','said',1794847601910396300,'{"text":"[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\nword1"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',22,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','said',1794847601974475247,'{"text":" word2"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',23,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','said',1794847602027731402,'{"text":" word3"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',24,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','step_ended',1794847602027731402,'{"finish":"stop","usage":{"input":180,"output":5,"exact":true}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',25,'01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','ended',1794847602028241406,'{"receipt":{"turn":"01a1e540-f45c-7f3d-ba8f-7bffa6f2823c","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:46:41.860356761Z","started":"2026-11-16T16:46:41.870413111Z","stream_closed":"2026-11-16T16:46:42.0281938Z","settled":"2026-11-16T16:46:42.028241406Z"},"calls":{"finished":0},"processes":{},"usage":{"input":180,"output":5,"exact":true},"spent":[{"model":"fake/fake","input":180,"output":5,"exact":true}],"kept":{"text":119,"thought":0,"results":0}}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',26,'','configured',1794847635633847680,'{"model":"fake/fake","mode":"full"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',27,'01a1e541-7881-7116-b197-ee07684ad226','prompted',1794847635634015219,'{"text":"[tool shell {\"command\":\"echo one; echo two\"}]","steps":100,"on_disconnect":"stop"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',28,'01a1e541-7881-7116-b197-ee07684ad226','started',1794847635651230323,'{}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',29,'01a1e541-7881-7116-b197-ee07684ad226','step_started',1794847635671108769,'{"step":1,"model":"fake/fake","input":1274}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',30,'01a1e541-7881-7116-b197-ee07684ad226','called',1794847635720233069,'{"call":"call_00000001_0","name":"shell","args":{"command":"echo one; echo two"}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',31,'01a1e541-7881-7116-b197-ee07684ad226','step_ended',1794847635720233069,'{"finish":"tool_calls","usage":{"input":221,"output":10,"exact":true}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',32,'01a1e541-7881-7116-b197-ee07684ad226','call_started',1794847635720233069,'{"call":"call_00000001_0"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',33,'01a1e541-7881-7116-b197-ee07684ad226','call_output',1794847635757235681,'{"call":"call_00000001_0","text":"one\ntwo\n"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',34,'01a1e541-7881-7116-b197-ee07684ad226','call_ended',1794847635763962489,'{"call":"call_00000001_0","fate":"finished","text":"one\ntwo\n"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',35,'01a1e541-7881-7116-b197-ee07684ad226','step_started',1794847635766045705,'{"step":2,"model":"fake/fake","input":1285}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',36,'01a1e541-7881-7116-b197-ee07684ad226','said',1794847635785785200,'{"text":"[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\nResults:"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',37,'01a1e541-7881-7116-b197-ee07684ad226','said',1794847635786108155,'{"text":" 1\none\ntwo\n"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',38,'01a1e541-7881-7116-b197-ee07684ad226','step_ended',1794847635786108155,'{"finish":"stop","usage":{"input":231,"output":5,"exact":true}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',39,'01a1e541-7881-7116-b197-ee07684ad226','ended',1794847635798865037,'{"receipt":{"turn":"01a1e541-7881-7116-b197-ee07684ad226","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"done","won":"completion","times":{"accepted":"2026-11-16T16:47:15.634015219Z","started":"2026-11-16T16:47:15.664687011Z","stream_closed":"2026-11-16T16:47:15.798734812Z","settled":"2026-11-16T16:47:15.798865037Z"},"calls":{"finished":1},"processes":{},"usage":{"input":452,"output":15,"exact":true},"spent":[{"model":"fake/fake","input":452,"output":15,"exact":true}],"kept":{"text":121,"thought":0,"results":1}}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',40,'','configured',1794847690267836122,'{"model":"fake/fake","mode":"full"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',41,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','prompted',1794847690267939451,'{"text":"[tool shell {\"command\":\"echo started; sleep 100\"}]","steps":100,"on_disconnect":"stop"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',42,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','started',1794847690275042081,'{}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',43,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','step_started',1794847690279549993,'{"step":1,"model":"fake/fake","input":1328}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',44,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','called',1794847690335268176,'{"call":"call_00000001_0","name":"shell","args":{"command":"echo started; sleep 100"}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',45,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','step_ended',1794847690335268176,'{"finish":"tool_calls","usage":{"input":274,"output":11,"exact":true}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',46,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','call_started',1794847690335268176,'{"call":"call_00000001_0"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',47,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','call_output',1794847690419988999,'{"call":"call_00000001_0","text":"started\n"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',48,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','stop_asked',1794847696141732426,'{"cause":{"kind":"person","by":"Ctrl-C","from":"run","at":"2026-11-16T16:48:16.141732426Z"}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',49,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','call_ended',1794847696206457346,'{"call":"call_00000001_0","fate":"stopped","text":"[output so far]\nstarted\n\n[stopped while running; it may have had effects]","processes":{"ended":[{"pid":29105,"name":"echo started; sleep 100","how":"asked"},{"pid":29106,"name":"sleep 100","how":"asked"}],"proof":"cgroup"}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',50,'01a1e542-4deb-7507-a9e6-1ea90504f9ad','ended',1794847696206559030,'{"receipt":{"turn":"01a1e542-4deb-7507-a9e6-1ea90504f9ad","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"stopped","cause":{"kind":"person","by":"Ctrl-C","from":"run","at":"2026-11-16T16:48:16.141732426Z"},"won":"stop","times":{"accepted":"2026-11-16T16:48:10.267939451Z","started":"2026-11-16T16:48:10.277106736Z","requested":"2026-11-16T16:48:16.141732426Z","stream_closed":"2026-11-16T16:48:10.335223852Z","process_gone":"2026-11-16T16:48:16.206447108Z","settled":"2026-11-16T16:48:16.20655903Z"},"calls":{"finished":0,"stopped":[{"call":"call_00000001_0","name":"shell"}]},"processes":{"ended":[{"pid":29105,"name":"echo started; sleep 100","how":"asked"},{"pid":29106,"name":"sleep 100","how":"asked"}],"proof":"cgroup"},"queue":"hold","usage":{"input":274,"output":11,"exact":true},"spent":[{"model":"fake/fake","input":274,"output":11,"exact":true}],"kept":{"text":0,"thought":0,"results":0}}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',51,'','configured',1794847697225070377,'{"model":"fake/fake","mode":"full"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',52,'01a1e542-692f-7176-a834-c5f14b720f1d','prompted',1794847697225156044,'{"text":"[slow 100]","deadline":2000000000,"steps":100,"tokens":50000,"on_disconnect":"stop"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',53,'01a1e542-692f-7176-a834-c5f14b720f1d','started',1794847697235532333,'{}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',54,'01a1e542-692f-7176-a834-c5f14b720f1d','step_started',1794847697238026544,'{"step":1,"model":"fake/fake","input":1373}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',55,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697292955896,'{"text":"[fake model: not an AI, it repeats the prompt. For a real one: set a key, then bellcord init --force]\nword1"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',56,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697350487989,'{"text":" word2"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',57,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697409058203,'{"text":" word3"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',58,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697462477073,'{"text":" word4"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',59,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697513495587,'{"text":" word5"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',60,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697564137747,'{"text":" word6"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',61,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697615549949,'{"text":" word7"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',62,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697666207279,'{"text":" word8"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',63,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697716965473,'{"text":" word9"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',64,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697767970363,'{"text":" word10"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',65,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697818700672,'{"text":" word11"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',66,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697869612498,'{"text":" word12"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',67,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697926521154,'{"text":" word13"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',68,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847697976855529,'{"text":" word14"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',69,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698034680140,'{"text":" word15"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',70,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698086501174,'{"text":" word16"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',71,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698137204210,'{"text":" word17"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',72,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698190488302,'{"text":" word18"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',73,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698241723398,'{"text":" word19"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',74,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698292435328,'{"text":" word20"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',75,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698343061061,'{"text":" word21"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',76,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698393948772,'{"text":" word22"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',77,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698446465812,'{"text":" word23"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',78,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698497415193,'{"text":" word24"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',79,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698548146822,'{"text":" word25"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',80,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698598994458,'{"text":" word26"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',81,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698649767652,'{"text":" word27"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',82,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698700340324,'{"text":" word28"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',83,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698751880023,'{"text":" word29"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',84,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698802681109,'{"text":" word30"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',85,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698853439254,'{"text":" word31"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',86,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698904209200,'{"text":" word32"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',87,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847698955056320,'{"text":" word33"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',88,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847699006558946,'{"text":" word34"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',89,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847699057331917,'{"text":" word35"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',90,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847699108117888,'{"text":" word36"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',91,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847699158879229,'{"text":" word37"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',92,'01a1e542-692f-7176-a834-c5f14b720f1d','said',1794847699214507999,'{"text":" word38"}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',93,'01a1e542-692f-7176-a834-c5f14b720f1d','stop_asked',1794847699237371602,'{"cause":{"kind":"deadline","by":"deadline","from":"hub","why":"2s","at":"2026-11-16T16:48:19.237371602Z","queue":"next"}}');
INSERT INTO events VALUES('01a1e540-ec0b-748b-9784-9f93b222e95f',94,'01a1e542-692f-7176-a834-c5f14b720f1d','ended',1794847699237535943,'{"receipt":{"turn":"01a1e542-692f-7176-a834-c5f14b720f1d","session":"01a1e540-ec0b-748b-9784-9f93b222e95f","end":"stopped","cause":{"kind":"deadline","by":"deadline","from":"hub","why":"2s","at":"2026-11-16T16:48:19.237371602Z","queue":"next"},"won":"stop","times":{"accepted":"2026-11-16T16:48:17.225156044Z","started":"2026-11-16T16:48:17.236306887Z","requested":"2026-11-16T16:48:19.237371602Z","stream_closed":"2026-11-16T16:48:19.237492365Z","settled":"2026-11-16T16:48:19.237535943Z"},"calls":{"finished":0},"processes":{},"queue":"next","usage":{"input":1373,"output":90,"exact":false},"spent":[{"model":"fake/fake","input":1373,"output":90,"exact":false}],"kept":{"text":358,"thought":0,"results":0}}}');
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
    exact       BIGINT NOT NULL, owner TEXT NOT NULL DEFAULT '', -- 1: as the model told it
    PRIMARY KEY (turn, model)
);
INSERT INTO spending VALUES('01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','01a1e540-ec0b-748b-9784-9f93b222e95f','fake/fake',1794847599664648394,100,0,0,20,0,1,'admin');
INSERT INTO spending VALUES('01a1e540-f01b-7d82-a60f-5d1a30ff055b','01a1e540-ec0b-748b-9784-9f93b222e95f','fake/fake',1794847600839575846,143,0,0,9,0,1,'admin');
INSERT INTO spending VALUES('01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','01a1e540-ec0b-748b-9784-9f93b222e95f','fake/fake',1794847602028241406,180,0,0,5,0,1,'admin');
INSERT INTO spending VALUES('01a1e541-7881-7116-b197-ee07684ad226','01a1e540-ec0b-748b-9784-9f93b222e95f','fake/fake',1794847635798865037,452,0,0,15,0,1,'admin');
INSERT INTO spending VALUES('01a1e542-4deb-7507-a9e6-1ea90504f9ad','01a1e540-ec0b-748b-9784-9f93b222e95f','fake/fake',1794847696206559030,274,0,0,11,0,1,'admin');
INSERT INTO spending VALUES('01a1e542-692f-7176-a834-c5f14b720f1d','01a1e540-ec0b-748b-9784-9f93b222e95f','fake/fake',1794847699237535943,1373,0,0,90,0,0,'admin');
CREATE TABLE IF NOT EXISTS "intents" (
    turn  TEXT NOT NULL,
    owner TEXT NOT NULL,
    cause TEXT NOT NULL,
    at    BIGINT NOT NULL,
    PRIMARY KEY (turn, owner)
);
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
CREATE TABLE prompts (
    turn   TEXT PRIMARY KEY,
    prompt TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO prompts VALUES('01a1e540-eb8d-71a7-a8a3-5150bc8f1d5e','{"text":"[think 5] [say hello] [usage 100 20]","steps":100,"on_disconnect":"stop"}');
INSERT INTO prompts VALUES('01a1e540-f01b-7d82-a60f-5d1a30ff055b','{"text":"[shell echo one; echo two]","steps":100,"on_disconnect":"stop"}');
INSERT INTO prompts VALUES('01a1e540-f45c-7f3d-ba8f-7bffa6f2823c','{"text":"[slow 3] hi","deadline":20000000000,"steps":3,"on_disconnect":"stop"}');
INSERT INTO prompts VALUES('01a1e541-7881-7116-b197-ee07684ad226','{"text":"[tool shell {\"command\":\"echo one; echo two\"}]","steps":100,"on_disconnect":"stop"}');
INSERT INTO prompts VALUES('01a1e542-4deb-7507-a9e6-1ea90504f9ad','{"text":"[tool shell {\"command\":\"echo started; sleep 100\"}]","steps":100,"on_disconnect":"stop"}');
INSERT INTO prompts VALUES('01a1e542-692f-7176-a834-c5f14b720f1d','{"text":"[slow 100]","deadline":2000000000,"steps":100,"tokens":50000,"on_disconnect":"stop"}');
CREATE TABLE identity (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    id      TEXT NOT NULL,
    commits BIGINT NOT NULL
);
INSERT INTO identity VALUES(1,'01a1e540-ec02-7109-9528-ecb06f4fbb1d',88);
CREATE INDEX sessions_by_update ON sessions (updated DESC);
CREATE UNIQUE INDEX turns_running ON turns (session) WHERE state = 'running';
CREATE INDEX turns_unended ON turns (node) WHERE state <> 'ended';
CREATE INDEX turns_of_session ON turns (session);
CREATE INDEX spending_by_time ON spending (at);
CREATE INDEX spending_of_session ON spending (session);
CREATE INDEX sessions_by_owner ON sessions (owner, updated DESC);
CREATE INDEX tokens_of_parent ON tokens (parent) WHERE parent <> '';
CREATE INDEX turns_stopped_by ON turns (stopped_by) WHERE stopped_by IS NOT NULL;
PRAGMA user_version = 8;
