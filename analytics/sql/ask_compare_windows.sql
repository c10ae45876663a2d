-- The sums of requests in the windows [$1[n], $2[n]) (ordered, disjoint), by
-- harness and model. Requests before the first window have n 0, between or
-- behind windows n is that of the window before, negative.
-- columns: n (from 1), harness, model, requests, input, output, cache_read, cache_write, reasoning,
-- pico-USD (recorded, else list), requests whose log is gone or lacks them. They
-- are summed by quarter of an hour first: no window begins or ends within one.
WITH windows AS (
  SELECT unnest($1::BIGINT[]) AS from_ms, unnest($2::BIGINT[]) AS to_ms, unnest(range(1, len($1::BIGINT[]) + 1)) AS n
), quarters AS (
  SELECT r.ended_at // 900000 * 900000 AS at, r.harness, r.model, sum(r.calls)::BIGINT AS requests, sum(r.input) AS input, sum(r.output) AS output,
         sum(r.cache_read) AS cache_read, coalesce(sum(r.cache_write_5m), 0) + coalesce(sum(r.cache_write_1h), 0) AS cache_write, sum(r.reasoning) AS reasoning,
         sum(coalesce(r.recorded_pusd::HUGEINT, r.list_pusd)) AS pusd, count(*) FILTER (WHERE fc.vanished OR f.gone) AS kept
  FROM request r
  LEFT JOIN facet fc ON fc.id = r.facet
  LEFT JOIN source f ON f.id = r.source
  GROUP BY ALL
), placed AS (
  SELECT q.*, CASE WHEN w.n IS NULL THEN 0 WHEN q.at < w.to_ms THEN w.n ELSE -w.n END AS n
  FROM quarters q ASOF LEFT JOIN windows w ON q.at >= w.from_ms
)
SELECT q.n, h.text, m.text, sum(q.requests), coalesce(sum(q.input), 0), coalesce(sum(q.output), 0), coalesce(sum(q.cache_read), 0),
       coalesce(sum(q.cache_write), 0), coalesce(sum(q.reasoning), 0), sum(q.pusd), sum(q.kept)
FROM placed q
LEFT JOIN word h ON h.id = q.harness
LEFT JOIN word m ON m.id = q.model
GROUP BY q.n, h.text, m.text;
