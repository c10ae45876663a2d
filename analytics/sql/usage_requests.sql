-- Sums of requests by key, harness and model, for every report that the day
-- rollup cannot answer. key is the row's key, from the requests r and what
-- the key needs, where narrows them, cost is the cost in force, recorded
-- the part of it that was recorded; tail is
-- usage_tail.sql, which names the columns.
WITH counted AS (
  SELECT {key} AS key, r.*, {cost} AS cost, {recorded} AS recorded_cost,
         (greatest(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h, r.web_searches) > 0) IS TRUE OR r.recorded_pusd IS NOT NULL AS paid
  FROM {from}
  WHERE {where}
),
grouped AS (
  SELECT key, harness, model, sum(calls)::BIGINT AS requests, sum(input) AS input, sum(output) AS output, sum(reasoning) AS reasoning,
         sum(cache_read) AS cache_read, sum(cache_write_5m) AS cache_write, sum(cache_write_1h) AS cache_write_1h,
         sum(cost) FILTER (paid) AS cost, count(cost) FILTER (paid) AS priced, count(*) FILTER (paid AND cost IS NULL) AS unpriced,
         count(recorded_cost) FILTER (paid) AS recorded, max(ended_at) AS last_at
  FROM counted
  GROUP BY key, harness, model
)
{tail}
