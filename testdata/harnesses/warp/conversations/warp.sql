CREATE TABLE agent_conversations (id INTEGER PRIMARY KEY, conversation_id TEXT NOT NULL, conversation_data TEXT NOT NULL, last_modified_at TIMESTAMP NOT NULL);
CREATE TABLE ai_queries (id INTEGER PRIMARY KEY, exchange_id TEXT NOT NULL, conversation_id TEXT NOT NULL, start_ts DATETIME NOT NULL, input TEXT NOT NULL DEFAULT '[]', working_directory TEXT, output_status TEXT NOT NULL DEFAULT '', model_id TEXT NOT NULL DEFAULT '', planning_model_id TEXT NOT NULL DEFAULT '', coding_model_id TEXT NOT NULL DEFAULT '');
INSERT INTO agent_conversations(conversation_id, conversation_data, last_modified_at) VALUES
 ('w1', '{"conversation_usage_metadata":{"credits_spent":1.5,"token_usage":[{"model_id":"auto","warp_tokens":18200,"byok_tokens":0}]}}', '2026-08-29 08:01:10'),
 ('w2', '{"agent_name":"Agent 1","parent_conversation_id":"w1"}', '2026-08-29 08:01:00'),
 ('w3', '{"torn', '2026-08-29 08:01:00');
INSERT INTO ai_queries(exchange_id, conversation_id, start_ts, input, working_directory, output_status, model_id) VALUES
 ('e1', 'w1', '2026-08-29 08:00:01.250', '[{"Query":{"text":"Fix the lint","context":[]}}]', '/srv/demo-shop', '"Completed"', 'claude-4-6-sonnet-high'),
 ('e2', 'w1', '2026-08-29 08:00:20', '[{"ActionResult":{}}]', '/srv/demo-shop', '"Cancelled"', 'claude-4-6-sonnet-high'),
 ('e3', 'w1', '2026-08-29 08:00:40', '[{"ActionResult":{}}]', '/srv/demo-shop', '"Failed"', 'claude-4-6-sonnet-high'),
 ('e4', 'w2', '2026-08-29 08:00:41', '[]', NULL, '"Pending"', ''),
 ('e5', 'w1', 'never', '[]', NULL, '"Completed"', '');
