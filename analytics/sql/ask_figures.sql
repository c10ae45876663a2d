-- Not a statement: the columns of every figure, over request r, its model m
-- and its precision pc. requests, coarse (a row stands for more than one
-- request), tokens by class and in all (null = not reported), pico-USD of the
-- recorded cost or else the list price, requests with tokens or a fee that
-- have such a cost, that have none, costs that were recorded, unpriced names, models.
count(*) AS requests,
coalesce(bool_or(pc.text NOT IN ('', 'request')), false) AS coarse,
sum(r.input)::BIGINT AS input, sum(r.output)::BIGINT AS output, sum(r.reasoning)::BIGINT AS reasoning, sum(r.cache_read)::BIGINT AS cache_read,
sum(CASE WHEN r.cache_write_5m IS NULL AND r.cache_write_1h IS NULL THEN NULL ELSE coalesce(r.cache_write_5m, 0) + coalesce(r.cache_write_1h, 0) END)::BIGINT AS cache_write,
sum(CASE WHEN coalesce(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h) IS NULL THEN NULL
         ELSE coalesce(r.input, 0) + coalesce(r.output, 0) + coalesce(r.cache_read, 0) + coalesce(r.cache_write_5m, 0) + coalesce(r.cache_write_1h, 0) END)::BIGINT AS total,
sum(coalesce(r.recorded_pusd::HUGEINT, r.list_pusd)) AS pusd,
count(*) FILTER (WHERE r.recorded_pusd IS NOT NULL OR (r.list_pusd IS NOT NULL
  AND coalesce(r.input, 0) + coalesce(r.output, 0) + coalesce(r.cache_read, 0) + coalesce(r.cache_write_5m, 0) + coalesce(r.cache_write_1h, 0) + coalesce(r.web_searches, 0) > 0)) AS priced,
count(*) FILTER (WHERE r.recorded_pusd IS NULL AND r.list_pusd IS NULL
  AND coalesce(r.input, 0) + coalesce(r.output, 0) + coalesce(r.cache_read, 0) + coalesce(r.cache_write_5m, 0) + coalesce(r.cache_write_1h, 0) + coalesce(r.web_searches, 0) > 0) AS unpriced,
count(r.recorded_pusd) AS recorded,
list(DISTINCT m.text ORDER BY m.text) FILTER (WHERE m.text <> '' AND r.recorded_pusd IS NULL AND r.list_pusd IS NULL
  AND coalesce(r.input, 0) + coalesce(r.output, 0) + coalesce(r.cache_read, 0) + coalesce(r.cache_write_5m, 0) + coalesce(r.cache_write_1h, 0) + coalesce(r.web_searches, 0) > 0) AS unpriced_models,
list(DISTINCT m.text ORDER BY m.text) FILTER (WHERE m.text <> '') AS models
