CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '', session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP, input_tokens INTEGER, output_tokens INTEGER, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, accumulated_cache_read_tokens INTEGER, accumulated_cache_write_tokens INTEGER, accumulated_cost REAL, provider_name TEXT, model_config_json TEXT, parent_session_id TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, metadata_json TEXT);
CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, created_timestamp INTEGER NOT NULL, model TEXT, input_tokens INTEGER, output_tokens INTEGER, total_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost REAL, cost_source TEXT, is_compaction INTEGER DEFAULT 0);
INSERT INTO sessions (id,name,working_dir,created_at,updated_at,input_tokens,output_tokens,accumulated_input_tokens,accumulated_output_tokens,accumulated_cache_read_tokens,accumulated_cache_write_tokens,accumulated_cost,provider_name,model_config_json) VALUES
 ('s1','Grown','/srv/a','2026-08-01 08:00:00','2026-08-24 08:00:00',300,40,1300,240,500,100,0.05,'anthropic','{"model_name":"claude-x"}'),
 ('s2','In flight','/srv/a','2026-08-24 08:00:00','2026-08-24 08:10:00',999,9,1399,29,0,0,NULL,'openai','{"model_name":"gpt-y"}'),
 ('s3','Parent','/srv/a','2026-08-24 08:00:00','2026-08-24 08:10:00',400,20,2400,120,0,0,NULL,'openai','not json'),
 ('s5','Broken','/srv/a','2026-08-24 08:00:00','2026-08-24 08:10:00',NULL,NULL,'many',3,NULL,NULL,NULL,NULL,NULL),
 ('s6','s6','/srv/a','2026-08-24 08:00:00','2026-08-24 08:10:00',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL),
 ('s7','Imported','/srv/a','2026-08-02 08:00:00','2026-08-24 08:10:00',200,20,1000,100,NULL,NULL,NULL,'anthropic','{"model_name":"claude-x"}');
INSERT INTO sessions (id,name,session_type,working_dir,created_at,updated_at,input_tokens,output_tokens,accumulated_input_tokens,accumulated_output_tokens,provider_name,model_config_json,parent_session_id) VALUES
 ('s4','Child','sub_agent','/srv/a','2026-08-24 08:01:00','2026-08-24 08:02:00',50,5,50,5,'openai','{"model_name":"gpt-y"}','s3');
INSERT INTO usage_ledger (session_id,created_timestamp,model,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cost,cost_source,is_compaction) VALUES
 ('s1',1787558400,'claude-x',300,40,100,0,0.02,'provider_reported',0),
 ('s2',1787558400,'gpt-y',400,20,0,0,0,'estimated',0),
 ('s3',1787558400,NULL,400,20,0,0,NULL,NULL,1),
 ('s4',1787558460,'gpt-y',50,5,NULL,NULL,NULL,NULL,0),
 ('s2',1787558402,'gpt-y',0,0,0,0,NULL,NULL,0),
 ('s7',1787558400,'claude-x',800,80,NULL,NULL,NULL,'carried_forward',0),
 ('s7',1787558430000,'claude-x',200,20,150,0,-1,'estimated',0),
 ('gone',1787558403,'claude-x',10,1,0,0,NULL,NULL,0),
 ('s6',1787558404,'claude-x',-4,1,0,0,NULL,NULL,0);
