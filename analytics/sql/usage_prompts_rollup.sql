-- The same counts of whole days of the rollup's zone, read from the rollup.
-- key is that of the report over the rollup's row r. Columns as in usage_prompts.sql.
WITH grouped AS (
  SELECT {key} AS key, r.harness, sum(r.prompts)::BIGINT AS prompts, max(r.last_at) AS last_at
  FROM rollup_prompt r
  WHERE {where}
  GROUP BY 1, 2
)
SELECT {label} AS label, coalesce(hw.text, ''), g.prompts, g.last_at
FROM grouped g
LEFT JOIN word hw ON hw.id = g.harness
{label_join}
