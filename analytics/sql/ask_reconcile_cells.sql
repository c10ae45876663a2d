-- The sums of all requests by harness, machine and month of UTC. A cost counts
-- where the request has tokens, a fee or a recorded cost, as in reports.
-- columns: harness, machine, month, requests, input, output, reasoning,
-- cache_read, cache_write, pico-USD (recorded, else list; recorded; list)
SELECT h.text, coalesce(ma.text, ''), strftime(epoch_ms(r.ended_at), '%Y-%m') AS month, sum(r.calls)::BIGINT,
       coalesce(sum(r.input), 0), coalesce(sum(r.output), 0), coalesce(sum(r.reasoning), 0), coalesce(sum(r.cache_read), 0),
       (coalesce(sum(r.cache_write_5m), 0) + coalesce(sum(r.cache_write_1h), 0)),
       coalesce(sum(coalesce(r.recorded_pusd::HUGEINT, r.list_pusd)) FILTER (WHERE r.recorded_pusd IS NOT NULL
         OR greatest(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h, r.web_searches) > 0), 0),
       coalesce(sum(r.recorded_pusd), 0),
       coalesce(sum(r.list_pusd) FILTER (WHERE r.recorded_pusd IS NOT NULL
         OR greatest(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h, r.web_searches) > 0), 0)
FROM request r
LEFT JOIN facet fc ON fc.id = r.facet
LEFT JOIN word h ON h.id = r.harness
LEFT JOIN word ma ON ma.id = fc.machine
GROUP BY ALL
ORDER BY ALL;
