-- Schema 4: no compressed events, no names.
CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq));
INSERT INTO transcript_events VALUES ('old', 0, '{"type":"message","id":"o1","timestamp":"2026-07-05T08:00:09.000Z","message":{"role":"assistant","provider":"openai","model":"gpt-5.4","content":[],"usage":{"prompt_tokens":4,"completion_tokens":5},"stopReason":"stop"}}', 1);
