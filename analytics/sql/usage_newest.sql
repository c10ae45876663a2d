-- The sessions folded into the ?1 root sessions with the newest requests.
-- Columns: number, first and last request (null without one).
WITH newest AS (
  SELECT root FROM session WHERE last_at IS NOT NULL GROUP BY root ORDER BY max(last_at) DESC, root DESC LIMIT ?1
)
SELECT s.id, s.first_at, s.last_at
FROM session s
WHERE s.root IN (SELECT root FROM newest)
ORDER BY s.id
