-- The messages of all sessions of project ?2 that were made at ?1 (epoch ms).
-- columns: id, session, text
SELECT id, session_id, data FROM message WHERE time_created = ?1 AND session_id IN (SELECT id FROM session WHERE project_id = ?2)
