-- Not a statement: the sums of ask_figures.sql, all of its columns but the lists
-- of models, for statements that group by model: a list of what is distinct costs
-- more than the rest of a small question.
coalesce(sum(r.calls), 0)::BIGINT AS requests,
coalesce(bool_or(pc.text NOT IN ('', 'request')), false) AS coarse,
sum(r.input) AS input, sum(r.output) AS output, sum(r.reasoning) AS reasoning, sum(r.cache_read) AS cache_read,
CASE WHEN count(r.cache_write_5m) + count(r.cache_write_1h) > 0 THEN coalesce(sum(r.cache_write_5m), 0) + coalesce(sum(r.cache_write_1h), 0) END AS cache_write,
CASE WHEN count(r.input) + count(r.output) + count(r.cache_read) + count(r.cache_write_5m) + count(r.cache_write_1h) > 0
     THEN coalesce(sum(r.input), 0) + coalesce(sum(r.output), 0) + coalesce(sum(r.cache_read), 0) + coalesce(sum(r.cache_write_5m), 0) + coalesce(sum(r.cache_write_1h), 0) END AS total,
sum(coalesce(r.recorded_pusd::HUGEINT, r.list_pusd))
  FILTER (WHERE r.recorded_pusd IS NOT NULL OR greatest(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h, r.web_searches) > 0) AS pusd,
count(coalesce(r.recorded_pusd::HUGEINT, r.list_pusd))
  FILTER (WHERE r.recorded_pusd IS NOT NULL OR greatest(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h, r.web_searches) > 0) AS priced,
count(*) FILTER (WHERE r.recorded_pusd IS NULL AND r.list_pusd IS NULL
  AND greatest(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h, r.web_searches) > 0) AS unpriced,
count(r.recorded_pusd) AS recorded
