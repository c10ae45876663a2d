-- Sums the days of rollup_dirty. Columns: those of rollup_day.
-- day is the day of ended_at in the rollup's zone.
INSERT INTO rollup_day
WITH days AS MATERIALIZED (SELECT DISTINCT day FROM rollup_dirty),
bounds AS (SELECT (min(day) - 1) * 86400000::BIGINT AS first_ms, (max(day) + 2) * 86400000::BIGINT AS end_ms FROM days),
touched AS (
  SELECT {day} AS local_day, request.*,
         (greatest(input, output, cache_read, cache_write_5m, cache_write_1h, web_searches) > 0) IS TRUE OR recorded_pusd IS NOT NULL AS paid
  FROM request
  WHERE ended_at >= (SELECT first_ms FROM bounds) AND ended_at < (SELECT end_ms FROM bounds)
)
SELECT local_day, harness, project, model, sum(calls), count(*) FILTER (paid),
       sum(input), sum(output), sum(reasoning), sum(cache_read),
       CASE WHEN count(cache_write_5m) + count(cache_write_1h) > 0 THEN coalesce(sum(cache_write_5m), 0) + coalesce(sum(cache_write_1h), 0) END,
       sum(coalesce(recorded_pusd::HUGEINT, list_pusd)) FILTER (paid), count(coalesce(recorded_pusd::HUGEINT, list_pusd)) FILTER (paid),
       count(recorded_pusd) FILTER (paid),
       sum(recorded_pusd) FILTER (paid), count(recorded_pusd) FILTER (paid), sum(list_pusd) FILTER (paid), count(list_pusd) FILTER (paid)
FROM touched
WHERE local_day IN (SELECT day FROM days)
GROUP BY ALL
