PRAGMA journal_mode=WAL;
CREATE TABLE `project` (
          `id` text PRIMARY KEY,
          `worktree` text NOT NULL,
          `vcs` text,
          `name` text,
          `icon_url` text,
          `icon_url_override` text,
          `icon_color` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_initialized` integer,
          `sandboxes` text NOT NULL,
          `commands` text
        );
INSERT INTO project VALUES('e8ab793e5f3f16e3eeaff2ca1aac54cd0c14d308','/home/dev/demo','git',NULL,NULL,NULL,NULL,1796039651634,1796039730002,NULL,'[]',NULL);
CREATE TABLE `session` (
          `id` text PRIMARY KEY,
          `project_id` text NOT NULL,
          `workspace_id` text,
          `parent_id` text,
          `slug` text NOT NULL,
          `directory` text NOT NULL,
          `path` text,
          `title` text NOT NULL,
          `version` text NOT NULL,
          `share_url` text,
          `summary_additions` integer,
          `summary_deletions` integer,
          `summary_files` integer,
          `summary_diffs` text,
          `metadata` text,
          `cost` real DEFAULT 0 NOT NULL,
          `tokens_input` integer DEFAULT 0 NOT NULL,
          `tokens_output` integer DEFAULT 0 NOT NULL,
          `tokens_reasoning` integer DEFAULT 0 NOT NULL,
          `tokens_cache_read` integer DEFAULT 0 NOT NULL,
          `tokens_cache_write` integer DEFAULT 0 NOT NULL,
          `revert` text,
          `permission` text,
          `agent` text,
          `model` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_compacting` integer,
          `time_archived` integer,
          CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
        );
