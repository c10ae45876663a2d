-- The sums of requests in the windows [$1[n], $2[n]) (ordered, disjoint), by
-- harness and model. Requests before the first window have n 0, between or
-- behind windows n is that of the window before, negative.
-- columns: n (from 1), harness, model, requests, input, output, cache_read, cache_write, reasoning,
-- pico-USD (recorded, else list), requests without a price, requests whose log is gone or lacks them
WITH windows AS (
  SELECT unnest($1::BIGINT[]) AS from_ms, unnest($2::BIGINT[]) AS to_ms, unnest(range(1, len($1::BIGINT[]) + 1)) AS n
), placed AS (
  SELECT r.*, CASE WHEN w.n IS NULL THEN 0 WHEN r.ended_at < w.to_ms THEN w.n ELSE -w.n END AS n
  FROM request r ASOF LEFT JOIN windows w ON r.ended_at >= w.from_ms
)
SELECT r.n, h.text, m.text, count(*), coalesce(sum(r.input), 0), coalesce(sum(r.output), 0), coalesce(sum(r.cache_read), 0),
       coalesce(sum(r.cache_write_5m), 0) + coalesce(sum(r.cache_write_1h), 0), coalesce(sum(r.reasoning), 0),
       sum(coalesce(r.recorded_pusd::HUGEINT, r.list_pusd)),
       count(*) FILTER (WHERE r.recorded_pusd IS NULL AND r.list_pusd IS NULL AND greatest(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h) > 0),
       count(*) FILTER (WHERE r.vanished OR f.gone)
FROM placed r
LEFT JOIN source f ON f.id = r.source
LEFT JOIN word h ON h.id = r.harness
LEFT JOIN word m ON m.id = r.model
GROUP BY ALL;
