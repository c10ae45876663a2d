-- When requests of the sessions $1 that ended in [$2, $3) began, if that is logged, and ended.
-- columns: started_at (as ask_timeline.sql has it, $4), ended_at
SELECT CASE WHEN started_at <= ended_at AND started_at >= ended_at - $4 THEN started_at END, ended_at
FROM request
WHERE session IN (SELECT unnest($1::INTEGER[])) AND ended_at >= $2 AND ended_at < $3;
