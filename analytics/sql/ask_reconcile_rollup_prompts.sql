-- Root sessions, days, harnesses and models whose stored sums of counted prompts differ
-- from their prompts. {day} is the day of a.happened_at in the rollup's zone.
-- columns: how many, the first such day
WITH asked AS MATERIALIZED (
  SELECT s.root, p.session, p.harness, p.happened_at
  FROM prompt p JOIN session s ON s.id = p.session
  WHERE p.id NOT IN (SELECT id FROM unanswered)
),
spent AS (SELECT session, ended_at, min(model) AS model FROM request GROUP BY session, ended_at),
fresh AS (
  SELECT a.root, {day} AS day, a.harness, coalesce(g.model, 0) AS model, count(*) AS prompts, max(a.happened_at) AS last_at
  FROM asked a
  ASOF LEFT JOIN spent g ON g.session = a.session AND a.happened_at <= g.ended_at
  GROUP BY ALL
)
SELECT count(*), min(coalesce(f.day, s.day))
FROM fresh f
FULL JOIN rollup_prompt s ON s.root = f.root AND s.day = f.day AND s.harness = f.harness AND s.model = f.model
WHERE (f.prompts, f.last_at) IS DISTINCT FROM (s.prompts, s.last_at);
