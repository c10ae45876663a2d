-- Not a statement: the columns of every figure, over request r, its model m
-- and its precision pc. requests, coarse (a row stands for more than one
-- request), tokens by class and in all (null = not reported), pico-USD of the
-- recorded cost or else the list price, requests that are paid (tokens, a fee
-- or a recorded cost) and have such a cost, that have none, costs that were
-- recorded, unpriced names, models.
/* sums */,
list(DISTINCT m.text ORDER BY m.text) FILTER (WHERE m.text <> '' AND r.recorded_pusd IS NULL AND r.list_pusd IS NULL
  AND greatest(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h, r.web_searches) > 0) AS unpriced_models,
list(DISTINCT m.text ORDER BY m.text) FILTER (WHERE m.text <> '') AS models
