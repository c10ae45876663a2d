-- Days, harnesses, projects and models whose stored sums differ from their
-- requests. {day} is the day of r.ended_at in the rollup's zone.
-- columns: how many, the first such day
WITH fresh AS (
  SELECT {day} AS day, r.harness, r.project, r.model, count(*) AS requests, sum(r.input) AS input, sum(r.output) AS output, sum(r.reasoning) AS reasoning,
         sum(r.cache_read) AS cache_read, coalesce(sum(r.cache_write_5m), 0) + coalesce(sum(r.cache_write_1h), 0) AS cache_write,
         coalesce(sum(coalesce(r.recorded_pusd::HUGEINT, r.list_pusd)) FILTER (WHERE r.recorded_pusd IS NOT NULL
           OR greatest(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h, r.web_searches) > 0), 0) AS pusd
  FROM request r
  GROUP BY ALL
), stored AS (
  SELECT day, harness, project, model, sum(requests) AS requests, sum(input) AS input, sum(output) AS output, sum(reasoning) AS reasoning,
         sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, coalesce(sum(auto_pusd), 0) AS pusd
  FROM rollup_day
  GROUP BY ALL
)
SELECT count(*), min(coalesce(f.day, s.day))
FROM fresh f
FULL JOIN stored s ON s.day = f.day AND s.harness = f.harness AND s.project = f.project AND s.model = f.model
WHERE f.requests IS DISTINCT FROM s.requests OR f.input IS DISTINCT FROM s.input OR f.output IS DISTINCT FROM s.output
   OR f.reasoning IS DISTINCT FROM s.reasoning OR f.cache_read IS DISTINCT FROM s.cache_read OR f.cache_write IS DISTINCT FROM coalesce(s.cache_write, 0)
   OR f.pusd IS DISTINCT FROM s.pusd;
