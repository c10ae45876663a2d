CREATE TABLE sessions (session_id TEXT PRIMARY KEY, cwd TEXT, parent_session_id TEXT, is_subagent INTEGER, prompt TEXT);
INSERT INTO sessions VALUES ('s1', '/srv/a', NULL, 0, '<user_input mode="plan">Plan it</user_input>');
INSERT INTO sessions VALUES ('sub-9', '/srv/a', 's1', 1, 'Look for tests');
