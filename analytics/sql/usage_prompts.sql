-- Prompts by key and harness. key is that of the report over the prompt's time,
-- from the prompts p with their session s, where the same window and filters.
-- Columns: key as text, harness, prompts, the newest one's time.
WITH grouped AS (
  SELECT {key} AS key, p.harness, count(*) AS prompts, max(p.happened_at) AS last_at
  FROM {from}
  WHERE {where}
  GROUP BY 1, 2
)
SELECT {label} AS label, coalesce(hw.text, ''), g.prompts, g.last_at
FROM grouped g
LEFT JOIN word hw ON hw.id = g.harness
{label_join}
