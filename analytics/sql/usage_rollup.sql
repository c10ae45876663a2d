-- The same sums of whole days of the rollup's zone, read from the rollup.
-- mode is auto, recorded or list; the other places are as in usage_requests.sql.
WITH grouped AS (
  SELECT {key} AS key, r.harness, r.model, sum(r.requests) AS requests, sum(r.input) AS input, sum(r.output) AS output, sum(r.reasoning) AS reasoning,
         sum(r.cache_read) AS cache_read, sum(r.cache_write) AS cache_write, NULL AS cache_write_1h,
         sum(r.{mode}_pusd) AS cost, sum(r.{mode}_n) AS priced, sum(r.tokened - r.{mode}_n) AS unpriced,
         sum({recorded}) AS recorded, max(r.day) AS last_at
  FROM rollup_day r
  WHERE {where}
  GROUP BY ALL
)
{tail}
