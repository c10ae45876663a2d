-- The prompts that no number counts, of the root sessions touched: a prompt is
-- counted when a request of its session or of a sub-agent follows before the
-- next prompt, or while it is the newest and neither interrupted nor ended. Those
-- of harnesses, whose logs hold no requests, all count.
-- Columns: those of unanswered.
INSERT INTO unanswered
WITH asked AS (
  SELECT p.id, p.session, s.root, p.happened_at AS at, lead(p.happened_at) OVER (PARTITION BY s.root ORDER BY p.happened_at, p.line) AS next_at
  FROM prompt p JOIN session s ON s.id = p.session
  WHERE s.root IN (SELECT root FROM ({touched}))
),
spent AS (
  SELECT s.root, coalesce(r.started_at, r.ended_at) AS at
  FROM request r JOIN session s ON s.id = r.session
  WHERE s.root IN (SELECT root FROM asked) AND r.ended_at >= (SELECT min(f.at) FROM asked f)
),
stops AS (
  SELECT s.root, max(e.happened_at) AS at FROM event e JOIN session s ON s.id = e.session WHERE e.kind = 'interrupted' AND s.root IN (SELECT root FROM asked) GROUP BY s.root
  UNION ALL
  SELECT s.root, max(t.ended_at) FROM turn t JOIN session s ON s.id = t.session WHERE s.root IN (SELECT root FROM asked) GROUP BY s.root
)
SELECT a.id, a.root
FROM asked a
ASOF LEFT JOIN spent g ON g.root = a.root AND a.at <= g.at
WHERE (g.at IS NULL OR g.at >= a.next_at)
  AND (a.next_at IS NOT NULL OR EXISTS (SELECT 1 FROM stops x WHERE x.root = a.root AND x.at >= a.at))
  AND a.root NOT IN (SELECT id FROM session WHERE harness IN {unreadable})
