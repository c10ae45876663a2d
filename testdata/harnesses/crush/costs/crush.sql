CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0, prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0.0, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL DEFAULT '[]', model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT);
INSERT INTO sessions(id,parent_session_id,title,message_count,prompt_tokens,completion_tokens,cost,updated_at,created_at) VALUES
 ('s1',NULL,'Fix lint',6,18400,220,0.0734,1787990400,1787990000),
 ('s2','s1','Look around',2,900,20,0.01,1787990300,1787990200),
 ('s3',NULL,'Flat rate',2,900,20,0,1787990300,1787990200),
 ('s4',NULL,'Odd',0,0,0,-1,1787990300,1787990200);
INSERT INTO messages(id,session_id,role,parts,model,created_at,updated_at,finished_at,provider) VALUES
 ('m1','s1','user','[{"type":"text","data":{"text":"Fix the lint"}}]',NULL,1787990000,1787990000,NULL,NULL),
 ('m2','s1','assistant','[{"type":"text","data":{"text":"Looking"}},{"type":"tool_call","data":{"id":"c1","name":"bash","input":"{}","finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1787990010}}]','claude-sonnet-4-6',1787990001,1787990010,1787990010,'anthropic'),
 ('m3','s1','tool','[{"type":"tool_result","data":{"tool_call_id":"c1","name":"bash","content":"x","is_error":false}}]',NULL,1787990012,1787990012,NULL,NULL),
 ('m4','s1','assistant','[{"type":"text","data":{"text":"Fixed."}}]','claude-sonnet-4-6',1787990013,1787990020,1787990020,'anthropic'),
 ('m5','s1','assistant','[]','claude-sonnet-4-6',1787990021,1787990021,NULL,'anthropic'),
 ('m6','s2','user','[{"type":"text","data":{"text":"What the agent asked"}}]',NULL,1787990200,1787990200,NULL,NULL),
 ('m7','s2','assistant','torn','claude-haiku-4-5',1787990201,1787990202,1787990202,'anthropic');
