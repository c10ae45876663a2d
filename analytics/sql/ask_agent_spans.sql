-- The statuses of agent $1, oldest first.
-- columns: those of the table status_span
SELECT agent, generation, status, from_ms, to_ms, source, confidence FROM status_span WHERE agent = $1 ORDER BY from_ms;
