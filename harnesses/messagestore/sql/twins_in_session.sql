-- The messages of session ?2 that were made at ?1 (epoch ms).
-- columns: id, session, text
SELECT id, session_id, data FROM message WHERE time_created = ?1 AND session_id = ?2
