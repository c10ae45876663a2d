-- The sums of requests by root session, harness and model.
-- columns: session, harness, model, requests, input, output, cache_read, cache_write, reasoning,
-- pico-USD (recorded, else list), requests whose log is gone or lacks them
SELECT root.native, h.text, m.text, sum(r.calls)::BIGINT, coalesce(sum(r.input), 0), coalesce(sum(r.output), 0), coalesce(sum(r.cache_read), 0),
       coalesce(sum(r.cache_write_5m), 0) + coalesce(sum(r.cache_write_1h), 0), coalesce(sum(r.reasoning), 0),
       sum(coalesce(r.recorded_pusd::HUGEINT, r.list_pusd)),
       count(*) FILTER (WHERE fc.vanished OR f.gone)
FROM request r
JOIN session s ON s.id = r.session
JOIN session root ON root.id = s.root
LEFT JOIN facet fc ON fc.id = r.facet
LEFT JOIN source f ON f.id = r.source
LEFT JOIN word h ON h.id = r.harness
LEFT JOIN word m ON m.id = r.model
GROUP BY ALL;