INSERT INTO session VALUES('ses_dd3b0b8e5ffe5QvNyYXqnkno00','e8ab793e5f3f16e3eeaff2ca1aac54cd0c14d308',NULL,NULL,'clever-mountain','/home/dev/demo','','New session - 2026-11-30T11:55:22.778Z','7.7.9',NULL,0,0,0,NULL,NULL,0.0120963,1007,162,41,20101,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"suggest","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','code','{"id":"lab-model-1","providerID":"lab","variant":"default"}',1796039722778,1796039727354,NULL,NULL);
INSERT INTO session VALUES('ses_dd3af8743ffeRnG3TpOn3pJU20','e8ab793e5f3f16e3eeaff2ca1aac54cd0c14d308',NULL,NULL,'cosmic-lagoon','/home/dev/demo','','New session - 2026-11-30T11:56:41.020Z','7.7.9',NULL,0,0,0,NULL,NULL,0.0244815,2035,330,85,40505,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"suggest","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','code','{"id":"lab-model-1","providerID":"lab","variant":"default"}',1796039801020,1796039805919,NULL,NULL);
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES('msg_22c4f553d0013goyDv7gVAOfwH','ses_dd3b0b8e5ffe5QvNyYXqnkno00',1796039726397,1796039727381,'{"role":"user","time":{"created":1796039726397},"agent":"code","model":{"providerID":"lab","modelID":"lab-model-1"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES('msg_22c4f57a60013sppQI0oSghwMU','ses_dd3b0b8e5ffe5QvNyYXqnkno00',1796039727015,1796039727640,'{"parentID":"msg_22c4f553d0013goyDv7gVAOfwH","role":"assistant","mode":"code","agent":"code","path":{"cwd":"/home/dev/demo","root":"/home/dev/demo"},"cost":0.0120963,"tokens":{"total":21311,"input":1007,"output":162,"reasoning":41,"cache":{"write":0,"read":20101}},"modelID":"lab-model-1","providerID":"lab","time":{"created":1796039727015,"completed":1796039727638},"finish":"stop"}');
INSERT INTO message VALUES('msg_22c508680001GjSX6DT44Gd8n1','ses_dd3af8743ffeRnG3TpOn3pJU20',1796039804544,1796039805926,'{"role":"user","time":{"created":1796039804544},"agent":"code","model":{"providerID":"lab","modelID":"lab-model-1"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES('msg_22c508901001zyWzbj8zPWHhpG','ses_dd3af8743ffeRnG3TpOn3pJU20',1796039805186,1796039805890,'{"parentID":"msg_22c508680001GjSX6DT44Gd8n1","role":"assistant","mode":"code","agent":"code","path":{"cwd":"/home/dev/demo","root":"/home/dev/demo"},"cost":0.0121926,"tokens":{"total":21422,"input":1014,"output":164,"reasoning":42,"cache":{"write":0,"read":20202}},"modelID":"lab-model-1","providerID":"lab","time":{"created":1796039805186,"completed":1796039805888},"finish":"tool-calls"}');
INSERT INTO message VALUES('msg_22c508bc8001cACdGIK13zTpbi','ses_dd3af8743ffeRnG3TpOn3pJU20',1796039805896,1796039806210,'{"parentID":"msg_22c508680001GjSX6DT44Gd8n1","role":"assistant","mode":"code","agent":"code","path":{"cwd":"/home/dev/demo","root":"/home/dev/demo"},"cost":0.0122889,"tokens":{"total":21533,"input":1021,"output":166,"reasoning":43,"cache":{"write":0,"read":20303}},"modelID":"lab-model-1","providerID":"lab","time":{"created":1796039805896,"completed":1796039806209},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES('prt_22c4f5568001hL3mkC23lpKDzi','msg_22c4f553d0013goyDv7gVAOfwH','ses_dd3b0b8e5ffe5QvNyYXqnkno00',1796039726445,1796039726447,'{"type":"text","text":"\"LAB:plain go\""}');
INSERT INTO part VALUES('prt_22c4f5960001o5SS4TYIGj8uqU','msg_22c4f57a60013sppQI0oSghwMU','ses_dd3b0b8e5ffe5QvNyYXqnkno00',1796039727456,1796039727458,'{"snapshot":"904b645a5e9640ec6305c1c55075f60247466e08","type":"step-start","time":{"start":1796039727456}}');
INSERT INTO part VALUES('prt_22c4f5965001IKIZgOizzWtXRM','msg_22c4f57a60013sppQI0oSghwMU','ses_dd3b0b8e5ffe5QvNyYXqnkno00',1796039727461,1796039727469,'{"type":"text","text":"Lab answer 1. Done.","time":{"start":1796039727461,"end":1796039727467}}');
INSERT INTO part VALUES('prt_22c4f59dd001OiraXv17ZSSvNr','msg_22c4f57a60013sppQI0oSghwMU','ses_dd3b0b8e5ffe5QvNyYXqnkno00',1796039727581,1796039727583,'{"reason":"stop","snapshot":"904b645a5e9640ec6305c1c55075f60247466e08","type":"step-finish","time":{"start":1796039727456,"end":1796039727579,"elapsed":124},"metrics":{"generation":1637.0967741935483,"source":"computed"},"tokens":{"total":21311,"input":1007,"output":162,"reasoning":41,"cache":{"write":0,"read":20101}},"cost":0.0120963}');
INSERT INTO part VALUES('prt_22c5086b100193UB2nlmBDmJWm','msg_22c508680001GjSX6DT44Gd8n1','ses_dd3af8743ffeRnG3TpOn3pJU20',1796039804599,1796039804601,'{"type":"text","text":"\"LAB:tool go\""}');
INSERT INTO part VALUES('prt_22c508a2f001923GcC6lJeB25N','msg_22c508901001zyWzbj8zPWHhpG','ses_dd3af8743ffeRnG3TpOn3pJU20',1796039805488,1796039805491,'{"snapshot":"904b645a5e9640ec6305c1c55075f60247466e08","type":"step-start","time":{"start":1796039805487}}');
INSERT INTO part VALUES('prt_22c508a39001yFfCUV94mbvdeN','msg_22c508901001zyWzbj8zPWHhpG','ses_dd3af8743ffeRnG3TpOn3pJU20',1796039805498,1796039805571,'{"type":"text","text":"I will run a command.","time":{"start":1796039805497,"end":1796039805565}}');
INSERT INTO part VALUES('prt_22c508a47001bceHY3ApNzPYmW','msg_22c508901001zyWzbj8zPWHhpG','ses_dd3af8743ffeRnG3TpOn3pJU20',1796039805511,1796039805752,'{"type":"tool","tool":"bash","callID":"call_lab2","state":{"status":"completed","input":{"command":"echo tool-ran-ok","description":"Lab command"},"output":"tool-ran-ok\n","metadata":{"output":"tool-ran-ok\n","exit":0,"description":"Lab command","truncated":false,"approval":{"source":"global","rule":{"permission":"bash","pattern":"*","action":"allow"}}},"title":"Lab command","time":{"start":1796039805531,"end":1796039805751}}}');
INSERT INTO part VALUES('prt_22c508b84001LKsbtGkC0012Hw','msg_22c508901001zyWzbj8zPWHhpG','ses_dd3af8743ffeRnG3TpOn3pJU20',1796039805828,1796039805829,'{"reason":"tool-calls","snapshot":"904b645a5e9640ec6305c1c55075f60247466e08","type":"step-finish","time":{"start":1796039805487,"end":1796039805826,"elapsed":338},"metrics":{"generation":609.4674556213017,"source":"computed"},"tokens":{"total":21422,"input":1014,"output":164,"reasoning":42,"cache":{"write":0,"read":20202}},"cost":0.0121926}');
INSERT INTO part VALUES('prt_22c508c8c001yp9Rf3AHGPbr2s','msg_22c508bc8001cACdGIK13zTpbi','ses_dd3af8743ffeRnG3TpOn3pJU20',1796039806093,1796039806094,'{"snapshot":"904b645a5e9640ec6305c1c55075f60247466e08","type":"step-start","time":{"start":1796039806092}}');
INSERT INTO part VALUES('prt_22c508c90001xj83lnFWXcilTf','msg_22c508bc8001cACdGIK13zTpbi','ses_dd3af8743ffeRnG3TpOn3pJU20',1796039806096,1796039806102,'{"type":"text","text":"Lab answer 3. Done.","time":{"start":1796039806096,"end":1796039806101}}');
INSERT INTO part VALUES('prt_22c508ccd001ufb7G67107WrIi','msg_22c508bc8001cACdGIK13zTpbi','ses_dd3af8743ffeRnG3TpOn3pJU20',1796039806157,1796039806159,'{"reason":"stop","snapshot":"904b645a5e9640ec6305c1c55075f60247466e08","type":"step-finish","time":{"start":1796039806092,"end":1796039806156,"elapsed":63},"metrics":{"generation":3317.4603174603176,"source":"computed"},"tokens":{"total":21533,"input":1021,"output":166,"reasoning":43,"cache":{"write":0,"read":20303}},"cost":0.0122889}');
CREATE TABLE `kilo_board` (
          `root_session_id` text PRIMARY KEY,
          `objective` text NOT NULL,
          `objective_message_id` text,
          `next_seq` integer DEFAULT 1 NOT NULL,
          `cleared_seq` integer DEFAULT 0 NOT NULL,
          `message_count` integer DEFAULT 0 NOT NULL,
          `message_bytes` integer DEFAULT 0 NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          CONSTRAINT `fk_kilo_board_root_session_id_session_id_fk` FOREIGN KEY (`root_session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
