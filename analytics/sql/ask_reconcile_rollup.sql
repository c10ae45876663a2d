-- Days, harnesses, projects and models whose stored sums differ from their
-- requests. {day} is the day of r.ended_at in the rollup's zone.
-- columns: how many, the first such day
WITH spent AS (
  SELECT {day} AS day, r.*,
         (greatest(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h, r.web_searches) > 0) IS TRUE OR r.recorded_pusd IS NOT NULL AS paid,
         coalesce(r.recorded_pusd::HUGEINT, r.list_pusd) AS auto
  FROM request r
), fresh AS (
  SELECT day, harness, project, model, sum(calls) AS requests, count(*) FILTER (paid) AS tokened, sum(input) AS input, sum(output) AS output,
         sum(reasoning) AS reasoning, sum(cache_read) AS cache_read, coalesce(sum(cache_write_5m), 0) + coalesce(sum(cache_write_1h), 0) AS cache_write,
         coalesce(sum(auto) FILTER (paid), 0) AS auto_pusd, count(auto) FILTER (paid) AS auto_n, count(recorded_pusd) FILTER (paid) AS auto_recorded_n,
         coalesce(sum(recorded_pusd) FILTER (paid), 0) AS recorded_pusd, count(recorded_pusd) FILTER (paid) AS recorded_n,
         coalesce(sum(list_pusd) FILTER (paid), 0) AS list_pusd, count(list_pusd) FILTER (paid) AS list_n
  FROM spent
  GROUP BY day, harness, project, model
), stored AS (
  SELECT day, harness, project, model, sum(requests) AS requests, sum(tokened) AS tokened, sum(input) AS input, sum(output) AS output,
         sum(reasoning) AS reasoning, sum(cache_read) AS cache_read, coalesce(sum(cache_write), 0) AS cache_write,
         coalesce(sum(auto_pusd), 0) AS auto_pusd, sum(auto_n) AS auto_n, sum(auto_recorded_n) AS auto_recorded_n,
         coalesce(sum(recorded_pusd), 0) AS recorded_pusd, sum(recorded_n) AS recorded_n, coalesce(sum(list_pusd), 0) AS list_pusd, sum(list_n) AS list_n
  FROM rollup_day
  GROUP BY day, harness, project, model
)
SELECT count(*), min(coalesce(f.day, s.day))
FROM fresh f
FULL JOIN stored s ON s.day = f.day AND s.harness = f.harness AND s.project = f.project AND s.model = f.model
WHERE (f.requests, f.tokened, f.input, f.output, f.reasoning, f.cache_read, f.cache_write, f.auto_pusd, f.auto_n, f.auto_recorded_n, f.recorded_pusd, f.recorded_n, f.list_pusd, f.list_n)
  IS DISTINCT FROM (s.requests, s.tokened, s.input, s.output, s.reasoning, s.cache_read, s.cache_write, s.auto_pusd, s.auto_n, s.auto_recorded_n, s.recorded_pusd, s.recorded_n, s.list_pusd, s.list_n);
