-- Prompts by key. key is that of the report over the prompt's time, from the
-- prompts p with their session s, where the same window and filters.
-- Columns: key as text, prompts.
WITH grouped AS (
  SELECT {key} AS key, count(*) AS prompts
  FROM {from}
  WHERE {where}
  GROUP BY 1
)
SELECT {label} AS label, g.prompts
FROM grouped g
{label_join}
