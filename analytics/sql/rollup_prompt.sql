-- The counted prompts of the root sessions touched, by day, harness and the model that
-- answered: that of the first request of the prompt's session that ends after it, 0
-- while there is none. To look for it at each question would sort all requests.
-- day is the day of happened_at in the rollup's zone. Columns: those of rollup_prompt.
INSERT INTO rollup_prompt
WITH asked AS MATERIALIZED (
  SELECT s.root, p.session, p.harness, p.happened_at
  FROM prompt p JOIN session s ON s.id = p.session
  WHERE s.root IN (SELECT root FROM ({touched})) AND p.id NOT IN (SELECT id FROM unanswered)
),
spent AS (
  SELECT session, ended_at, min(model) AS model
  FROM request
  WHERE session IN (SELECT session FROM asked) AND ended_at >= (SELECT min(happened_at) FROM asked)
  GROUP BY session, ended_at
)
SELECT a.root, {day} AS day, a.harness, coalesce(g.model, 0) AS model, count(*), max(a.happened_at)
FROM asked a
ASOF LEFT JOIN spent g ON g.session = a.session AND a.happened_at <= g.ended_at
GROUP BY ALL
