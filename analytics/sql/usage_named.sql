-- The sessions of a session's row: the one with the id ?1 and those folded into it.
-- Columns: number, first and last request (null without one).
SELECT s.id, s.first_at, s.last_at
FROM session s
JOIN session r ON r.id = s.root
WHERE s.native = ?1 OR r.native = ?1
ORDER BY s.id
