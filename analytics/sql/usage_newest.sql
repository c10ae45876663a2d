-- The sessions folded into the ?1 root sessions with the newest requests or prompts.
-- Columns: number, first and last request (null without one).
WITH alive AS (
  SELECT root, last_at FROM session WHERE last_at IS NOT NULL
  UNION ALL
  SELECT s.root, p.happened_at FROM prompt p JOIN session s ON s.id = p.session WHERE p.id NOT IN (SELECT id FROM unanswered)
), newest AS (
  SELECT root FROM alive GROUP BY root ORDER BY max(last_at) DESC, root DESC LIMIT ?1
)
SELECT s.id, s.first_at, s.last_at
FROM session s
WHERE s.root IN (SELECT root FROM newest)
ORDER BY s.id
